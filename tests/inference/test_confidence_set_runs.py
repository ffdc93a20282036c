"""The confidence set and the guaranteed loss over whole runs of drawn labels."""

from dataclasses import replace
from math import log

import numpy as np
import pytest
from scipy.stats import binom

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Selector
from adjudge.inference.anytime import AnytimeIntervals
from adjudge.inference.confidence_set import (
    KELLY,
    LARGEST_STAKE,
    confidence_set,
    log_wealth_of_best,
    log_wealth_paths,
)
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.stratum import ExpectedLosses
from adjudge.inference.weighted import pool_mean, weighted_ranking
from adjudge.losses.loss import ZeroOne
from adjudge.losses.numbers import Squared
from adjudge.methods.baselines.random import Random
from adjudge.methods.peers.vma import VMA
from adjudge.methods.pooled.control_variate import with_expected_losses
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.contract import StratifiedDraws, example_pool
from adjudge.simulation.loop import bought
from tests.support.pools import pool_of, uniform_log
from tests.support.repeated import repeated

SAMPLES = 120


def tied_pool(seed: int) -> tuple[Predictions, FloatArray]:
    """Six models: two that differ and are best, two that make the same mistakes, and two that are worse."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=SAMPLES)
    values = np.tile(truth, (6, 1))
    for row, wrong in zip(values, (36, 36, 40, 40, 60, 80), strict=True):
        missed = rng.permutation(SAMPLES)[:wrong]
        row[missed] = (truth[missed] + 1 + rng.integers(2, size=wrong)) % 3
    values[3] = values[2]
    return pool_of(values), truth.astype(float)


def expecting(wrong: FloatArray, mean: PoolMean, labels: Labels) -> PoolMean:
    """Expects these losses, (models, samples), whatever the labels say."""
    draws = mean.strata[0].draws
    is_open = (
        np.ones((len(draws.rows), labels.pool))
        if draws.members is None
        else np.tile(draws.members, (len(draws.rows), 1))
    )
    for row, seen in zip(is_open, draws.seen, strict=True):
        row[labels.sample[:seen]] = 0
    expected = ExpectedLosses(wrong @ is_open.T, wrong[:, labels.sample[draws.rows]])
    return replace(mean, strata=[replace(mean.strata[0], expected=expected), *mean.strata[1:]])


def gaps(pool: Predictions, seed: int) -> Predictions:
    missing = np.random.default_rng(seed).random(pool.values.shape) < 0.05
    return pool_of(np.where(missing, -1, pool.values))


def errors(pool: Predictions, truth: FloatArray) -> FloatArray:
    judged = (pool.values >= 0) & ~np.isnan(truth)
    return np.asarray(((pool.values != truth) & judged).sum(axis=1) / judged.sum(axis=1))


@repeated(60, 1000)
@pytest.mark.parametrize("consensus", ["none", "lies"])
@pytest.mark.parametrize(
    ("selector", "batch", "more"),
    [
        (Random(), 1, ()),
        (VMA(), 1, ()),
        (StratifiedDraws(), 7, ()),
        (StratifiedDraws(), 1, ("gaps",)),
        (Random(), 1, ("skips",)),
        (VMA(), 1, ("gaps", "skips")),
    ],
)
def test_the_best_model_is_seldom_excluded_however_often_one_looks(
    selector: Selector, batch: int, more: tuple[str, ...], consensus: str, repeats: int
) -> None:
    """One of two tied models must stay in; that of the first is the promise. The wealth is the largest of all looks."""
    broken, shrunk = 0, 0.0
    for seed in range(repeats):
        pool, truth = tied_pool(seed)
        truth = np.where(np.arange(SAMPLES) % 9 == 4, np.nan, truth) if "skips" in more else truth
        pool = gaps(pool, seed) if "gaps" in more else pool
        labels, error = bought(selector, pool, truth, 100, seed, batch), errors(pool, truth)
        mean = pool_mean(pool, labels, ZeroOne())
        if consensus == "lies":
            mean = expecting(1.0 * (pool.values == truth) * (pool.values >= 0), mean, labels)
        inside = confidence_set(log_wealth_of_best(mean), 0.95)
        broken += not inside[np.argmin(error)]
        shrunk += (~inside).sum() / repeats
    assert broken <= binom.isf(0.001, repeats, 0.05)  # a promise that is kept is below in 999 of 1000 such tests
    assert shrunk > (0.2 if consensus == "lies" else 0.5)  # models are excluded on average


@pytest.mark.slow
@repeated(12, 300)
def test_chosen_labels_and_a_real_consensus_do_no_harm(repeats: int) -> None:
    broken = 0
    for seed in range(repeats):
        pool, truth = tied_pool(seed)
        labels = bought(Pooled(), pool, truth, 70, seed)
        assert np.isnan(labels.weight).any()
        wealth = log_wealth_of_best(with_expected_losses(pool_mean(pool, labels, ZeroOne()), labels, ZeroOne()))
        broken += not confidence_set(wealth, 0.95)[0]
    assert broken <= binom.isf(0.001, repeats, 0.05)


def test_wealth_of_two_draws_by_hand() -> None:
    """Ten samples, one model always right and one always wrong. Nothing is bet on the first draw. Before the second,
    one loss is known and 9 * 1 / (1 + 5) are expected, so (1 + 1.5) / 9 is hoped for; the second moment is
    (1 + 2 * 0.3) / (1 + 2), and the draw gains 1 / 9 + 1.
    """
    pool = pool_of([[0] * 10, [1] * 10])
    mean = pool_mean(pool, uniform_log(np.zeros(10), np.array([3, 7])), ZeroOne())
    kelly = (2.5 / 9) / (1.6 / 3)
    wealth = np.mean([1 + stake * (1 + 1 / 9) for stake in (multiple * kelly for multiple in KELLY)])
    assert np.exp(log_wealth_paths(mean)) == pytest.approx(np.array([[1, 1], [1, wealth]]))


def test_no_stake_can_lose_everything() -> None:
    pool, truth = tied_pool(0)
    labels = bought(VMA(), pool, truth, 60, 0)
    paths = log_wealth_paths(expecting(1.0 * (pool.values == truth), pool_mean(pool, labels, ZeroOne()), labels))
    assert np.isfinite(paths).all()
    assert np.diff(paths, axis=1).min() >= log(1 - LARGEST_STAKE) - 1e-9


def test_where_the_largest_weight_is_not_known_nothing_is_bet() -> None:
    pool, truth = tied_pool(0)
    labels = bought(VMA(), pool, truth, 60, 0)
    unknown = replace(labels, max_weight=np.full(60, np.nan))
    assert (log_wealth_paths(pool_mean(pool, unknown, ZeroOne())) == 0).all()


@pytest.mark.parametrize("selector", [Random(), StratifiedDraws()])
def test_a_clear_winner_rules_out_more_models_than_tests_of_all_pairs(selector: Selector) -> None:
    pool, truth = example_pool(models=12, samples=300, seed=2)
    every, ours, pairs = np.arange(12), 0, 0
    for seed in range(4):
        labels = bought(selector, pool, truth, 60, seed)
        mean = with_expected_losses(pool_mean(pool, labels, ZeroOne()), labels, ZeroOne())
        inside = confidence_set(log_wealth_of_best(mean), 0.95)
        assert inside[np.argmax((pool.values == truth).mean(axis=1))]
        ours += int((~inside).sum())
        pairs += int(AnytimeIntervals(mean, 0.95, mean.pairs).worse(every, every).any(axis=1).sum())
    assert ours > 1.3 * pairs
    assert pairs > 0


def test_a_copy_shares_the_wealth_of_its_model() -> None:
    pool, truth = example_pool(models=4, samples=200, seed=1)
    twins = pool_of(pool.values[[0, 1, 2, 3, 3]])
    for selector in (Random(), StratifiedDraws(), VMA()):
        for seed in range(3):
            labels = bought(selector, twins, truth, 120, seed)
            wealth = log_wealth_of_best(with_expected_losses(pool_mean(twins, labels, ZeroOne()), labels, ZeroOne()))
            assert confidence_set(wealth, 0.95)[3:].all()
            assert wealth[3] == pytest.approx(wealth[4])


@pytest.mark.parametrize("selector", [Random(), StratifiedDraws(), Pooled()])
def test_all_disputed_labels_leave_the_best_models_only(selector: Selector) -> None:
    pool, truth = tied_pool(1)
    labels = bought(selector, pool, truth, SAMPLES, 0)
    last = int(np.flatnonzero(np.ptp(pool.values[:, labels.sample], axis=0) > 0)[-1]) + 1  # the rest are agreed on
    ranking = weighted_ranking(pool, labels.head(last), ZeroOne(), 0.95, anytime=True)
    assert ranking.guaranteed is not None
    assert ranking.guaranteed.may_be_best.tolist() == [True, True, False, False, False, False]
    assert ranking.guaranteed.loss == pytest.approx(0.0, abs=1e-9)


def test_a_model_without_predictions_is_no_rival_and_not_the_best() -> None:
    pool, truth = tied_pool(0)
    silent = pool_of(np.vstack([np.full(SAMPLES, -1), pool.values[:1], np.full(SAMPLES, -1)]))
    for rows in (40, SAMPLES):
        labels = bought(Random(), silent, truth, rows, 0)
        wealth = log_wealth_of_best(with_expected_losses(pool_mean(silent, labels, ZeroOne()), labels, ZeroOne()))
        assert confidence_set(wealth, 0.95).tolist() == [False, True, False]
        assert wealth[1] == 0


def test_losses_between_zero_and_one_are_bet_on_too() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(200)
    values = truth + rng.normal(scale=np.array([0.05, 0.4, 0.5])[:, None], size=(3, 200))
    pool = Predictions(np.clip(values, 0, 1), ("a", "b", "c"), range(200), None)
    loss = Squared(0, 1)
    labels = bought(Random(), pool, truth, 100, 0)
    wealth = log_wealth_of_best(with_expected_losses(pool_mean(pool, labels, loss), labels, loss))
    assert confidence_set(wealth, 0.95).tolist() == [True, False, False]


@repeated(12, 300)
@pytest.mark.parametrize("selector", [Random(), StratifiedDraws()])
def test_the_first_model_is_seldom_worse_than_guaranteed_at_any_look(selector: Selector, repeats: int) -> None:
    broken, bounds = 0, []
    for seed in range(repeats):
        pool, truth = tied_pool(seed)
        labels, error, held = bought(selector, pool, truth, 100, seed), errors(pool, truth), True
        for rows in (6, 12, 25, 50, 100):
            ranking = weighted_ranking(pool, labels.head(rows), ZeroOne(), 0.95, anytime=True)
            assert ranking.guaranteed is not None
            bounds.append(ranking.guaranteed.loss)
            held &= bool(error[ranking.order[0]] - error.min() <= ranking.guaranteed.loss + 1e-9)
        broken += not held
    assert broken <= binom.isf(0.001, repeats, 0.05)
    assert np.mean(bounds[4::5]) < 0.5 * np.mean(bounds[::5])
