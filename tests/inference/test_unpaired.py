"""Pairs of models with missing predictions, and samples that nobody can label: what is left of the paired test."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.strata import disputed
from adjudge.inference.anytime import AnytimeIntervals
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.prediction_overlap import pairs_of
from adjudge.inference.unpaired import Unpaired
from adjudge.inference.weighted import FixedBudgetIntervals, pool_mean
from adjudge.losses.loss import ZeroOne
from adjudge.simulation.contract import StratifiedDraws, example_pool
from adjudge.simulation.loop import bought
from tests.support.repeated import repeated

EVERY = np.arange(4)


def a_pool(seed: int, gaps: float = 0.0, skips: float = 0.0) -> tuple[Predictions, FloatArray]:
    """Four models that agree on half of the samples, with missing predictions and samples that nobody can label."""
    rng = np.random.default_rng(seed)
    pool, truth = example_pool(models=4, samples=200, seed=seed)
    values = np.where(np.arange(200) % 2 == 0, (truth + (rng.random(200) < 0.1)) % 3, pool.values)
    values = np.where(rng.random(values.shape) < gaps, MISSING, values)
    return replace(pool, values=values, probabilities=None), np.where(rng.random(200) < skips, np.nan, truth)


def losses_of(pool: Predictions, truth: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(models,): sums of losses over the samples that can be labeled, and the numbers of these."""
    judged = (pool.values != MISSING) & ~np.isnan(truth)
    return ((pool.values != truth) & judged).sum(axis=1).astype(float), judged.sum(axis=1).astype(float)


def differences(pool: Predictions, truth: FloatArray, labels: Labels, *, ties: bool) -> FloatArray:
    """(models, models): of mean losses; with ties, open samples that nobody can label count too."""
    total, count = losses_of(pool, truth)
    if not ties:
        return np.asarray((total / count)[:, None] - (total / count)[None, :])
    every = ((pool.values != MISSING) & ~np.isin(np.arange(200), labels.sample[~labels.usable])).sum(axis=1)
    more = np.where(pool.n_predicted[:, None] > pool.n_predicted[None, :], EVERY[:, None], EVERY[None, :])
    return np.asarray(((total / count)[:, None] - (total / count)[None, :]) * (count / every)[more])


def known_after(pool: Predictions, truth: FloatArray, rows: int, seed: int = 0) -> PoolMean:
    labels = bought(StratifiedDraws(unanimous=0.3, floor=0.4), pool, truth, rows, seed)
    return pool_mean(pool, labels, ZeroOne())


@pytest.mark.parametrize(("gaps", "skips"), [(0.0, 0.2), (0.05, 0.0), (0.4, 0.3)])
def test_a_difference_is_a_paired_sum_and_a_bounded_rest(gaps: float, skips: float) -> None:
    one, other = pairs_of(EVERY, EVERY)
    for seed in range(20):
        pool, truth = a_pool(seed, gaps, skips)
        total, count = losses_of(pool, truth)
        found = Unpaired.certain(known_after(pool, truth, 60, seed))
        more = np.where(pool.n_predicted[one] > pool.n_predicted[other], one, other)
        rest = (total / count)[one] - (total / count)[other]
        rest = rest * count[more] - (total[one] - total[other])
        low, high = found.sums(one, other)
        assert (low - 1e-9 <= rest).all()
        assert (rest <= high + 1e-9).all()
        assert (found.fewest <= count).all()


def test_ties_shrink_a_difference_of_mean_losses() -> None:
    mean = known_after(*a_pool(0, gaps=0.1, skips=0.05), 60)
    one, other, nothing_known = np.array([0]), np.array([1]), np.array([-200.0])
    sure = Unpaired.certain(mean)
    above = replace(sure, mean_loss=(np.full(4, 0.5), np.full(4, 0.1)))  # the first model's mean is at least .4 above
    more = np.where(mean.predictions.n_predicted[0] > mean.predictions.n_predicted[1], 0, 1)
    judged = mean.known.observed.sum(axis=1)[more]
    assert sure.ties
    assert judged < 60
    share = judged / (judged + mean.open_samples[more])
    assert above.difference(nothing_known, one, other, 1) == pytest.approx(0.4 * share)
    below = replace(sure, mean_loss=(np.full(4, 0.1), np.full(4, 0.5)))  # it may be .4 below
    assert below.difference(nothing_known, one, other, 1) == pytest.approx(-0.4)


def test_many_skips_are_no_ties() -> None:
    few, many = (known_after(*a_pool(0, skips=share), 60) for share in (0.05, 0.3))
    one, other = np.array([0]), np.array([1])
    for mean, divisor in ((few, None), (many, 80.0)):
        found = replace(Unpaired.certain(mean), fewest=np.full(4, 80.0))
        most = (mean.known.observed.sum(axis=1) + mean.open_samples)[0]
        assert found.ties == (divisor is None)
        assert found.difference(np.array([40.0]), one, other, 1) == pytest.approx(40 / most)
        assert found.difference(np.array([-40.0]), one, other, 1) == pytest.approx(-40 / (divisor or most))


