"""Errors of estimates."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.core.arrays import ranks_by_value
from adjudge.experiments.jobs import Job, Outcome
from adjudge.experiments.papers.ces_2019_errors import (
    Errors,
    efficiency,
    errors_of,
    random_variance,
    scores,
)
from adjudge.experiments.results import Results
from adjudge.experiments.tasks import load
from tests.support.small_tasks import write_regression


def test_e_is_averaged_over_sizes() -> None:
    rng = np.random.default_rng(0)
    random = Errors((35, 40), rng.normal(0, [2.0, 1.0], (4000, 2)))
    ours = Errors((35, 40), rng.normal(0, [1.0, 1.0], (4000, 2)))
    found = efficiency(ours, random)
    assert found is not None
    assert found.value == pytest.approx((0.25 + 1) / 2, abs=4 * found.error)
    assert found.error < 0.05
    exact = Errors((35, 40), random.values * [1.0, 0.0])
    only = efficiency(ours, exact)
    assert only is not None
    assert only.value == pytest.approx(0.25, abs=0.05)  # where random samples are exact, there is no E
    assert efficiency(ours, Errors((50,), np.ones((3, 1)))) is None


def test_errors_are_those_of_the_model_looked_at() -> None:
    job = Job("task", "", "CES", "ces", (5, 10), 2, model="b")
    values = np.arange(8.0).reshape(2, 2, 2)
    outcome = Outcome(job, ("a", "b"), np.array([0.5, 0.75]), values, ranks_by_value(values), 0.0)
    found = errors_of(Results((outcome,)), "task", "CES", "b")
    assert found is not None
    assert found.values.tolist() == [[0.25, 2.25], [4.25, 6.25]]
    assert errors_of(Results((outcome,)), "task", "CES", "a") is None


def test_the_variance_of_random_samples_is_that_of_runs(tmp_path: Path) -> None:
    score = scores(load(write_regression(tmp_path / "numbers.npz")), "model_1")
    rng = np.random.default_rng(0)
    means = [rng.choice(score, 60, replace=False).mean() for _ in range(4000)]
    assert np.var(means) == pytest.approx(random_variance(score, [60])[0], rel=0.1)
