"""Soft confusion matrices: how likely a model predicts one class where the truth is another, from probabilities alone.

The expectation-maximization of Dawid and Skene (1979, doi 10.2307/2346806) with probabilities as fractions of a vote,
stopped early. Models share mistakes, so all of them count as a few independent ones: otherwise every sample would be
certain after one round, and the matrices would describe agreement with the vote.
"""

from functools import partial
from math import log

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.predictions import Predictions
from adjudge.core.votes import added

MAX_CLASSES = 50  # memory and time grow with the square of the classes
ROUNDS = 3  # the order of the models hardly changes after these
MAX_EFFECTIVE_MODELS = 10.0  # independent models that all of them together count as
PSEUDO_COUNT = 5.0  # samples of each true class with a uniform prediction, added to the counts of each model
MIN_PROBABILITY = 1e-3  # lower probabilities count as this one
LOG_RANGE = -log(MIN_PROBABILITY)  # log odds between the ends of the scale
CELLS = 1 << 18  # probabilities looked at together: 2 MB stay in a processor cache
DIGITS = 5  # that are kept: sums over samples in another order seldom differ by more


def has_soft_confusion(predictions: Predictions) -> bool:
    """Whether models give probabilities, and classes are few enough."""
    return predictions.probabilities is not None and len(predictions.classes or ()) <= MAX_CLASSES


def on_log_scale(probability: Array) -> Array:
    """Log probabilities, scaled from 0 (MIN_PROBABILITY) to 1 (certain); in place, since these arrays are large."""
    np.log(np.clip(probability, MIN_PROBABILITY, 1.0, out=probability), out=probability)
    probability /= probability.dtype.type(LOG_RANGE)
    probability += 1
    return probability


def soft_votes(predictions: Predictions, model: int, columns: IntArray | slice) -> Array:
    """(columns, classes): the probabilities of a model; one-hot predictions where it gives none."""
    assert predictions.probabilities is not None
    found = predictions.probabilities[model, columns].astype(np.float32)
    without = np.flatnonzero(np.isnan(found).any(axis=1))
    found[without] = predictions.values[model, columns][without, None] == np.arange(found.shape[1])
    return np.asarray(found)


def soft_confusion_matrices(predictions: Predictions) -> Array:
    """(models, true class, predicted class): log probabilities of what a model predicts, on the scale above.

    Expectation-maximization: the matrices follow from the class posterior of each sample (at first the mean
    probability), and the posterior from the likelihood under these matrices. The prior of the classes is uniform.
    """
    assert predictions.classes is not None
    classes, predicted = len(predictions.classes), max(predictions.n_predicted.sum() / len(predictions.samples), 1.0)
    scale = LOG_RANGE * min(1.0, MAX_EFFECTIVE_MODELS / predicted)
    found: Array | None = None
    for _ in range(1 + ROUNDS):
        counts = added(predictions.over_parts(partial(_counts, found, scale))) + PSEUDO_COUNT / classes
        found = on_log_scale(counts / counts.sum(axis=2, keepdims=True)).round(DIGITS).astype(np.float32)
    assert found is not None
    return found


def _counts(matrices: Array | None, scale: float, part: Predictions) -> tuple[FloatArray]:
    """(models, true class, predicted class): expected numbers of predictions, given the matrices of the last round.

    In double precision, so that parts of another size round to the same digits.
    """
    assert part.classes is not None
    models, classes, samples = len(part.models), len(part.classes), part.values.shape[1]
    counts = np.zeros((classes, models * classes))
    size = max(1, CELLS // (models * classes))
    for start in range(0, samples, size):
        columns = slice(start, min(start + size, samples))
        votes = np.empty((columns.stop - start, models, classes))
        for model in range(models):
            votes[:, model] = soft_votes(part, model, columns)
        counts += _class_posterior(votes, matrices, scale).T @ votes.reshape(len(votes), -1)
    return (counts.reshape(classes, models, classes).swapaxes(0, 1),)


def _class_posterior(votes: FloatArray, matrices: Array | None, scale: float) -> FloatArray:
    """(samples, classes): adds up to one, or is zero where no model predicts anything."""
    if matrices is None:
        total = votes.sum(axis=1)
    else:
        total = np.tensordot(votes, matrices.astype(np.float64), axes=((1, 2), (0, 2)))
        total = np.exp(scale * (total - total.max(axis=1, keepdims=True)))
    return np.asarray(total / np.maximum(total.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny))
