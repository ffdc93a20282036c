"""Simulated estimates of a single model."""

import warnings

import numpy as np
import pytest

import adjudge
from adjudge.errors import AdjudgeWarning
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from adjudge.simulation.simulate import simulate
from adjudge.simulation.single_model import SingleModelSimulation, simulate_single_model


def played(method: str, seeds: int = 60, **options: object) -> SingleModelSimulation:
    pool, truth = example_pool(4, 400, 4, seed=3)
    known = truth.astype(np.float64)
    simulation = simulate(pool, known, method, 60, seeds, options=options, seed=100)
    single = simulate_single_model(pool, known, pool.models[1], simulation, options=options)
    assert single is not None
    assert single.truth == simulation.truth[1]
    return single


def test_random_draws_are_as_good_as_themselves() -> None:
    single = played("random", 10)
    assert single.budgets == (10, 20, 50, 60)
    assert set(single.efficiency().values()) == {1.0}
    spread = np.sqrt(single.truth * (1 - single.truth) / 60 * (1 - 60 / 400))
    expected = np.sqrt(2 / np.pi) * spread  # of the absolute value of a normal error
    assert single.errors()["60"]["mean"] == pytest.approx(expected, rel=0.5)


def test_features_that_tell_right_from_wrong_save_labels() -> None:
    """Balanced on whether the model is right, the estimate has nearly no error: E is near 0."""
    pool, truth = example_pool(4, 400, 4, seed=3)
    rng = np.random.default_rng(0)
    features = (pool.values[1] == truth)[:, None] + rng.normal(0, 0.01, (400, 3))
    efficiency = played("ces", 20, features=features).efficiency()
    assert efficiency["60"] is not None
    assert efficiency["60"] < 0.5


def test_what_is_measured_is_what_estimate_says() -> None:
    pool, codes = example_pool(4, 120, 3, seed=1)
    truth, name = codes.astype(np.float64), pool.models[1]
    truth[5] = np.nan
    for batch in (1, 7):
        with pytest.warns(AdjudgeWarning, match="is not known"):
            simulation = simulate(pool, truth, "pooled", 30, 1, batch=batch, seed=4, workers=1)
        single = simulate_single_model(pool, truth, name, simulation, workers=1)
        assert single is not None
        log = bought(Pooled(), pool, truth, 30, 4, batch)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AdjudgeWarning)
            said = [adjudge.estimate(pool, name, log.head(rows)).estimate.value[0] for rows in single.budgets]
        assert single.values[0].tolist() == said
