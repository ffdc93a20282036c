"""`pooled` on predicted numbers: fewer labels than random draws, and intervals that hold."""

import numpy as np
import pytest

from adjudge import evaluation
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranker
from adjudge.core.sampling import Selector
from adjudge.io import read, read_truth
from adjudge.losses.loss import default_loss
from adjudge.losses.numbers import Absolute, Percentage, Squared
from adjudge.methods.baselines.drawn import Drawn
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.numbers import disagreement, expected_correction, losses_to_median, shrunken_losses
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.loop import bought
from tests.support.pools import Task
from tests.support.regressors import KINDS, made_regression
from tests.support.repeated import repeated


def spearman(pool: Predictions, truth: np.ndarray, selector: Selector, ranker: Ranker, rows: int, runs: int) -> float:
    good = -((pool.values - truth) ** 2).mean(axis=1)
    found = [ranker.rank(pool, bought(selector, pool, truth, rows, seed)).rank for seed in range(runs)]
    return float(np.mean([evaluation.spearman(-rank.astype(float), good) for rank in found]))


@pytest.mark.parametrize("kind", KINDS)
@repeated(8, 60)
def test_four_labels_do_what_five_random_ones_do(kind: str, repeats: int) -> None:
    pool, truth = made_regression(kind)
    for rows in (10, 20, 50):
        ours = spearman(pool, truth, Pooled(), Pooled(), rows * 4 // 5, repeats)
        assert ours > spearman(pool, truth, Random(), Drawn(), rows, repeats) + 0.01


@pytest.mark.slow
def test_two_steering_networks_are_told_apart_by_fewer_labels(task: Task) -> None:
    pool, truth = read_truth(task("driving_dave"), read(task("driving_dave")))
    ours, random = (
        sum(spearman(pool, truth, selector, ranker, rows, 40) for rows in budgets)
        for selector, ranker, budgets in ((Pooled(), Pooled(), (32, 64, 80)), (Random(), Drawn(), (40, 80, 100)))
    )
    assert ours > random


@pytest.mark.slow
@repeated(40, 400)
def test_intervals_from_disagreement_hold(repeats: int) -> None:
    pool, truth = made_regression("skewed", samples=600)
    span = float(min(truth.min(), pool.values.min())) - 1, float(max(truth.max(), pool.values.max())) + 1
    held = []
    for seed in range(repeats):
        log = bought(Pooled(), pool, truth, 100, seed)
        estimate = Pooled(loss=Squared(*span)).rank(pool, log).estimate
        actual = ((pool.values - truth) ** 2).mean(axis=1)
        held.append(evaluation.coverage(estimate.low, estimate.high, actual))
    error = np.std(held, ddof=1) / np.sqrt(repeats)
    assert 0.93 - 3 * error < np.mean(held)


def test_without_labels_that_say_otherwise_the_median_orders() -> None:
    truth = np.linspace(1, 9, 40)
    values = truth + np.array([[0.1], [-0.1], [0.0], [2.0]])
    pool = Predictions(values, tuple("abcd"), range(40), None)
    loss = Absolute(-10, 20)
    assert losses_to_median(pool, loss).mean(axis=0).argmax() == 3
    assert shrunken_losses(pool, Labels.empty(40), loss).argmax() == 3
    log = bought(Random(), pool, truth, 20, 0)
    assert np.argsort(shrunken_losses(pool, log, loss))[0] == 2


def test_labels_go_where_models_disagree_and_gaps_do_no_harm() -> None:
    values = np.zeros((4, 60))
    values[:, :20] = np.arange(4)[:, None]
    values[0, 10] = values[:, 59] = np.nan
    pool = Predictions(values, tuple("abcd"), range(60), None)
    score = disagreement(pool, default_loss(pool, Labels.empty(60)))
    assert score[:20].min() > 0
    assert (score[20:] == 0).all()
    log = bought(Pooled(), pool, np.ones(60), 20, 0)
    assert np.count_nonzero(log.sample < 20) > 12
    assert not np.isnan(log.weight).any()
    assert (disagreement(pool, Percentage(-5, 5, smallest=0.1))[:20] > 0).all()


def test_two_models_are_ordered_by_the_labels_that_the_median_cannot_replace() -> None:
    """The median of two is as far from both, so that labels alone say which is better, however few they are."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=500)
    pool = Predictions(truth + rng.normal(size=(2, 500)) * [[1.0], [1.15]], ("a", "b"), range(500), None)
    found = [Pooled().rank(pool, bought(Pooled(), pool, truth, 10, seed)).rank for seed in range(30)]
    assert not any(rank[0] == rank[1] for rank in found)
    assert np.mean([rank[0] == 1 for rank in found]) > 0.55


def test_absolute_errors_are_also_decided_where_models_agree() -> None:
    values = np.zeros((3, 40))
    values[:, :10] = np.array([[-1.0], [0.0], [1.0]])
    values[0, 12] = values[:, 39] = np.nan
    pool = Predictions(values, tuple("abc"), range(40), None)
    score = expected_correction(pool, Absolute(-1, 1))
    assert score[:10].min() > 0
    assert score[10:39].min() > 0
    assert score[39] == 0
    assert (expected_correction(pool, Percentage(-1, 1, smallest=0.5))[:39] > 0).all()
