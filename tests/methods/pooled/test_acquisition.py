"""What a label would tell, by hand: every candidate, every answer, every draw."""

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.methods.pooled.acquisition import about_the_lead, between_contenders
from adjudge.methods.pooled.posterior import Belief, belief, open_count
from adjudge.simulation.contract import example_pool


@pytest.fixture
def pool() -> Predictions:
    """Two of its five models are silent at times."""
    whole, _ = example_pool(models=5, samples=60)
    values = np.array(whole.values)
    values[3, ::3] = values[4, 1::3] = -1
    return replace(whole, values=values, probabilities=None)


@pytest.fixture
def labels() -> Labels:
    _, truth = example_pool(models=5, samples=60)
    return Labels.known(60, list(range(5)), truth[:5])


def test_labels_between_contenders_are_those_that_part_two_of_them(pool: Predictions, labels: Labels) -> None:
    held = belief(pool, labels)
    top = held.accuracy >= held.accuracy.max(axis=0)
    best, right = (top / top.sum(axis=0)) @ held.share, held.chance @ held.share
    assert (best[3:] > 0).all()
    by_hand = [
        sum(
            best[one] * best[other] * right[slots[one]]
            for one in range(5)
            for other in range(5)
            if slots[one] >= 0 and slots[other] >= 0 and slots[one] != slots[other]
        )
        for slots in held.said.slot
    ]
    assert between_contenders(held) == pytest.approx(np.array(by_hand), abs=1e-6)


def moved_by_hand(held: Belief, pool: Predictions, candidate: int, leader: int, rival: int) -> float:
    """The mean square of what the label does to the expected distance between two models."""
    slots = held.said.slot[candidate]
    start, stop = held.said.first[candidate : candidate + 2]
    likely = [*held.chance[start:stop].astype(float), 1 - held.chance[start:stop].astype(float).sum(axis=0)]
    before, total = (held.accuracy[leader] - held.accuracy[rival]) @ held.share, 0.0
    for place, chance in enumerate(likely, start=start):
        after = held.accuracy.copy()
        for model in (leader, rival):
            if slots[model] >= 0:
                after[model] += ((slots[model] == place) - held.chance[slots[model]].astype(float)) / pool.said[model]
        weight = chance * held.share
        if weight.sum() > 1e-6:
            now = (after[leader] - after[rival]) @ weight / weight.sum()
            total += weight.sum() * (now - before) ** 2
    return total


def test_labels_about_the_lead_are_those_that_move_close_rivals(pool: Predictions, labels: Labels) -> None:
    held, left = belief(pool, labels), open_count(pool, labels)
    mean, right, normal = held.accuracy @ held.share, held.chance @ held.share, NormalDist()
    leader, by_hand = int(mean.argmax()), np.zeros(len(left))
    for rival in set(range(5)) - {leader}:
        behind, spread = held.accuracy[leader] - held.accuracy[rival], 0.0
        for count, slots in zip(left, held.said.slot, strict=True):
            ours, theirs = slots[leader], slots[rival]
            one, other = (0.0 if slot < 0 else right[slot] for slot in (ours, theirs))
            one_part, other_part = 1 / pool.said[leader], 1 / pool.said[rival]
            squares = one * one_part**2 + other * other_part**2
            squares -= 2 * one * one_part * other_part if ours >= 0 and ours == theirs else 0.0
            spread += count * (squares - (one * one_part - other * other_part) ** 2)
        variance = spread + (behind - behind @ held.share) ** 2 @ held.share
        z = (mean[leader] - mean[rival]) / variance**0.5
        tells = normal.pdf(z) ** 2 / (normal.cdf(z) * normal.cdf(-z)) / 2 / variance
        by_hand += [tells * moved_by_hand(held, pool, each, leader, rival) for each in range(len(left))]
    assert about_the_lead(held, pool, labels) == pytest.approx(by_hand, rel=1e-4, abs=1e-7)


def test_a_copy_of_the_leader_is_no_rival(pool: Predictions, labels: Labels) -> None:
    leader = int((belief(pool, labels).accuracy @ belief(pool, labels).share).argmax())
    twins = replace(pool, values=np.vstack([pool.values, pool.values[leader]]), models=(*pool.models, "copy"))
    held = belief(twins, labels)
    gone = held.accuracy.copy()
    gone[5] = -np.inf
    tells = about_the_lead(held, twins, labels)
    assert tells.max() > 0
    assert tells == pytest.approx(about_the_lead(replace(held, accuracy=gone), twins, labels))


def test_a_tie_that_labels_have_settled_is_no_question() -> None:
    whole, truth = example_pool(models=5, samples=120, seed=2)
    values = np.array(whole.values)
    values[:2] = truth
    values[0, 50], values[1, 51] = (truth[50:52] + 1) % 3  # all on which the two differ
    pool = replace(whole, values=values, probabilities=None)
    labels = Labels.known(120, list(range(20, 60)), truth[20:60])
    held = belief(pool, labels)
    gone = held.accuracy.copy()
    gone[1] = -np.inf
    tells = about_the_lead(held, pool, labels)
    assert tells == pytest.approx(about_the_lead(replace(held, accuracy=gone), pool, labels))
