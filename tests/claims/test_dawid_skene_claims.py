"""How well Dawid-Skene ranks real pools without a label, and that it raises no false alarm on them."""

import warnings

import numpy as np
import pytest
from scipy.stats import spearmanr

from adjudge.core.labels import Labels
from adjudge.io import read, read_truth
from adjudge.methods.peers.dawid_skene import DawidSkene
from tests.support.pools import Task

MEASURED = {  # Spearman with the true accuracy
    "pacs": 0.941,
    "glue_sst2": 0.921,
    "glue_rte": 0.921,
    "glue_cola": 0.466,
    "emotion_detection": 0.0,
    "domain_drift": 0.85,
    "multinli": 0.2,
    "fashion_sds9": 0.45,
    "mnist_ces": 1.0,
    "fashion_zoo25": 0.662,
    "fashion_zoo25_noise3": 0.956,
    "fashion_zoo25_blur5": 0.876,
    "fashion_zoo25_contrast3": 0.984,
    "fashion_zoo25_brightness5": 0.987,  # against a vote that is wrong: -0.59 by agreement
}


@pytest.mark.parametrize(("name", "spearman"), MEASURED.items())
def test_it_ranks_as_well_as_was_measured(name: str, spearman: float, task: Task) -> None:
    pool, truth = read_truth(task(name), read(task(name)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # none of these solutions is turned
        value = DawidSkene().rank(pool, Labels.empty(len(truth))).estimate.value
    accuracy = (pool.values == np.asarray(truth)).mean(axis=1)
    assert spearmanr(value, accuracy)[0] == pytest.approx(spearman, abs=0.03)
