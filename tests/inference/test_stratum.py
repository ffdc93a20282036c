"""Skips and missing predictions: draws on which a model cannot be judged tell nothing about it."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import MISSING, Predictions
from adjudge.decisions.compare import compare
from adjudge.losses.loss import Cost
from adjudge.losses.numbers import Absolute
from adjudge.methods.baselines.drawn import Drawn
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.contract import StratifiedDraws
from adjudge.simulation.loop import bought
from tests.support.repeated import repeated


def two_that_differ(seed: int, gone: float, *, skips: bool) -> tuple[Predictions, np.ndarray]:
    """Two models that are equally good, and a share of all samples on which they cannot be judged."""
    rng = np.random.default_rng(seed)
    truth, lost = rng.permutation(np.tile([0.0, 1.0], 500)), rng.random(1000) < gone
    values = np.repeat([[0], [1]], 1000, axis=1)
    if skips:
        truth[lost] = np.nan
    else:
        values[:, lost] = MISSING
    return Predictions(values, ("a", "b"), range(1000), ("no", "yes")), truth


@pytest.mark.parametrize("skips", [False, True])
def test_models_are_not_parted_by_draws_that_tell_nothing(skips: bool) -> None:
    parted = []
    for seed in range(150):
        pool, truth = two_that_differ(seed, 0.8, skips=skips)
        ranking = Drawn().rank(pool, bought(Random(), pool, truth, 32, seed))
        assert ranking.tier is not None
        parted.append(ranking.tier.max() > 1)
    assert np.mean(parted) < 0.1  # once .22


def test_one_skip_does_not_make_a_part_vanish() -> None:
    """Checks fall on samples that one model does not speak about, so nothing is known of it there."""
    values = np.zeros((3, 100), dtype=int)
    values[0, :20] = 1
    values[2, 90:] = MISSING
    pool = Predictions(values, tuple("abc"), range(100), ("no", "yes"))
    labels = Labels.empty(100)
    for row, sample in enumerate([0, 5, 10, 15, 95, 96]):
        stratum = 1 if sample < 20 else 2
        labels = labels.add(Pick(sample, 1.0, row, stratum=stratum, max_weight=1.0), 0)
    skipped = replace(labels, value=np.where(np.arange(6) == 1, np.nan, labels.value))
    for log in (labels, skipped):
        estimate = Drawn().rank(pool, log).estimate
        assert estimate.low[2] < 0.3  # seventy samples are open, on none of which it was judged
        assert estimate.high[2] == 1


def with_skips(seed: int, skipped: float) -> tuple[Predictions, np.ndarray]:
    """Half of the samples are easy for all four models; what cannot be labeled is anywhere."""
    rng = np.random.default_rng(seed)
    truth, easy = rng.integers(3, size=300), rng.random(300) < 0.5
    wrong = (rng.random((4, 300)) > np.array([[0.9], [0.88], [0.8], [0.7]])) & ~easy
    values = np.where(wrong | (easy & (rng.random(300) < 0.1)), (truth + 1) % 3, truth)
    pool = Predictions(values, tuple("abcd"), range(300), ("x", "y", "z"))
    return pool, np.where(rng.random(300) < skipped, np.nan, truth)


@repeated(40, 100)
@pytest.mark.parametrize("labels", [30, 120])  # few; and all in dispute
def test_after_many_skips_it_is_not_known_how_many_samples_count(labels: int, repeats: int) -> None:
    held, apart = [], []
    for seed in range(repeats):
        pool, truth = with_skips(seed, 0.7)
        actual = (pool.values == truth)[:, ~np.isnan(truth)].mean(axis=1)
        ranking = Drawn().rank(pool, bought(StratifiedDraws(unanimous=0.25, floor=1), pool, truth, labels, seed))
        assert ranking.difference_to_leader is not None
        below = actual[ranking.order[0]] - actual
        held.append((ranking.estimate.low <= actual) & (actual <= ranking.estimate.high))
        apart.append(
            (ranking.difference_to_leader.low <= below + 1e-9) & (below <= ranking.difference_to_leader.high + 1e-9)
        )
    assert np.mean(held) > 0.93
    assert np.mean(apart) > 0.93


def test_differences_stay_within_what_can_be_after_a_skip() -> None:
    for seed in range(20):
        pool, truth = with_skips(seed, 0.1)
        ranking = Pooled().rank(pool, bought(Pooled(), pool, truth, 20, seed))
        assert ranking.difference_to_leader is not None
        for each in (
            ranking.difference_to_leader.low,
            ranking.difference_to_leader.value,
            ranking.difference_to_leader.high,
        ):
            assert (np.abs(each) <= 1).all()


def test_models_that_cost_the_same_so_far_may_still_differ() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 600)
    values = (truth + np.where(rng.random((6, 600)) < 0.3, rng.integers(1, 3, (6, 600)), 0)) % 3
    apart = rng.permutation(600)[:24]
    values[1] = values[0]
    values[0, apart], values[1, apart] = truth[apart], (truth[apart] + 1) % 3
    pool = Predictions(values, tuple("abcdef"), range(600), ("x", "y", "z"))
    cost = Cost(np.array([[0, 1, 0.5], [1, 0, 0.5], [0.5, 1, 0]]))
    losses = cost(pool.values, truth)
    actual, held = (losses[0] - losses[1]).mean(), []
    for seed in range(40):
        labels = bought(Pooled(goal="estimate"), pool, truth.astype(float), 30, seed)
        found = compare(pool, "a", "b", labels, loss=cost)
        assert found.high - found.low > 0.001
        held.append(found.low <= actual <= found.high)
    assert np.mean(held) > 0.9  # once .68


def test_equal_losses_are_treated_alike_however_they_are_rounded() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 10, 300).astype(float)
    pool = Predictions(np.array([truth + 0.3, truth + 0.1]), ("a", "b"), range(300), None)
    ends = []
    for seed in range(10):
        estimate = Drawn(loss=Absolute(-10, 20)).rank(pool, bought(Random(), pool, truth, 10, seed)).estimate
        ends.append([estimate.low, estimate.high])
    assert np.ptp(ends, axis=0) == pytest.approx(0, abs=1e-6)
    assert (np.diff(ends, axis=1) > 0.01).all()


def test_an_interval_of_numbers_waits_for_labels_not_for_draws() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=400)
    values = truth + rng.normal(size=(2, 400)) * [[0.5], [1.0]]
    values[0, ::2] = np.nan
    pool = Predictions(values, ("half", "all"), range(400), None)
    ranking = Drawn().rank(pool, bought(Random(), pool, truth, 24, 0))
    assert np.isnan(ranking.estimate.low).tolist() == [True, False]
    assert ranking.tier is None
    ranking = Drawn().rank(pool, bought(Random(), pool, truth, 80, 0))
    assert not np.isnan(ranking.estimate.low).any()
    assert ranking.tier is not None


def test_intervals_of_numbers_know_from_how_few_labels_they_are() -> None:
    held = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        truth = rng.normal(size=1000)
        values = np.clip(truth + rng.normal(size=(2, 1000)) * [[0.5], [1.0]], -9, 9)
        spoken = rng.random(1000) < 0.1
        values[:, ~spoken] = np.nan
        pool = Predictions(values, ("a", "b"), range(1000), None)
        estimate = Drawn(loss=Absolute(-10, 10)).rank(pool, bought(Random(), pool, truth, 60, seed)).estimate
        actual = np.abs(values - truth)[:, spoken].mean(axis=1)
        held.append((estimate.low <= actual) & (actual <= estimate.high))
    assert np.mean(held) > 0.91  # once .76
