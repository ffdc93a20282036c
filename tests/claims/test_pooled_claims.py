"""What docs/pooled.md claims, in small: the full figures take minutes (`adjudge simulate`)."""

import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.core.votes import vote_share
from adjudge.io import read, read_truth
from adjudge.metrics import spearman
from adjudge.simulation.simulate import Simulation, simulate
from tests.support.pools import Task


def played(task: Task, name: str, method: str, budget: int, seeds: int) -> Simulation:
    predictions, truth = read_truth(task(name), read(task(name)))
    return simulate(predictions, truth, method, budget, seeds, workers=1)


@pytest.mark.parametrize(("name", "share"), [("glue_sst2", 0.5), ("emotion_detection", 0.8)])
def test_the_best_model_is_found_with_less_regret_than_by_random_draws(task: Task, name: str, share: float) -> None:
    """Regret over 40 labels, 4 seeds; over 100 labels and 20 seeds the shares are .13 and .33."""
    ours, random = (played(task, name, method, 40, 4).curves["regret"].sum() for method in ("pooled", "random"))
    assert ours < share * random


def test_a_crowd_that_is_wrong_does_not_mislead(task: Task) -> None:
    """On brightness5 the vote is right on 28 % of the samples, and its order of the models is upside down."""
    predictions, truth = read_truth(task("fashion_zoo25_brightness5"), read(task("fashion_zoo25_brightness5")))
    agreement, actual = vote_share(predictions, Labels.empty(len(truth))), (predictions.values == truth).mean(axis=1)
    assert spearman(agreement, actual) < 0
    curves = played(task, "fashion_zoo25_brightness5", "pooled", 10, 8).curves
    assert curves["regret"][:, 10].mean() <= 0.02
    assert curves["spearman"][:, 10].min() > 0.9


def test_a_constant_predictor_is_never_chosen(task: Task) -> None:
    """CODA jumps to one on glue_cola (regret 0.56)."""
    assert np.max(played(task, "glue_cola", "pooled", 70, 1).curves["regret"]) < 0.3
