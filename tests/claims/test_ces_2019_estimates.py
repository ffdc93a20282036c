"""Li et al. 2019, experiments 7 and 8 of Table 1: random samples for two regression models.

Their features are not public with the predictions, so that CES cannot be run on them.
"""

import numpy as np
import pytest

from adjudge.experiments.jobs import Job, run_job
from adjudge.experiments.papers.ces_2019_errors import errors_of, random_variance, scores
from adjudge.experiments.results import Results
from adjudge.experiments.tasks import load
from tests.support.pools import Task

LABELS = 100


@pytest.mark.parametrize(("model", "published", "ours"), [("Dave-orig", 90.4, 0.9034), ("Dave-dropout", 91.8, 0.9182)])
def test_errors_on_a_regression_are_those_of_theory(model: str, published: float, ours: float, task: Task) -> None:
    driving = load(task("driving_dave"))
    value = driving.values[driving.predictions.models.index(model)]
    assert value == pytest.approx(ours, abs=0.00005)
    assert 100 * value == pytest.approx(published, abs=0.1)
    job = Job(driving.name, "", "SRS", "random", (LABELS,), 400, ranker="labeled", model=model, models=(model,))
    errors = errors_of(Results((run_job(job, driving),)), driving.name, "SRS", model)
    assert errors is not None
    expected = np.sqrt(random_variance(scores(driving, model), [LABELS]))
    assert errors.deviation() == pytest.approx(expected, rel=0.15)
    assert abs(errors.values.mean()) < 4 * expected[0] / np.sqrt(400)  # unbiased