@repeated(10, 50)
@pytest.mark.parametrize(("gaps", "skips"), [(0.1, 0.0), (0.0, 0.05), (0.1, 0.1), (0.0, 0.25), (0.1, 0.25)])
def test_intervals_at_all_times_hold_with_gaps_and_skips(gaps: float, skips: float, repeats: int) -> None:
    """Where all models are equally good, so that any that is called worse breaks the promise."""
    broken = 0
    for seed in range(repeats):
        pool, truth = a_pool(seed, gaps, skips)
        rng, values = np.random.default_rng(seed), np.array(pool.values)
        wrong = rng.permuted(np.tile(np.arange(200) < 60, (4, 1)), axis=1) & (np.arange(200) % 2 == 1)
        values = np.where((values == MISSING) | ~wrong, values, (np.nan_to_num(truth).astype(int) + 1) % 3)
        pool = replace(pool, values=values)
        labels = bought(StratifiedDraws(unanimous=0.3, floor=0.4), pool, truth, 150, seed)
        held = True
        for rows in range(20, 151, 26):
            times = AnytimeIntervals(pool_mean(pool, labels.head(rows), ZeroOne()), 0.95, 6)
            _, low, high = times.between(EVERY, EVERY)
            apart = differences(pool, truth, labels.head(rows), ties=times.ties)
            held &= bool(((low <= apart + 1e-6) & (apart <= high + 1e-6)).all())
            assert not (times.worse(EVERY, EVERY) & (low < -1e-6)).any()
        broken += not held
    assert broken <= binom.isf(0.01, repeats, 0.05)


@repeated(10, 50)
def test_differences_hold_where_skips_hide_among_samples_on_which_models_agree(repeats: int) -> None:
    """Few of the labeled rows are skipped, since labels go where models differ, but a large part of the pool is."""
    broken, shares = 0, []
    for seed in range(repeats):
        pool, truth = a_pool(seed)
        hidden = ~disputed(pool) & (np.random.default_rng(seed).random(200) < 0.6)
        truth = np.where(hidden, np.nan, truth)
        labels = bought(StratifiedDraws(unanimous=0.12, floor=0.4), pool, truth, 100, seed)
        total, count = losses_of(pool, truth)
        error, held = total / count, True
        for rows in (60, 80, 100):
            times = AnytimeIntervals(pool_mean(pool, labels.head(rows), ZeroOne()), 0.95, 6)
            shares.append(labels.head(rows).skipped / rows)
            if not times.ties:
                _, low, high = times.between(EVERY, EVERY)
                apart = error[:, None] - error[None, :]
                held &= bool(((low <= apart + 1e-6) & (apart <= high + 1e-6)).all())
        assert not times.ties
        broken += not held
    assert np.mean(shares) < 0.1
    assert broken <= binom.isf(0.01, repeats, 0.05)


@pytest.mark.parametrize("kind", [AnytimeIntervals, FixedBudgetIntervals])
@pytest.mark.parametrize("unanimous", [False, True])
def test_a_missing_prediction_costs_its_sample_and_no_other_pair(
    kind: type[AnytimeIntervals] | type[FixedBudgetIntervals], unanimous: bool
) -> None:
    pool, truth = a_pool(1)
    labels = bought(StratifiedDraws(unanimous=0.3, floor=0.4), pool, truth, 100, 0)
    others = disputed(replace(pool, values=pool.values[1:], models=pool.models[1:]))
    values = np.array(pool.values)
    values[0, np.setdiff1d(np.flatnonzero(~disputed(pool) if unanimous else others), labels.sample)[0]] = MISSING
    means = (pool_mean(each, labels, ZeroOne()) for each in (pool, replace(pool, values=values)))
    before, after = (np.array(kind(each, 0.95, 6).between(EVERY, EVERY)) for each in means)
    assert (before[:, 1:, 1:] == after[:, 1:, 1:]).all()
    assert np.abs(before - after).max() < 3 / 200


@pytest.mark.parametrize("gaps", [0.0, 0.02])
@pytest.mark.parametrize("rows", [20, 100])
def test_a_skip_costs_no_more_than_a_label(rows: int, gaps: float) -> None:
    pool, truth = a_pool(3, gaps)
    labels = bought(StratifiedDraws(unanimous=0.3, floor=0.4), pool, truth, rows, 0)
    skipped = replace(labels, value=np.where(np.arange(rows) == rows // 2, np.nan, labels.value))
    between, errors = [], []
    for log in (labels, skipped):
        times = AnytimeIntervals(pool_mean(pool, log, ZeroOne()), 0.95, 6)
        between.append(times.between(EVERY, EVERY))
        errors.append(times.errors())
    for (_, low, high), (_, low_after, high_after) in (between, errors):
        assert (high_after - low_after).mean() < 1.1 * (high - low).mean()


@repeated(20, 200)
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_mean_losses_at_all_times_hold_with_skips(gaps: float, repeats: int) -> None:
    broken = 0
    for seed in range(repeats):
        pool, truth = a_pool(seed, gaps, skips=0.3)
        total, count = losses_of(pool, truth)
        labels = bought(StratifiedDraws(unanimous=0.3, floor=0.4), pool, truth, 150, seed)
        for rows in range(20, 151, 26):
            _, low, high = AnytimeIntervals(pool_mean(pool, labels.head(rows), ZeroOne()), 0.95, 6).errors(4)
            if ((total / count < low - 1e-9) | (total / count > high + 1e-9)).any():
                broken += 1
                break
    assert broken <= binom.isf(0.01, repeats, 0.05)


def test_after_the_last_sample_the_mean_loss_is_known() -> None:
    pool, truth = a_pool(1, skips=0.3)
    total, count = losses_of(pool, truth)
    error, low, high = AnytimeIntervals(known_after(pool, truth, 200), 0.95, 6).errors()
    assert error == pytest.approx(total / count)
    assert low == pytest.approx(total / count)
    assert high == pytest.approx(total / count)


def test_equal_models_have_no_difference_whatever_is_missing() -> None:
    pool, truth = a_pool(5, gaps=0.3, skips=0.2)
    values = pool.values[[0, 0, 1]]
    mean = known_after(Predictions(values, tuple("abc"), range(200), pool.classes), truth, 50)
    for found in AnytimeIntervals(mean, 0.95, 3).between(EVERY[:2], EVERY[:2]):
        assert (found == 0).all()
