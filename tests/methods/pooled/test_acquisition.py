"""Acquisition functions by hand: every candidate, every class, every draw."""

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.methods.pooled.acquisition import contender_disagreement, information_gain_lead
from adjudge.methods.pooled.candidates import unlabeled_count
from adjudge.methods.pooled.posterior import Posterior, fit_posterior
from adjudge.simulation.contract import example_pool


@pytest.fixture
def pool() -> Predictions:
    """Two of its five models have missing predictions."""
    whole, _ = example_pool(models=5, samples=60)
    values = np.array(whole.values)
    values[3, ::3] = values[4, 1::3] = -1
    return replace(whole, values=values, probabilities=None)


@pytest.fixture
def labels() -> Labels:
    _, truth = example_pool(models=5, samples=60)
    return Labels.known(60, list(range(5)), truth[:5])


def test_contenders_disagree_where_a_label_separates_two_of_them(pool: Predictions, labels: Labels) -> None:
    posterior = fit_posterior(pool, labels)
    top = posterior.accuracy >= posterior.accuracy.max(axis=0)
    best, right = (top / top.sum(axis=0)) @ posterior.importance, posterior.probability @ posterior.importance
    assert (best[3:] > 0).all()
    by_hand = [
        sum(
            best[one] * best[other] * right[slots[one]]
            for one in range(5)
            for other in range(5)
            if slots[one] >= 0 and slots[other] >= 0 and slots[one] != slots[other]
        )
        for slots in posterior.slots.slot
    ]
    assert contender_disagreement(posterior) == pytest.approx(np.array(by_hand), abs=1e-6)


def moved_by_hand(posterior: Posterior, pool: Predictions, candidate: int, leader: int, rival: int) -> float:
    """The mean square of the change of the expected gap between two models by a label."""
    slots = posterior.slots.slot[candidate]
    start, stop = posterior.slots.first[candidate : candidate + 2]
    likely = [
        *posterior.probability[start:stop].astype(float),
        1 - posterior.probability[start:stop].astype(float).sum(axis=0),
    ]
    before, total = (posterior.accuracy[leader] - posterior.accuracy[rival]) @ posterior.importance, 0.0
    for place, chance in enumerate(likely, start=start):
        after = posterior.accuracy.copy()
        for model in (leader, rival):
            if slots[model] >= 0:
                after[model] += (
                    (slots[model] == place) - posterior.probability[slots[model]].astype(float)
                ) / pool.n_predicted[model]
        weight = chance * posterior.importance
        if weight.sum() > 1e-6:
            now = (after[leader] - after[rival]) @ weight / weight.sum()
            total += weight.sum() * (now - before) ** 2
    return total


def test_labels_about_the_lead_are_those_that_move_close_rivals(pool: Predictions, labels: Labels) -> None:
    posterior, left = fit_posterior(pool, labels), unlabeled_count(pool, labels)
    mean, right, normal = (
        posterior.accuracy @ posterior.importance,
        posterior.probability @ posterior.importance,
        NormalDist(),
    )
    leader, by_hand = int(mean.argmax()), np.zeros(len(left))
    for rival in set(range(5)) - {leader}:
        behind, spread = posterior.accuracy[leader] - posterior.accuracy[rival], 0.0
        for count, slots in zip(left, posterior.slots.slot, strict=True):
            ours, theirs = slots[leader], slots[rival]
            one, other = (0.0 if slot < 0 else right[slot] for slot in (ours, theirs))
            one_part, other_part = 1 / pool.n_predicted[leader], 1 / pool.n_predicted[rival]
            squares = one * one_part**2 + other * other_part**2
            squares -= 2 * one * one_part * other_part if ours >= 0 and ours == theirs else 0.0
            spread += count * (squares - (one * one_part - other * other_part) ** 2)
        variance = spread + (behind - behind @ posterior.importance) ** 2 @ posterior.importance
        z = (mean[leader] - mean[rival]) / variance**0.5
        tells = normal.pdf(z) ** 2 / (normal.cdf(z) * normal.cdf(-z)) / 2 / variance
        by_hand += [tells * moved_by_hand(posterior, pool, each, leader, rival) for each in range(len(left))]
    assert information_gain_lead(posterior, pool, labels) == pytest.approx(by_hand, rel=1e-4, abs=1e-7)


def test_a_copy_of_the_leader_is_no_rival(pool: Predictions, labels: Labels) -> None:
    leader = int((fit_posterior(pool, labels).accuracy @ fit_posterior(pool, labels).importance).argmax())
    twins = replace(pool, values=np.vstack([pool.values, pool.values[leader]]), models=(*pool.models, "copy"))
    posterior = fit_posterior(twins, labels)
    gone = posterior.accuracy.copy()
    gone[5] = -np.inf
    tells = information_gain_lead(posterior, twins, labels)
    assert tells.max() > 0
    assert tells == pytest.approx(information_gain_lead(replace(posterior, accuracy=gone), twins, labels))


def test_a_tie_that_labels_have_settled_is_no_question() -> None:
    whole, truth = example_pool(models=5, samples=120, seed=2)
    values = np.array(whole.values)
    values[:2] = truth
    values[0, 50], values[1, 51] = (truth[50:52] + 1) % 3  # all on which the two differ
    pool = replace(whole, values=values, probabilities=None)
    labels = Labels.known(120, list(range(20, 60)), truth[20:60])
    posterior = fit_posterior(pool, labels)
    gone = posterior.accuracy.copy()
    gone[1] = -np.inf
    tells = information_gain_lead(posterior, pool, labels)
    assert tells == pytest.approx(information_gain_lead(replace(posterior, accuracy=gone), pool, labels))
