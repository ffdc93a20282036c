"""What the posterior says that deploying a model costs."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Likely, Ranking
from adjudge.methods.pooled.expected_accuracy import expected_accuracy
from adjudge.methods.pooled.pooled import Pooled
from adjudge.methods.pooled.posterior import accuracy_draws, likely, weighted_quantiles
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from tests.support.pools import pool_of


def ranked(pool: Predictions, truth: FloatArray | IntArray, rows: int, seed: int = 0) -> tuple[Ranking, Likely]:
    ranking = Pooled().rank(pool, bought(Pooled(), pool, truth * 1.0, rows, seed))
    assert ranking.likely is not None
    return ranking, ranking.likely


def check_in_order(order: np.ndarray, told: Likely) -> None:
    """Chance, losses and what is behind the leader never contradict the order, nor each other."""
    known = order[~np.isnan(told.expected_loss[order])]
    assert (np.diff(told.chance_of_best[known]) <= 1e-12).all()
    for rises in (told.expected_loss, told.loss_bound, told.behind.value):
        assert (np.diff(rises[known]) >= -1e-12).all()
    assert (told.expected_loss[known] >= 0).all()
    first = order[0]
    assert (told.behind.value[first], told.behind.low[first], told.behind.high[first]) == (0, 0, 0)
    assert (told.behind.low[known] <= told.behind.value[known]).all()
    assert (told.behind.value[known] <= told.behind.high[known]).all()
    assert ((told.chance_of_best[known] >= 0) & (told.chance_of_best[known] <= 1)).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_order_chances_and_losses_never_contradict_each_other(seed: int) -> None:
    pool, truth = example_pool(models=8, samples=200, classes=4, seed=seed)
    for rows in (1, 6, 20, 60, 150):
        ranking, told = ranked(pool, truth, rows, seed)
        check_in_order(ranking.order, told)


def test_an_order_that_labels_force_is_followed() -> None:
    pool, truth = example_pool(models=6, samples=200, seed=1)
    order = np.array([2, 0, 5, 4, 1, 3])
    told = likely(pool, bought(Pooled(), pool, truth * 1.0, 20, 0), order)
    check_in_order(order, told)


def test_the_leader_has_the_least_expected_loss_and_it_is_the_gap_in_expected_accuracy() -> None:
    pool, truth = example_pool(models=6, samples=200, seed=1)
    labels = bought(Pooled(), pool, truth * 1.0, 30, 0)
    expected = expected_accuracy(pool, labels)
    told = likely(pool, labels, np.argsort(-expected))
    assert np.argmin(told.expected_loss) == np.argmax(expected)
    assert told.behind.value == pytest.approx(expected.max() - expected, abs=1e-9)


def test_the_bound_is_a_quantile_of_the_draws() -> None:
    pool, truth = example_pool(models=6, samples=200, seed=1)
    labels = bought(Pooled(), pool, truth * 1.0, 30, 0)
    accuracy, weight = accuracy_draws(pool, labels)
    assert weight.sum() == pytest.approx(1)
    order = np.argsort(-expected_accuracy(pool, labels))
    for level in (0.5, 0.9, 0.95):
        told = likely(pool, labels, order, level)
        first = int(order[0])
        loss = accuracy.max(axis=0) - accuracy[first]
        below = [
            weight[loss <= bound + 1e-12].sum() for bound in (told.loss_bound[first], told.loss_bound[first] - 1e-9)
        ]
        assert below[0] >= level - 1e-9
        assert below[1] < level or told.loss_bound[first] == 0
        assert told.level == level
        inside = [
            weight[accuracy[first] - accuracy[model] <= told.behind.high[model] + 1e-12].sum() for model in order[1:]
        ]
        assert min(inside) >= (1 + level) / 2 - 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_weighted_quantiles_are_those_of_repeated_values(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, times = rng.normal(size=(4, 30)), rng.integers(0, 5, size=30)
    found = weighted_quantiles(values, times / times.sum(), (0.05, 0.5, 0.95, 1.0))
    repeated = np.repeat(values, times, axis=1)
    by_hand = np.quantile(repeated, (0.05, 0.5, 0.95, 1.0), axis=1, method="inverted_cdf")
    assert found == pytest.approx(by_hand)


def test_a_model_without_predictions_has_no_loss_and_takes_no_part() -> None:
    pool, truth = example_pool(models=4, samples=200, seed=1)
    silent = pool_of(np.vstack([np.full((1, 200), -1), pool.values]))
    labels = bought(Pooled(), pool, truth * 1.0, 20, 0)
    ranking = Pooled().rank(silent, labels)
    told = ranking.likely
    assert told is not None
    for each in (told.chance_of_best, told.expected_loss, told.loss_bound, told.behind.value, told.behind.low):
        assert np.isnan(each[0])
        assert np.isfinite(each[1:]).all()
    assert ranking.order[-1] == 0
    check_in_order(ranking.order, told)


def test_models_that_always_say_the_same_are_far_behind() -> None:
    pool, truth = example_pool(models=3, samples=300, seed=1)
    constant = pool_of(np.vstack([pool.values, np.zeros((1, 300), dtype=int), np.full((1, 300), 2)]))
    ranking, told = ranked(constant, truth, 40)
    check_in_order(ranking.order, told)
    assert set(ranking.order[3:].tolist()) == {3, 4} or told.behind.value[[3, 4]].min() > 0.05
    assert told.chance_of_best[[3, 4]].max() < 0.05


def test_one_model_is_the_best_and_costs_nothing() -> None:
    pool, truth = example_pool(models=1, samples=60)
    _, told = ranked(pool, truth, 10)
    assert (told.chance_of_best[0], told.expected_loss[0], told.loss_bound[0]) == (1, 0, 0)


def test_copies_are_all_the_best_and_as_far_behind() -> None:
    pool, truth = example_pool(models=3, samples=200, seed=1)
    twins = replace(pool, values=pool.values[[0, 2, 2]], probabilities=None)
    ranking, told = ranked(twins, truth, 30)
    assert told.chance_of_best[1] == pytest.approx(told.chance_of_best[2], abs=1e-9)
    assert told.behind.value[[1, 2]] == pytest.approx(0, abs=1e-9)
    assert told.chance_of_best.sum() > 1.5  # both count as the best
    assert set(ranking.order[:2].tolist()) == {1, 2}


def test_labels_of_all_disputed_samples_leave_no_loss() -> None:
    pool, truth = example_pool(models=4, samples=100, seed=1)
    labels = Labels.known(100, np.arange(100), truth)
    actual = (pool.values == truth).mean(axis=1)
    told = likely(pool, labels, np.argsort(-actual, kind="stable"))
    assert told.loss_bound == pytest.approx(actual.max() - actual, abs=1e-6)
    assert told.behind.high == pytest.approx(actual.max() - actual, abs=1e-6)


@pytest.mark.slow
def test_more_labels_cost_less() -> None:
    """On average over runs: the bound on the leader's loss falls."""
    pool, truth = example_pool(models=6, samples=300, seed=3)
    bounds = [np.mean([likely_loss(pool, truth, rows, seed) for seed in range(3)]) for rows in (5, 25, 100)]
    assert bounds[0] > bounds[1] > bounds[2]


def likely_loss(pool: Predictions, truth: FloatArray | IntArray, rows: int, seed: int) -> float:
    ranking, told = ranked(pool, truth, rows, seed)
    return float(told.loss_bound[ranking.order[0]])
