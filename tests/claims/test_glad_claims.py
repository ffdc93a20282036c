"""How well GLAD ranks real pools without a label; its failures are part of the method."""

import pytest
from scipy.stats import spearmanr

from adjudge.core.labels import Labels
from adjudge.io import read, read_truth
from adjudge.methods.peers.glad import GLAD
from tests.support.pools import Task

MEASURED = {  # Spearman with the true accuracy
    "pacs": 0.932,
    "glue_sst2": 0.93,
    "emotion_detection": 0.595,
    "fashion_zoo25_noise3": 0.935,
    "glue_rte": 0.079,  # agreement has 0.829
    "fashion_zoo25_brightness5": -0.61,
}


@pytest.mark.parametrize(("name", "spearman"), MEASURED.items())
def test_it_ranks_as_well_as_was_measured(name: str, spearman: float, task: Task) -> None:
    pool, truth = read_truth(task(name), read(task(name)))
    value = GLAD().rank(pool, Labels.empty(len(truth))).estimate.value
    assert spearmanr(value, (pool.values == truth).mean(axis=1))[0] == pytest.approx(spearman, abs=0.03)
