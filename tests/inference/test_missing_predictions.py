"""What missing predictions leave open: every way in which they may be filled in."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

import adjudge
from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.ranking import Ranking
from adjudge.core.sampling import Selector
from adjudge.inference.weighted import weighted_ranking
from adjudge.losses.loss import ZeroOne
from adjudge.losses.numbers import Squared
from adjudge.methods.baselines.random import Random
from adjudge.simulation.contract import StratifiedDraws, example_pool
from adjudge.simulation.loop import bought
from tests.support.pools import pool_of
from tests.support.repeated import repeated


def completions(values: IntArray) -> Iterator[IntArray]:
    """All predictions that a pool with two classes may have had."""
    models, samples = np.nonzero(values == MISSING)
    for filled in product((0, 1), repeat=len(models)):
        found = values.copy()
        found[models, samples] = filled
        yield found


def exact(values: IntArray, truth: FloatArray) -> Ranking:
    return weighted_ranking(pool_of(values), Labels.complete(truth), ZeroOne(), 0.95)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_exact_holds_for_every_way_to_fill_in_what_is_missing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, truth = rng.integers(2, size=(3, 6)), rng.integers(2, size=6).astype(float)
    values[1, : seed % 4], values[2, 4 : 4 + seed % 3] = MISSING, MISSING
    ranking, best, regret, ahead = exact(values, truth), np.zeros(3, dtype=bool), [], []
    first = int(ranking.order[0])
    for every in completions(values):
        error = (every != truth).mean(axis=1)
        best |= error <= error.min() + 1e-12
        regret.append(error[first] - error.min())
        ahead.append(error - error[first])
    assert ranking.guaranteed is not None
    assert ranking.guaranteed.may_be_best.tolist() == best.tolist()
    assert ranking.guaranteed.loss == pytest.approx(max(regret))
    assert ranking.guaranteed.lead == pytest.approx(np.min(ahead, axis=0))
    assert ranking.difference_to_leader is not None
    assert ranking.difference_to_leader.high == pytest.approx(np.max(ahead, axis=0))
    assert ranking.worse is not None
    assert ranking.worse[:, first].tolist() == (np.min(ahead, axis=0) > 1e-12).tolist()


def test_a_run_that_was_cut_off_is_not_the_best_for_its_few_answers() -> None:
    values = np.zeros((3, 200), dtype=np.int64)
    values[0, 20:], values[1, :13], values[2, :60] = MISSING, 1, 1
    ranking = exact(values, np.zeros(200))
    assert ranking.estimate.value.tolist() == pytest.approx([1.0, 0.935, 0.7])  # of those that each predicts
    assert ranking.guaranteed is not None
    assert ranking.guaranteed.may_be_best.tolist() == [True, True, False]
    assert ranking.guaranteed.loss == pytest.approx(180 / 200 - 13 / 200)
    assert ranking.rank_high is not None
    assert ranking.rank_high.tolist() == [3, 2, 3]


def test_what_little_is_missing_need_not_matter() -> None:
    values = np.zeros((2, 200), dtype=np.int64)
    values[0, 196:], values[1, :20] = MISSING, 1
    ranking = exact(values, np.zeros(200))
    assert ranking.guaranteed is not None
    assert ranking.guaranteed.may_be_best.tolist() == [True, False]
    assert ranking.guaranteed.loss == 0


def test_a_missing_number_without_a_range_leaves_everything_open() -> None:
    values = np.array([[1.0, 2.0, np.nan], [1.5, 2.5, 3.5]])
    pool = Predictions(values, ("a", "b"), range(3), None)
    labels = Labels.complete(np.array([1.0, 2.0, 3.0]))
    assert adjudge.rank(pool, labels).guaranteed is None
    known = weighted_ranking(pool, labels, Squared(0, 10), 0.95).guaranteed
    assert known is not None
    assert known.may_be_best.all()


def worst(pool: Predictions, truth: Array, first: int) -> FloatArray:
    """The errors where the first model is wrong wherever it lacks a prediction, and the others are right."""
    wrong, missing = (pool.values != truth) & (pool.values != MISSING), pool.values == MISSING
    judged = ~np.isnan(truth)
    return np.asarray((wrong | (missing & (np.arange(len(wrong)) == first)[:, None]))[:, judged].mean(axis=1))


@repeated(60, 1000)
@pytest.mark.parametrize(("selector", "skips"), [(Random(), 0), (StratifiedDraws(), 0), (StratifiedDraws(), 0.05)])
def test_what_draws_guarantee_holds_whatever_the_missing_predictions_are(
    selector: Selector, skips: float, repeats: int
) -> None:
    broken, told = 0, []
    for seed in range(repeats):
        pool, truth = example_pool(models=4, samples=120, seed=seed)
        values, rng = pool.values.copy(), np.random.default_rng(seed)
        values[0, rng.random(120) < 0.1], values[1, 12:] = MISSING, MISSING
        pool, held = replace(pool, values=values, probabilities=None), True
        truth = np.where(rng.random(120) < skips, np.nan, truth)
        labels = bought(selector, pool, truth, 60, seed)
        for rows in (15, 30, 60):
            log = labels.head(rows)
            ranking = weighted_ranking(pool, log, ZeroOne(), 0.95, anytime=True)
            assert ranking.guaranteed is not None
            error = worst(pool, truth, int(ranking.order[0]))
            ties = ranking.guaranteed.ties
            share = np.count_nonzero(~np.isnan(truth)) / (120 - log.skipped) if ties else 1.0
            held &= bool(share * (error[ranking.order[0]] - error.min()) <= ranking.guaranteed.loss + 1e-9)
            held &= bool(ranking.guaranteed.may_be_best[error <= error.min() + 1e-9].all())
            told.append(ranking.guaranteed.loss)
        broken += not held
    assert broken <= binom.isf(0.001, repeats, 0.05)
    assert min(told) < 0.9


@pytest.mark.parametrize("anytime", [True, False])
def test_a_skip_changes_little_of_what_missing_predictions_leave_open(anytime: bool) -> None:
    pool, truth = example_pool(models=4, samples=400, seed=3)
    values = pool.values.copy()
    values[0, np.random.default_rng(0).random(400) < 0.05] = MISSING
    pool = replace(pool, values=values, probabilities=None)
    labels = bought(StratifiedDraws(), pool, truth, 40, 0)
    skipped = replace(labels, value=np.where(np.arange(40) == 20, np.nan, labels.value))
    before, after = (weighted_ranking(pool, log, ZeroOne(), 0.95, anytime=anytime) for log in (labels, skipped))
    assert before.guaranteed is not None
    assert after.guaranteed is not None
    assert after.guaranteed.loss == pytest.approx(before.guaranteed.loss, abs=0.1)
    assert before.difference_to_leader is not None
    assert after.difference_to_leader is not None
    assert after.difference_to_leader.low == pytest.approx(before.difference_to_leader.low, abs=0.1)
    assert after.difference_to_leader.high == pytest.approx(before.difference_to_leader.high, abs=0.1)


def test_a_skip_leaves_the_missing_predictions_open() -> None:
    pool, truth = example_pool(models=3, samples=60, seed=1)
    values = pool.values.copy()
    values[0, 6:] = MISSING
    pool = replace(pool, values=values, probabilities=None)
    labels = bought(Random(), pool, np.where(np.arange(60) % 10 == 9, np.nan, truth), 60, 0)
    ranking = adjudge.rank(pool, labels)
    assert ranking.guaranteed is not None
    assert ranking.guaranteed.may_be_best[0]


def test_a_bad_model_that_lacks_nothing_is_not_what_all_are_compared_with() -> None:
    rng, samples = np.random.default_rng(0), 80
    truth = np.sort(rng.integers(3, size=samples))
    right = rng.random((4, samples)) < np.array([0.97, 0.75, 0.75, 0.75])[:, None]
    values = np.where(right, truth, (truth + 1) % 3)
    values[0, samples // 2 :] = MISSING
    for model in (1, 2, 3):
        values[model, 70 + model] = MISSING
    orders = []
    for more in (0, 1):  # a model that always says the same
        every = np.vstack([values, np.zeros((more, samples), dtype=int)])
        pool = Predictions(every, tuple("abcde"[: len(every)]), range(samples), ("x", "y", "z"))
        ranking = adjudge.rank(pool, Labels.complete(truth.astype(float)))
        orders.append([ranking.models[place] for place in ranking.order if ranking.models[place] != "e"])
    assert orders[0] == orders[1]
    assert orders[0][0] == "a"
