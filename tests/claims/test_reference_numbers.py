"""Numbers that must come out on the real tasks."""

from math import sqrt

import numpy as np
import pytest
from scipy.stats import spearmanr

from adjudge.api import rank
from adjudge.io import read, read_truth
from adjudge.simulation.simulate import simulate
from tests.support.pools import Task
from tests.support.repeated import repeated

CLASSIFICATION = [
    "pacs",
    "emotion_detection",
    "domain_drift",
    "glue_cola",
    "glue_rte",
    "glue_sst2",
    "multinli",
    "fashion_sds9",
    "mnist_ces",
    "fashion_zoo25",
    "fashion_zoo25_noise3",
    "fashion_zoo25_blur5",
    "fashion_zoo25_contrast3",
    "fashion_zoo25_brightness5",
]


@pytest.mark.parametrize("name", CLASSIFICATION)
def test_agreement_is_that_of_an_independent_count(name: str, task: Task) -> None:
    pool = read(task(name))
    codes = np.asarray(pool.values, dtype=np.int64)
    assert pool.classes is not None
    counts = np.stack([(codes == code).sum(axis=0) for code in range(len(pool.classes))])
    winners = counts == counts.max(axis=0)
    share = np.take_along_axis(winners / winners.sum(axis=0), codes, axis=0).mean(axis=1)
    assert rank(pool).estimate.value == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "spearman"),
    [("pacs", 0.922), ("glue_cola", 0.383), ("domain_drift", 0.367), ("emotion_detection", 0.595)],
)
def test_agreement_ranks_as_well_as_was_measured(name: str, spearman: float, task: Task) -> None:
    pool, truth = read_truth(task(name), read(task(name)))
    accuracy = (pool.values == truth).mean(axis=1)
    assert spearmanr(rank(pool).estimate.value, accuracy)[0] == pytest.approx(spearman, abs=0.0006)


@repeated(4, 20)
def test_random_choice_on_pacs(task: Task, repeats: int) -> None:
    pool, truth = read_truth(task("pacs"), read(task("pacs")))
    result = simulate(pool, truth, "random", budget=100, seeds=repeats)
    wider = sqrt(20 / repeats)  # than around a mean of 20
    assert result.at_budgets()["spearman"]["100"]["mean"] == pytest.approx(0.88, abs=0.04 * wider)
    assert result.totals()["cumulative_regret"]["mean"] == pytest.approx(1.9, abs=0.6 * wider)


def test_steering_angles_have_the_published_error(task: Task) -> None:
    """CES (2019), Section 4: 1 - MSE of 90.4 % and 91.8 % for the two steering networks."""
    pool, truth = read_truth(task("driving_dave"), read(task("driving_dave")))
    result = simulate(pool, truth, "random", budget=10, seeds=2)
    assert result.quantity == "MSE"
    assert result.truth == pytest.approx([1 - 0.9034, 1 - 0.9182], abs=0.0005)
