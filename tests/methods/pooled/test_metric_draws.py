"""`select --metric`: labels go where the metric is decided, and estimates get better."""

import numpy as np
import pytest

import adjudge
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.decisions.rank import MetricRanker
from adjudge.errors import MethodError
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.loop import bought
from tests.support.repeated import repeated

SAMPLES, MODELS = 800, 6


@pytest.fixture(scope="module")
def rare() -> tuple[Predictions, FloatArray]:
    """Six models, and a class of 6%."""
    rng = np.random.default_rng(0)
    truth = rng.choice(3, SAMPLES, p=[0.64, 0.3, 0.06])
    away = rng.normal(size=(SAMPLES, 3)) * 0.7 + rng.normal(size=(MODELS, SAMPLES, 3)) * 0.8
    sure = np.exp(np.eye(3)[truth] * 2 / np.linspace(0.8, 2, MODELS)[:, None, None] + away)
    chances = sure / sure.sum(axis=2, keepdims=True)
    names = tuple(f"m{place}" for place in range(MODELS))
    return Predictions(chances.argmax(axis=2), names, range(SAMPLES), ("x", "y", "z"), chances), truth.astype(float)


@pytest.mark.parametrize("metric", ["recall", "f1", "average-precision"])
@repeated(12, 60)
def test_a_rare_class_is_measured_better(rare: tuple[Predictions, FloatArray], metric: str, repeats: int) -> None:
    pool, truth = rare
    ranker = MetricRanker(metric, "z")
    actual = ranker.rank(pool, Labels.complete(truth)).estimate.value
    errors, found = {}, 0
    for name, selector, rows in (("random", Random(), 100), ("aimed", Pooled(metric=metric, positive="z"), 100)):
        logs = [bought(selector, pool, truth, rows, seed) for seed in range(repeats)]
        errors[name] = np.nanmean([(ranker.rank(pool, log).estimate.value - actual) ** 2 for log in logs])
        found = np.mean([(log.value == 2).mean() for log in logs])
    assert errors["aimed"] < errors["random"]
    assert found > 2 * (truth == 2).mean()  # of the aimed labels


@pytest.mark.slow
@repeated(10, 150)
def test_intervals_of_aimed_draws_hold(rare: tuple[Predictions, FloatArray], repeats: int) -> None:
    pool, truth = rare
    for metric, positive in (("f1", "z"), ("mcc", None), ("log-loss", None)):
        ranker, held = MetricRanker(metric, positive), []
        actual = ranker.rank(pool, Labels.complete(truth)).estimate.value
        for seed in range(repeats):
            log = bought(Pooled(metric=metric, positive=positive or ""), pool, truth, 100, seed)
            assert not np.isnan(log.weight).any()
            estimate = ranker.rank(pool, log).estimate
            held.append(((estimate.low <= actual) & (actual <= estimate.high))[~np.isnan(estimate.low)].mean())
        assert np.mean(held) > 0.95 - 0.03 - 3 * np.std(held, ddof=1) / np.sqrt(repeats)


def test_the_log_remembers_the_metric(rare: tuple[Predictions, FloatArray]) -> None:
    pool, _ = rare
    plan = adjudge.select(pool, 5, metric="recall", positive="z")
    assert dict(plan.header.parameters) == {"metric": "recall", "positive": "z"}
    assert (
        adjudge.select(pool, 5, labels=plan).sample.tolist()
        == adjudge.select(pool, 10, metric="recall", positive="z").sample.tolist()
    )
    usual = adjudge.select(pool, 5)
    assert adjudge.select(pool, 5, metric="accuracy").sample.tolist() == usual.sample.tolist()
    with pytest.raises(MethodError, match="'random' does not aim at a metric"):
        adjudge.select(pool, 5, "random", metric="recall", positive="z")
    with pytest.raises(MethodError, match="given without a metric"):
        adjudge.select(pool, 5, positive="z")


def test_a_simulation_draws_and_ranks_by_the_metric(rare: tuple[Predictions, FloatArray]) -> None:
    pool, truth = rare
    found = adjudge.simulate(pool, truth, budget=30, seeds=2, metric="f1", positive="z", workers=1)
    assert found.quantity == "f1 of z"
    expected = MetricRanker("f1", "z").rank(pool, Labels.complete(truth)).estimate.value
    assert found.truth == pytest.approx(expected)
    assert found.curves["spearman"][:, -1].min() > 0


def test_numbers_are_simulated_by_a_metric_too() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=200)
    values = truth + rng.normal(size=(3, 200)) * [[0.2], [0.5], [1.0]]
    pool = Predictions(values, tuple("abc"), range(200), None)
    found = adjudge.simulate(pool, truth, budget=30, seeds=2, metric="rmse", workers=1)
    assert found.truth == pytest.approx(np.sqrt(((values - truth) ** 2).mean(axis=1)))
    assert (found.curves["regret"][:, -1] == 0).all()


@pytest.mark.parametrize("metric", ["log-loss", "brier"])
def test_draws_have_equal_chances_where_no_others_gain(rare: tuple[Predictions, FloatArray], metric: str) -> None:
    pool, truth = rare
    log = bought(Pooled(metric=metric), pool, truth, 30, 0)
    assert (log.weight == 1).all()
    assert log.sample.tolist() == bought(Random(), pool, truth, 30, 0).sample.tolist()
    aimed = bought(Pooled(metric="top-2"), pool, truth, 30, 0)
    assert len(set(aimed.weight)) > 1
