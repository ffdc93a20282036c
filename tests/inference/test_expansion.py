"""Expansion weights are those of the estimator behind every interval."""

import numpy as np
import pytest

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import SKIP, Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.inference.expansion import expansion_weights
from adjudge.inference.weighted import pool_mean
from adjudge.losses.loss import ZeroOne
from adjudge.registry import selector
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought


@pytest.mark.parametrize("method", ["random", "pooled", "active-testing", "css"])
def test_they_give_the_same_means_as_the_ranking(method: str) -> None:
    pool, truth = example_pool(models=5, samples=300, seed=3)
    log = bought(
        selector(method, {"model": pool.models[0]} if method == "css" else None), pool, truth * 1.0, 60, seed=1
    )
    wrong = pool.values[:, log.sample] != log.value
    weights = expansion_weights(pool, log)
    assert (weights > 0).all()
    assert wrong @ weights / 300 == pytest.approx(pool_mean(pool, log, ZeroOne()).mean_loss)


def test_uniform_draws_share_what_is_open(small_pool: tuple[Predictions, FloatArray]) -> None:
    pool, truth = small_pool
    log = Labels.known(60, [3, 7], truth[[3, 7]])
    for sample in (11, 12, 13, 14):
        log = log.add(Pick(sample, 1.0, seen=len(log), max_weight=1.0), SKIP if sample == 12 else int(truth[sample]))
    assert expansion_weights(pool, log) == pytest.approx([1, 1, 14.5, 14.5, 14.5, 14.5])


def test_labels_of_which_nothing_is_known_stand_for_themselves(small_pool: tuple[Predictions, FloatArray]) -> None:
    pool, truth = small_pool
    assert np.array_equal(expansion_weights(pool, Labels.known(60, [5, 6], truth[[5, 6]])), np.ones(2))
