"""Active choice of the best model: what was measured on real pools, and where each method fails.

Figures are 100 * cumulative regret over the first 100 labels, which an independent program measured with 40 seeds, on
class codes alone; CODA hardly depends on the seed.
"""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.predictions import Predictions
from adjudge.io import read, read_truth
from adjudge.simulation.simulate import Simulation, simulate
from tests.support.pools import Task


def played(task: Task, name: str, method: str, seeds: int, budget: int = 100, **options: str) -> Simulation:
    pool, truth = read_truth(task(name), read(task(name)))
    return simulate(replace(pool, probabilities=None), truth, method, budget, seeds, options=options, workers=1)


def regret(task: Task, name: str, method: str, seeds: int, **options: str) -> float:
    return 100 * (played(task, name, method, seeds, 100, **options).totals()["cumulative_regret"]["mean"] or 0)


@pytest.mark.parametrize(
    ("name", "expected", "error"),
    [("pacs", 7, 1), ("glue_cola", 150, 15), ("glue_sst2", 95, 25), ("domain_drift", 1088, 15)],
)
def test_vote_entropy(name: str, expected: float, error: float, task: Task) -> None:
    """Best of all on PACS; on drifting sensors three times as bad as random draws (356)."""
    assert regret(task, name, "vote-entropy", 3) == pytest.approx(expected, abs=error)


@pytest.mark.parametrize(
    ("name", "epsilon", "expected", "error"),
    [("glue_rte", "0.39", 173, 70), ("glue_sst2", "0.36", 69, 50)],
)
def test_model_selector(name: str, epsilon: str, expected: float, error: float, task: Task) -> None:
    assert regret(task, name, "model-selector", 3, epsilon=epsilon) == pytest.approx(expected, abs=error)


def test_model_selector_depends_on_epsilon(task: Task) -> None:
    """The same pool, with a value that is as plausible before any label: several times the regret."""
    assert regret(task, "glue_rte", "model-selector", 2, epsilon="0.49") > 3 * 173


@pytest.mark.parametrize("method", ["vma", "active-testing"])
def test_draws_that_look_for_errors_beat_random_ones_where_most_samples_are_easy(method: str, task: Task) -> None:
    """On emotions VMA had 42 and random draws 102; a floor costs some of it."""
    assert regret(task, "emotion_detection", method, 4, floor="0.05") < 80


@pytest.mark.parametrize(
    ("name", "expected"), [("glue_rte", 284), ("glue_sst2", 52), ("pacs", 58), ("domain_drift", 625)]
)
def test_coda(name: str, expected: float, task: Task) -> None:
    assert regret(task, name, "coda", 1) == pytest.approx(expected, abs=1.5)


def constant_zero(pool: Predictions) -> int:
    (place,) = np.flatnonzero((pool.values == 0).all(axis=1))
    return int(place)


@pytest.mark.parametrize("budget", [70, pytest.param(100, marks=pytest.mark.honesty)])
def test_coda_jumps_to_a_constant_model_and_its_accuracy_form_does_not(task: Task, budget: int) -> None:
    """On CoLA one model says "0" to everything and is right on 31 %: nobody is better in row 0, from label 63 on."""
    worst = read(task("glue_cola")).models[constant_zero(read(task("glue_cola")))]
    coda = played(task, "glue_cola", "coda", 1, budget)
    lost = coda.truth.max() - coda.truth[coda.models.index(worst)]
    assert lost == pytest.approx(0.560, abs=0.001)
    chosen = np.isclose(coda.curves["regret"][0], lost)
    assert not chosen[:63].any()
    assert chosen[63:].all()
    few = 40 if budget < 100 else budget
    by_accuracy = played(task, "glue_cola", "coda-accuracy", 1, few)
    assert by_accuracy.curves["regret"].max() < 0.1
    totals = (by_accuracy.totals(), played(task, "glue_cola", "random", 2 if budget < 100 else 3, few).totals())
    mine, random = (each["cumulative_regret"]["mean"] or 0 for each in totals)
    assert mine < random
