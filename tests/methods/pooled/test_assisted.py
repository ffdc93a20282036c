import warnings
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest

from adjudge.core.cache import cache
from adjudge.core.labels import SKIP, Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Selector
from adjudge.core.strata import disputed
from adjudge.inference.weighted import pool_mean
from adjudge.losses.loss import Cost, Loss, ZeroOne, reported
from adjudge.losses.numbers import Squared
from adjudge.methods.baselines.drawn import Drawn
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.assisted import Assisted
from adjudge.methods.pooled.control_variate import with_control_variate
from adjudge.simulation.contract import StratifiedDraws, example_pool
from adjudge.simulation.loop import bought
from tests.support.repeated import repeated


@pytest.mark.slow
@pytest.mark.parametrize("selector", [Random(), StratifiedDraws(), StratifiedDraws(floor=1.0)])
@repeated(30, 150)
def test_unbiased_more_precise_and_covered(selector: Selector, repeats: int) -> None:
    pool, truth = example_pool(models=6, samples=300, classes=4, seed=2)
    actual = (pool.values == truth).mean(axis=1)
    found, plain, held = [], [], []
    for seed in range(repeats):
        labels = bought(selector, pool, truth, 60, seed)
        estimate = Assisted().rank(pool, labels).estimate
        mean = with_control_variate(pool_mean(pool, labels, ZeroOne()), labels, ZeroOne())
        found.append(1 - mean.mean_loss)
        plain.append(Drawn().rank(pool, labels).estimate.value)
        held.append(((estimate.low <= actual) & (actual <= estimate.high)).mean())
    error = np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    assert np.abs((np.mean(found, axis=0) - actual) / error).max() < 4.5
    assert np.var(found, axis=0).mean() < np.var(plain, axis=0).mean()
    assert 0.95 - 0.02 - 3 * np.std(held) / np.sqrt(len(held)) < np.mean(held)


@pytest.mark.slow
@repeated(40, 200)
def test_a_consensus_that_is_wrong_costs_next_to_nothing(repeats: int) -> None:
    rng = np.random.default_rng(1)
    truth = np.zeros(400, dtype=np.int64)
    shared = rng.random(400) < 0.6  # most models make the same mistakes
    values = np.where(rng.random((8, 400)) < 0.1, rng.integers(2, size=(8, 400)), shared)
    values[0] = 0
    pool = Predictions(values, tuple("abcdefgh"), range(400), ("right", "wrong"))
    actual = (values == 0).mean(axis=1)
    errors: dict[str, list[float]] = {"assisted": [], "drawn": []}
    held = []
    for seed in range(repeats):
        labels = bought(Random(), pool, truth, 60, seed)
        assisted = Assisted().rank(pool, labels).estimate
        errors["assisted"].append(((assisted.value - actual) ** 2).mean())
        errors["drawn"].append(((Drawn().rank(pool, labels).estimate.value - actual) ** 2).mean())
        held.append(((assisted.low <= actual) & (actual <= assisted.high)).mean())
    assert np.mean(errors["assisted"]) < 1.1 * np.mean(errors["drawn"])
    assert np.mean(held) > 0.92


@pytest.mark.parametrize("loss", [ZeroOne(), Cost(np.array([[0.0, 1, 4], [2, 0, 1], [1, 1, 0]]))])
def test_all_labels_are_exact_and_one_less_is_not(loss: Loss) -> None:
    pool, truth = example_pool(samples=40)
    exact = reported(loss, loss(pool.values, truth).mean(axis=1))
    for selector in (Random(), StratifiedDraws()):
        estimate = Assisted(loss).rank(pool, bought(selector, pool, truth, 40, 0)).estimate
        assert estimate.low == pytest.approx(exact)
        assert estimate.high == pytest.approx(exact)
        short = Assisted(loss).rank(pool, bought(selector, pool, truth, 39, 0)).estimate
        assert (short.low < short.high).all()


def test_once_all_disputes_are_settled_differences_are_exact() -> None:
    pool, truth = example_pool(models=3, samples=80)
    labels = bought(StratifiedDraws(unanimous=0.0), pool, truth, int(disputed(pool).sum()), 0)
    actual = (pool.values == truth).mean(axis=1)
    ranking = Assisted().rank(pool, labels)
    assert ranking.difference_to_leader is not None
    for name in ("value", "low", "high"):
        assert getattr(ranking.difference_to_leader, name) == pytest.approx(actual.max() - actual)
    assert (ranking.estimate.high - ranking.estimate.low > 0.1).all()


