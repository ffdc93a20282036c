"""What models predict where the truth is something else."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.methods.pooled import soft_confusion
from adjudge.methods.pooled.consensus import consensus
from adjudge.methods.pooled.design_matrix import design_matrix
from adjudge.methods.pooled.expected_accuracy import expected_accuracy
from adjudge.methods.pooled.soft_confusion import LOG_RANGE, has_soft_confusion, soft_confusion_matrices

SAMPLES, CLASSES = 600, 3


def pool_of(given: FloatArray) -> Predictions:
    names = tuple(f"model {place}" for place in range(len(given)))
    return Predictions(given.argmax(axis=2), names, range(given.shape[1]), ("x", "y", "z")[: given.shape[2]], given)


def one_takes_x_for_y() -> tuple[Predictions, IntArray]:
    """Three models are right nine times in ten; the last one predicts y half of the time where the truth is x."""
    rng = np.random.default_rng(5)
    truth = rng.integers(CLASSES, size=SAMPLES)
    said = np.where(rng.random((4, SAMPLES)) < 0.9, truth, rng.integers(CLASSES, size=(4, SAMPLES)))
    said[3, (truth == 0) & (rng.random(SAMPLES) < 0.5)] = 1
    return pool_of(0.1 / CLASSES + 0.9 * np.eye(CLASSES)[said]), truth


def test_soft_confusion_is_found_without_a_label() -> None:
    pool, truth = one_takes_x_for_y()
    assert pool.probabilities is not None
    known = np.stack([pool.probabilities[:, truth == code].mean(axis=1) for code in range(CLASSES)], axis=1)
    assert np.allclose(np.exp(LOG_RANGE * (soft_confusion_matrices(pool) - 1.0)), known, atol=0.05)


def test_a_usual_confusion_is_evidence_for_the_true_class() -> None:
    pool, truth = one_takes_x_for_y()
    there = np.flatnonzero((truth == 0) & (pool.values[3] == 1) & (pool.values[:3] == 0).all(axis=0))
    design = design_matrix(pool, there[:1])
    x, z_like = design.slots.code.tolist().index(0), soft_confusion_matrices(pool)[3, 2, 1]
    by_probability, by_confusion = design.scores[x, 3], design.scores[x, 7]
    assert by_confusion > by_probability
    assert by_confusion > z_like  # more than for a class that it seldom takes for y


def test_matrices_follow_permutations_of_samples_models_and_classes() -> None:
    pool, _ = one_takes_x_for_y()
    assert pool.probabilities is not None
    samples, models, classes = np.random.default_rng(0).permutation(SAMPLES), [2, 0, 3, 1], [1, 2, 0]
    moved = pool_of(pool.probabilities[models][:, samples][:, :, classes])
    assert np.allclose(
        soft_confusion_matrices(moved), soft_confusion_matrices(pool)[models][:, classes][:, :, classes], atol=2e-5
    )


def test_a_model_without_predictions_has_no_scores() -> None:
    pool, _ = one_takes_x_for_y()
    assert pool.probabilities is not None
    values, given = pool.values.copy(), pool.probabilities.copy()
    values[1], given[1] = -1, np.nan
    silent = replace(pool, values=values, probabilities=given)
    design = design_matrix(silent, np.arange(10))
    assert not design.scores[:, [1, 5]].any()
    assert np.isfinite(design.scores).all()
    assert np.isnan(expected_accuracy(silent, Labels.empty(SAMPLES))).tolist() == [False, True, False, False]


def test_without_probabilities_votes_count() -> None:
    pool, _ = one_takes_x_for_y()
    certain = replace(pool, probabilities=np.eye(CLASSES)[pool.values])
    unknown = replace(pool, probabilities=np.full((4, SAMPLES, CLASSES), np.nan))
    assert np.array_equal(soft_confusion_matrices(certain), soft_confusion_matrices(unknown))


def test_where_classes_are_many_there_is_no_soft_confusion(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, truth = one_takes_x_for_y()
    labels = Labels.known(SAMPLES, list(range(5)), truth[:5])
    some = len(consensus(pool, labels).fits)
    monkeypatch.setattr(soft_confusion, "MAX_CLASSES", CLASSES - 1)
    few = replace(pool)
    assert not has_soft_confusion(few)
    assert design_matrix(few, np.arange(2)).scores.shape[1] == 4
    assert len(consensus(few, labels).fits) == some - 9
    assert np.isfinite(expected_accuracy(few, labels)).all()
