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
    scale = np.float32(LOG_RANGE * min(1.0, MAX_EFFECTIVE_MODELS / predicted))
    found: Array | None = None
    for _ in range(1 + ROUNDS):
        counts = added(predictions.over_parts(partial(_counts, found, scale))) + PSEUDO_COUNT / classes
        found = on_log_scale(counts / counts.sum(axis=2, keepdims=True)).round(DIGITS).astype(np.float32)
    assert found is not None
    return found


def _counts(matrices: Array | None, scale: np.float32, part: Predictions) -> tuple[FloatArray]:
    """(models, true class, predicted class): expected numbers of predictions, given the matrices of the last round."""
    posterior = _class_posterior(matrices, scale, part).T.astype(np.float64)  # so that sums of parts are the same
    return (np.array([posterior @ soft_votes(part, model, slice(None)) for model in range(len(part.models))]),)


def _class_posterior(matrices: Array | None, scale: np.float32, part: Predictions) -> Array:
    """(samples, classes): adds up to one, or is zero where no model predicts anything."""
    assert part.classes is not None
    total = np.zeros((part.values.shape[1], len(part.classes)), dtype=np.float32)
    for model in range(len(part.models)):
        vote = soft_votes(part, model, slice(None))
        total += vote if matrices is None else vote @ matrices[model].T
    if matrices is not None:
        total = np.exp(scale * (total - total.max(axis=1, keepdims=True)))
    total /= np.maximum(total.sum(axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return total