def test_skips_gaps_and_known_labels_are_taken() -> None:
    pool, truth = example_pool(samples=60)
    values = np.array(pool.values)
    values[0, ::4] = -1
    gaps = replace(pool, values=values, probabilities=None)
    labels = Labels.known(60, [0, 1], truth[:2]).add(Pick(2, 1.0, 2), SKIP)
    for sample in range(3, 40):
        labels = labels.add(Pick(sample, 1.0, sample), int(truth[sample]))
    estimate = Assisted().rank(gaps, labels).estimate
    rest = np.arange(3, 40)
    for model in range(5):
        said = values[model, rest] >= 0
        assert estimate.value[model] == pytest.approx((values[model, rest] == truth[rest])[said].mean(), abs=0.12)
    assert ((estimate.low < estimate.value) & (estimate.value < estimate.high)).all()


def test_a_model_that_was_not_judged_yet_is_unknown_without_a_warning() -> None:
    said = [[2, -1, -1, 1, 1, 1, 2, 0, -1], [-1, 0, 2, 1, 0, -1, -1, 1, 1], [2, 2, -1, -1, 1, 1, 2, 2, 0]]
    pool = Predictions(np.array(said), ("a", "b", "c"), range(9), ("x", "y", "z"))
    labels = Labels.empty(9).add(Pick(8, weight=1.0), 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value = Assisted().rank(pool, labels).estimate.value
    assert np.isnan(value).tolist() == [True, False, False]


@pytest.mark.slow
def test_numbers_have_the_median_prediction_as_a_control_variate() -> None:
    rng = np.random.default_rng(0)
    truth = rng.uniform(-1, 1, 400)
    values = np.clip(truth + rng.normal(0, np.linspace(0.05, 0.4, 6)[:, None], (6, 400)), -1, 1)
    pool = Predictions(values, tuple("abcdef"), range(400), None)
    actual = ((values - truth) ** 2).mean(axis=1)
    logs = [bought(Random(), pool, truth, 60, seed) for seed in range(150)]
    found = [Assisted(Squared(-1, 1)).rank(pool, log).estimate for log in logs]
    plain = [Drawn(Squared(-1, 1)).rank(pool, log).estimate for log in logs]
    assert np.mean([((each.low <= actual) & (actual <= each.high)).mean() for each in found]) > 0.915
    squares = [np.mean([((each.value - actual) ** 2).sum() for each in kind]) for kind in (found, plain)]
    assert squares[0] < 0.85 * squares[1]


@pytest.mark.parametrize("classes", [3, 10])  # fewer than models, and more
def test_what_is_cached_changes_nothing_and_does_not_pile_up(classes: int) -> None:
    pool, truth = example_pool(models=6, samples=300, classes=classes, seed=2)
    values = np.where(np.random.default_rng(0).random(pool.values.shape) < 0.1, -1, pool.values)
    pool = replace(pool, values=values)
    logs = [bought(StratifiedDraws(), pool, truth, 60, seed) for seed in range(4)]
    cache.clear()
    found = [Assisted().rank(pool, log).estimate.value for log in logs]
    full = cache.size
    for log, value in zip(logs, found, strict=True):
        np.testing.assert_array_equal(Assisted().rank(pool, log).estimate.value, value)
    assert cache.size == full  # other logs of the same lengths take the place of the last ones
    cache.clear()
    np.testing.assert_array_equal(Assisted().rank(pool, logs[0]).estimate.value, found[0])


def test_the_median_of_numbers_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    truth = rng.uniform(-1, 1, 100)
    values = np.clip(truth + rng.normal(0, 0.2, (4, 100)), -1, 1)
    values[:, 3] = np.nan  # no model has a prediction: no median, and no warning
    pool = Predictions(values, tuple("abcd"), range(100), None)
    median = Mock(side_effect=np.nanmedian)
    monkeypatch.setattr(np, "nanmedian", median)
    labels = bought(Random(), pool, truth, 50, 0)
    for rows in (30, 40, 50):
        Assisted(Squared(-1, 1)).rank(pool, labels.head(rows))
    assert median.call_count == 1


@pytest.mark.slow
def test_rank_intervals_hold_all_at_once_and_name_who_may_be_best() -> None:
    pool, truth = example_pool(models=6, samples=300, seed=3)
    actual = (pool.values == truth).mean(axis=1)
    better = 1 + (actual[None, :] > actual[:, None]).sum(axis=1)
    held, inside = [], []
    for seed in range(60):
        ranking = Assisted().rank(pool, bought(StratifiedDraws(), pool, truth, 80, seed))
        assert ranking.rank_low is not None
        assert ranking.rank_high is not None
        assert ranking.may_be_best is not None
        held.append(((ranking.rank_low <= better) & (better <= ranking.rank_high)).all())
        assert ((ranking.rank_low <= ranking.rank) & (ranking.rank <= ranking.rank_high)).all()
        inside.append(ranking.may_be_best[actual.argmax()])
    assert np.mean(held) > 0.93
    assert np.mean(inside) > 0.93
