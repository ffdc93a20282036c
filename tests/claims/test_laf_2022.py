"""LaF (Guo et al. 2022, arXiv 2204.03994): the worked example of the paper, and what the authors' code gives."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.io import read, read_truth
from adjudge.methods.baselines.majority import Majority
from adjudge.methods.papers.laf import LaF
from tests.support.pools import Task

FIGURE_2 = np.array([[0, 0, 1, 2, 2, 1], [0, 1, 2, 1, 2, 1], [2, 0, 0, 2, 1, 1]])  # page 4


def test_the_example_of_figure_2() -> None:
    """Page 4: three models on six samples are ranked 1, 3, 2.

    All models agree on the last sample, and say three different things about the third. The models f2 and f3
    mirror each other: who is second hangs on the winner of that vote alone.
    """
    pool = Predictions(FIGURE_2, ("f1", "f2", "f3"), range(6), ("0", "1", "2"))
    empty = Labels.empty(6)
    assert LaF(lowest_code=True).rank(pool, empty).rank.tolist() == [1, 3, 2]
    assert LaF().rank(pool, empty).rank.tolist() == [1, 2, 2]
    assert Majority().rank(pool, empty).estimate.value[0] == 1  # Step 2 of the figure: f1 has the specialty 1


@pytest.mark.parametrize(
    ("name", "spearman"),
    [
        ("pacs", 0.923),
        ("glue_sst2", 0.930),
        ("glue_cola", 0.405),
        ("emotion_detection", 0.714),
        ("glue_rte", 0.357),
        ("domain_drift", -0.117),
    ],
)
def test_real_pools_are_ranked_as_by_the_code_of_the_authors(name: str, spearman: float, task: Task) -> None:
    """Measured with the authors' utils_laf.py; its failures are part of the method."""
    pool, truth = read_truth(task(name), read(task(name)))
    accuracy = (pool.values == truth).mean(axis=1)
    answer = LaF(lowest_code=True).rank(pool, Labels.empty(len(truth)))
    assert answer.estimate.quantity == "specialty"
    assert spearmanr(answer.estimate.value, accuracy)[0] == pytest.approx(spearman, abs=0.02)
