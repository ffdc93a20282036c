"""The consensus of numbers: the median, until labels say which models it should follow."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.numbers import median_prediction
from adjudge.methods.pooled.stacking import StackedConsensus, stacked_consensus
from adjudge.simulation.loop import bought


def misled_crowd() -> tuple[Predictions, FloatArray]:
    """One model knows the truth, and five share an error."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=400)
    shared = truth + rng.normal(size=400)
    values = np.array([truth + 0.1 * rng.normal(size=400), *(shared + 0.3 * rng.normal(size=(5, 400)))])
    return Predictions(values, tuple("abcdef"), range(400), None), truth


def consensus_of(pool: Predictions, log: Labels) -> StackedConsensus:
    return stacked_consensus(pool, log, median_prediction(pool), np.ones(len(log)))


def test_the_consensus_follows_the_model_that_labels_favor() -> None:
    pool, truth = misled_crowd()
    median_error = np.mean((median_prediction(pool) - truth) ** 2)
    errors = [
        np.mean((consensus_of(pool, bought(Random(), pool, truth, rows, 1)).truth - truth) ** 2) for rows in (3, 20, 60)
    ]
    assert errors[1] < 0.2 * median_error
    assert errors[2] < 0.1 * median_error
    assert errors[0] < 1.5 * median_error


def test_labels_that_are_noise_leave_the_median_nearly_alone() -> None:
    rng = np.random.default_rng(1)
    pool = Predictions(rng.normal(size=(6, 400)), tuple("abcdef"), range(400), None)
    noise = median_prediction(pool) + 3 * rng.normal(size=400)
    moved = consensus_of(pool, bought(Random(), pool, noise, 60, 0)).truth - median_prediction(pool)
    assert np.std(moved) < 0.5


def test_what_is_left_out_does_not_depend_on_its_own_label() -> None:
    pool, truth = misled_crowd()
    log = bought(Random(), pool, truth, 30, 0)
    value = log.value.copy()
    value[4] += 1.0
    before, after = consensus_of(pool, log).left_out, consensus_of(pool, replace(log, value=value)).left_out
    assert after[4] == pytest.approx(before[4])
    assert not np.allclose(after, before)


def test_models_that_agree_and_samples_without_a_prediction() -> None:
    same = Predictions(np.ones((3, 20)), tuple("abc"), range(20), None)
    log = bought(Random(), same, np.zeros(20), 10, 0)
    assert (consensus_of(same, log).truth == 1).all()
    pool, truth = misled_crowd()
    values = pool.values.copy()
    values[:, 7] = np.nan
    values[0, ::2] = np.nan
    found = consensus_of(replace(pool, values=values), bought(Random(), pool, truth, 400, 0))
    assert np.isnan(found.truth[7])
    assert np.isfinite(np.delete(found.truth, 7)).all()
