"""Labels that were drawn for many candidates serve to rank a few of them."""

import numpy as np
import pytest

from adjudge import compare, estimate, rank, select
from adjudge.core.arrays import IntArray
from adjudge.core.predictions import Predictions
from adjudge.core.strata import disputed
from adjudge.errors import LabelsError
from adjudge.inference.weighted import FixedBudgetIntervals, pool_mean
from adjudge.losses.loss import ZeroOne
from adjudge.methods.baselines.drawn import Drawn
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.contract import StratifiedDraws, example_pool
from adjudge.simulation.loop import bought

FINALISTS = ("model 11", "model 7", "model 9")


def twelve() -> tuple[Predictions, IntArray]:
    """Half of the samples are easy for all models, some of them wrong for all; only probabilities are left out."""
    pool, truth = example_pool(models=12, samples=400, seed=2)
    easy = np.arange(400) % 2 == 0
    values = np.where(easy, (truth + (np.arange(400) % 20 == 0)) % 3, pool.values)
    return Predictions(values, pool.models, range(400), pool.classes), truth


@pytest.mark.parametrize("selector", [StratifiedDraws(), Pooled(goal="estimate")])
@pytest.mark.parametrize("anytime", [False, True])
def test_intervals_of_finalists_hold(selector: StratifiedDraws | Pooled, anytime: bool) -> None:
    pool, truth = twelve()
    few = pool.only(FINALISTS)
    actual, held, apart = (few.values == truth).mean(axis=1), [], []
    for seed in range(80):
        labels = bought(selector, pool, truth, 60, seed)
        found = Drawn(anytime=anytime).rank(few, labels)
        assert found.difference_to_leader is not None
        below = actual[found.order[0]] - actual
        held.append((found.estimate.low <= actual) & (actual <= found.estimate.high))
        apart.append(
            (found.difference_to_leader.low <= below + 1e-9) & (below <= found.difference_to_leader.high + 1e-9)
        )
    error = np.std(np.mean(held, axis=1)) / np.sqrt(80)
    assert np.mean(held) > 0.95 - 3 * max(error, 0.004)
    assert np.mean(np.all(apart, axis=1)) > 0.95 - 3 * np.sqrt(0.05 * 0.95 / 80)


def test_fewer_models_are_told_apart_sooner_by_the_same_labels() -> None:
    pool, truth = twelve()
    labels = bought(Pooled(), pool, truth, 80, 0)
    few, places = pool.only(FINALISTS), np.array([pool.models.index(name) for name in FINALISTS])
    found = []
    for part, models in ((pool, places), (few, np.arange(3))):
        mean = pool_mean(part, labels, ZeroOne())
        found.append(FixedBudgetIntervals(mean, 0.95, mean.pairs).between(models, models))
    (value, low, high), (same, least, most) = found
    apart = ~np.eye(3, dtype=bool)
    assert same == pytest.approx(value)
    assert ((most - least)[apart] < (high - low)[apart]).all()


def test_a_run_goes_on_for_finalists() -> None:
    pool, truth = twelve()
    few, labels = pool.only(FINALISTS), select(pool, 40).answer_all(truth)
    longer = select(few, 30, labels=labels).answer_all(truth)
    assert longer.header.models == pool.models
    in_dispute = disputed(pool)[longer.sample]
    assert (longer.stratum[~np.isnan(longer.weight)] == np.where(in_dispute, 1, 2)[~np.isnan(longer.weight)]).all()
    ranking = rank(few, longer)
    assert ranking.models == FINALISTS
    assert ranking.estimate.has_interval
    assert compare(few, *FINALISTS[:2], longer).labels == 70
    assert estimate(few, FINALISTS[2], longer).estimate.has_interval


def test_without_the_other_candidates_the_strata_are_not_known() -> None:
    pool, truth = twelve()
    labels = select(pool, 20).answer_all(truth)
    alone = Predictions(pool.values[:3], pool.models[:3], range(400), pool.classes)
    with pytest.raises(LabelsError, match="give its predictions too and name the models to look at"):
        rank(alone, labels)
