"""Intervals that hold at any time, along the whole stream of labels."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from adjudge.core.labels import SKIP, Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Selector
from adjudge.inference.anytime import AnytimeIntervals
from adjudge.inference.weighted import pool_mean
from adjudge.losses.loss import ZeroOne
from adjudge.methods.baselines.drawn import Drawn
from adjudge.methods.baselines.random import Random
from adjudge.methods.peers.active_testing import ActiveTesting
from adjudge.methods.peers.vma import VMA
from adjudge.methods.pooled.assisted import Assisted
from adjudge.simulation.contract import StratifiedDraws, example_pool
from adjudge.simulation.loop import bought
from tests.support.repeated import repeated


def log_of(selector: Selector, rows: int, seed: int) -> Labels:
    pool, truth = example_pool(models=5, samples=200, seed=4)
    return bought(selector, pool, truth, rows, seed)


@repeated(8, 40)
@pytest.mark.parametrize("selector", [Random(), StratifiedDraws(), VMA()])
def test_intervals_hold_along_the_whole_stream(selector: Selector, repeats: int) -> None:
    pool, truth = example_pool(models=5, samples=200, seed=4)
    actual = (pool.values == truth).mean(axis=1)
    held, apart = [], []
    for seed in range(repeats):
        labels, inside, order = log_of(selector, 150, seed), True, True
        for rows in range(5, 151, 12):
            ranking = Drawn(anytime=True, simultaneous=True).rank(pool, labels.head(rows))
            assert ranking.estimate.anytime
            assert ranking.difference_to_leader is not None
            inside &= bool(((ranking.estimate.low <= actual) & (actual <= ranking.estimate.high)).all())
            below = actual[ranking.order[0]] - actual
            order &= bool(
                (
                    (ranking.difference_to_leader.low <= below + 1e-9)
                    & (below <= ranking.difference_to_leader.high + 1e-9)
                ).all()
            )
        held.append(inside)
        apart.append(order)
    misses = binom.isf(0.1, repeats, 0.05)  # as many as intervals of 95 % have in nine of ten tests: 1 of 8, 4 of 40
    assert held.count(False) <= misses
    assert apart.count(False) <= misses


def test_peeking_costs_less_than_twice_the_width() -> None:
    pool, _ = example_pool(models=5, samples=200, seed=4)
    labels = log_of(Random(), 100, 0)
    fixed, anytime = (Drawn(anytime=each).rank(pool, labels).estimate for each in (False, True))
    width = (anytime.high - anytime.low) / (fixed.high - fixed.low)
    assert ((width > 1) & (width < 2)).all()


@pytest.mark.parametrize("selector", [VMA(), ActiveTesting()])
def test_weighted_draws_bet_against_high_losses(selector: Selector) -> None:
    pool, truth = example_pool(models=5, samples=200, seed=4)
    labels = log_of(selector, 100, 0)
    at_least = (pool.values == truth)[:, labels.sample].sum(axis=1) / 200  # all that is sure where no bet is made
    assert (Drawn(anytime=True).rank(pool, labels).estimate.low > at_least + 0.01).all()


def test_all_labels_leave_no_width_and_one_less_does() -> None:
    pool, truth = example_pool(models=5, samples=200, seed=4)
    exact = (pool.values == truth).mean(axis=1)
    for selector in (Random(), StratifiedDraws()):
        labels = log_of(selector, 200, 0)
        estimate = Assisted(anytime=True).rank(pool, labels).estimate
        assert estimate.low == pytest.approx(exact)
        assert estimate.high == pytest.approx(exact)
        short = Assisted(anytime=True).rank(pool, labels.undo()).estimate
        assert (short.high - short.low <= 1 / 200 + 1e-9).all()
        assert (short.high > short.low).all()


def test_a_weight_tells_of_a_loss_even_where_its_largest_is_not_known() -> None:
    pool, truth = example_pool(models=5, samples=200, seed=4)
    labels = log_of(VMA(), 100, 0)
    unknown = replace(labels, max_weight=np.full(100, np.nan))
    at_least = (pool.values == truth)[:, labels.sample].sum(axis=1) / 200  # all that is sure where no bet is made
    assert (Drawn(anytime=True).rank(pool, unknown).estimate.low > at_least + 0.01).all()


def test_models_that_differ_on_few_samples_are_never_far_apart() -> None:
    pool, truth = example_pool(models=5, samples=200, seed=4)
    values = pool.values.copy()
    values[1] = values[0]
    values[1, :10] = (values[0, :10] + 1) % 3
    near = replace(pool, values=values)
    labels = log_of(Random(), 10, 0)
    open_pairs = np.setdiff1d(np.arange(10), labels.sample)
    known = (values[:2] == truth)[:, labels.sample].sum(axis=1)
    difference = AnytimeIntervals(pool_mean(near, labels, ZeroOne()), 0.95, 1).between(np.array([0]), np.array([1]))
    _, low, high = (float(each[0, 0]) * 200 for each in difference)
    assert known[1] - known[0] - len(open_pairs) - 1e-3 <= low <= high <= known[1] - known[0] + len(open_pairs) + 1e-3


def test_large_weights_hide_no_difference() -> None:
    samples = 400
    values = np.zeros((2, samples), dtype=np.int16)
    values[1, :200] = 1  # always wrong where they differ
    pool = Predictions(values, ("good", "bad"), range(samples), ("a", "b"))
    rng, weight = np.random.default_rng(0), np.where(np.arange(samples) < 200, 0.6, 1.4)
    most = 20.0  # of a sample that was never drawn, on which the two say the same
    labels = Labels.empty(samples)
    for row in range(60):
        left = np.setdiff1d(np.arange(samples), labels.sample)
        chance = 1 / weight[left]
        sample = int(rng.choice(left, p=chance / chance.sum()))
        labels = labels.add(Pick(sample, float(chance.sum() * weight[sample] / len(left)), row, max_weight=most), 0)
    _, low, _ = AnytimeIntervals(pool_mean(pool, labels, ZeroOne()), 0.95, 1).between(np.array([1]), np.array([0]))
    assert low[0, 0] > 0.2  # the truth is 0.5


def test_who_is_clearly_worse_is_apart_by_an_interval() -> None:
    pool, _ = example_pool(models=5, samples=200, seed=4)
    every, shown = np.arange(5), []
    for seed in range(4):
        for rows in range(10, 150, 10):
            times = AnytimeIntervals(pool_mean(pool, log_of(StratifiedDraws(), rows, seed), ZeroOne()), 0.95, 10)
            shown.append((times.worse(every, every), times.between(every, every)[1] > 1e-6))
    worse, apart = np.array(shown).swapaxes(0, 1)
    assert 0 < worse.sum() < worse.size
    assert (worse == apart).all()


def test_skips_tell_nothing_about_a_mean() -> None:
    pool, _ = example_pool(models=5, samples=200, seed=4)
    labels = log_of(Random(), 60, 0)
    left = np.setdiff1d(np.arange(200), labels.sample)
    plain = Drawn(anytime=True).rank(pool, labels).estimate
    for sample in left[:5]:
        labels = labels.add(Pick(int(sample), 1.0, len(labels)), SKIP)
    skipped = Drawn(anytime=True).rank(pool, labels).estimate
    assert skipped.high - skipped.low == pytest.approx(plain.high - plain.low, rel=0.05)
