"""What docs/pooled.md claims, in small: the full figures take minutes (`adjudge simulate`).

Large pools are cut down to every fourth model: a label of 100 models takes ten times as long as one of 25.
"""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.core.votes import vote_agreement
from adjudge.evaluation import spearman
from adjudge.io import read, read_truth
from adjudge.simulation.simulate import Simulation, simulate
from tests.support.pools import Task
from tests.support.repeated import repeated


def played(task: Task, name: str, method: str, budget: int, seeds: int, every: int = 1) -> Simulation:
    """On each model of a task, or on the last of every so many."""
    predictions, truth = read_truth(task(name), read(task(name)))
    some = slice(every - 1, None, every)
    chances = predictions.probabilities
    predictions = replace(
        predictions,
        values=predictions.values[some],
        models=predictions.models[some],
        probabilities=None if chances is None else chances[some],
    )
    return simulate(predictions, truth, method, budget, seeds, workers=1)


@pytest.mark.parametrize(
    ("name", "share", "every"),
    [
        ("glue_sst2", 0.5, 8),
        ("emotion_detection", 0.8, 1),
        pytest.param("glue_sst2", 0.5, 1, marks=pytest.mark.honesty),
    ],
)
def test_the_best_model_is_found_with_less_regret_than_by_random_draws(
    task: Task, name: str, share: float, every: int
) -> None:
    """Regret over 40 labels, 4 seeds; over 100 labels and 20 seeds the shares are .13 and .33 with all models."""
    ours, random = (played(task, name, method, 40, 4, every).curves["regret"].sum() for method in ("pooled", "random"))
    assert ours < share * random


@repeated(2, 8)
def test_a_crowd_that_is_wrong_does_not_mislead(task: Task, repeats: int) -> None:
    """On brightness5 the vote is right on 28% of the samples, and its order of the models is upside down."""
    predictions, truth = read_truth(task("fashion_zoo25_brightness5"), read(task("fashion_zoo25_brightness5")))
    agreement, actual = (
        vote_agreement(predictions, Labels.empty(len(truth))),
        (predictions.values == truth).mean(axis=1),
    )
    assert spearman(agreement, actual) < 0
    curves = played(task, "fashion_zoo25_brightness5", "pooled", 10, repeats).curves
    assert curves["regret"][:, 10].mean() <= 0.02
    assert curves["spearman"][:, 10].min() > 0.9


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.honesty)])
def test_a_constant_predictor_is_never_chosen(task: Task, every: int) -> None:
    """CODA jumps to one on glue_cola (regret 0.56)."""
    found = played(task, "glue_cola", "pooled", 70, 1, every)
    assert found.truth.min() < 0.32  # it says "0" to everything
    assert np.max(found.curves["regret"]) < 0.3
