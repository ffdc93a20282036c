"""Soft confusion matrices: how likely a model predicts one class where the truth is another, from probabilities alone.

The expectation-maximization of Dawid and Skene (1979, doi 10.2307/2346806) with probabilities as fractions of a vote,
stopped early. Models share mistakes, so all of them count as a few independent ones: otherwise every sample would be
certain after one round, and the matrices would describe agreement with the vote.
"""

from math import log

import numpy as np

from adjudge.core.arrays import Array, IntArray
from adjudge.core.predictions import Predictions

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


def soft_votes(predictions: Predictions, model: int, columns: IntArray) -> Array:
    """(columns, classes): the probabilities of a model; one-hot predictions where it gives none."""
    assert predictions.probabilities is not None
    found = predictions.probabilities[model, columns].astype(np.float32)
    without = np.flatnonzero(np.isnan(found).any(axis=1))
    found[without] = predictions.values[model, columns[without], None] == np.arange(found.shape[1])
    return np.asarray(found)


def soft_confusion_matrices(predictions: Predictions) -> Array:
    """(models, true class, predicted class): log probabilities of what a model predicts, on the scale above.

    Expectation-maximization: the matrices follow from the class posterior of each sample (at first the mean
    probability), and the posterior from the likelihood under these matrices. The prior of the classes is uniform.
    """
    assert predictions.classes is not None
    models, samples, classes = len(predictions.models), len(predictions.samples), len(predictions.classes)
    every, predicted = np.arange(samples), max(predictions.n_predicted.sum() / samples, 1.0)
    found = np.empty((models, classes, classes), dtype=np.float32)
    posterior = np.zeros((samples, classes), dtype=np.float32)
    for model in range(models):
        posterior += soft_votes(predictions, model, every)
    for turn in range(1 + ROUNDS):
        posterior /= np.maximum(posterior.sum(axis=1, keepdims=True), np.finfo(np.float32).tiny)
        log_likelihood = np.zeros_like(posterior)
        for model in range(models):
            vote = soft_votes(predictions, model, every)
            counts = (posterior.T @ vote).astype(np.float64) + PSEUDO_COUNT / classes
            found[model] = on_log_scale(counts / counts.sum(axis=1, keepdims=True)).round(DIGITS)
            if turn < ROUNDS:
                log_likelihood += vote @ found[model].T
        log_likelihood -= log_likelihood.max(axis=1, keepdims=True)
        scale = np.float32(LOG_RANGE * min(1.0, MAX_EFFECTIVE_MODELS / predicted))
        posterior = np.exp(scale * log_likelihood)
    return found
