"""What each model tends to say where the truth is something else: confusions, learned from probabilities alone.

The expectation-maximization of Dawid and Skene (1979) with parts of votes, stopped early. Models that share mistakes
count as a few: otherwise every sample would be certain after a round, and the habits those of the vote.
"""

from math import log

import numpy as np

from adjudge.core.arrays import Array, IntArray
from adjudge.core.predictions import Predictions

MOST_CLASSES = 50  # habits take room and time with the square of the classes
ROUNDS = 3  # the order of the models hardly changes after
INDEPENDENT = 10.0  # models that all of them are worth at most
DOUBT = 5.0  # samples of each class on which a model is taken to have said every class alike
UNLIKELY = 1e-3  # a chance that backs a class no more than nothing does
CERTAIN = -log(UNLIKELY)  # what the whole scale is worth in log odds
DIGITS = 5  # that are kept: sums over samples in another order seldom differ by more


def has_habits(predictions: Predictions) -> bool:
    """Whether models give probabilities, and classes are few enough."""
    return predictions.probabilities is not None and len(predictions.classes or ()) <= MOST_CLASSES


def on_log_scale(chance: Array) -> Array:
    """From unlikely (0) to certain (1); in place, since these are the largest arrays there are."""
    np.log(np.clip(chance, UNLIKELY, 1.0, out=chance), out=chance)
    chance /= chance.dtype.type(CERTAIN)
    chance += 1
    return chance


def parts_of_vote(predictions: Predictions, model: int, columns: IntArray) -> Array:
    """(columns, classes): the probabilities of a model; where it gives none, all goes to what it said."""
    assert predictions.probabilities is not None
    found = predictions.probabilities[model, columns].astype(np.float32)
    lost = np.flatnonzero(np.isnan(found).any(axis=1))
    found[lost] = predictions.values[model, columns[lost], None] == np.arange(found.shape[1])
    return np.asarray(found)


def habits(predictions: Predictions) -> Array:
    """(models, classes, classes): how likely a model says the second class where the truth is the first, on that scale.

    In turn, habits follow from what is believed of each sample (at first the mean probability), and that from what
    models with such habits said. No class is thought to be more common than another.
    """
    assert predictions.classes is not None
    models, samples, classes = len(predictions.models), len(predictions.samples), len(predictions.classes)
    every, spoken = np.arange(samples), max(predictions.said.sum() / samples, 1.0)
    found = np.empty((models, classes, classes), dtype=np.float32)
    believed = np.zeros((samples, classes), dtype=np.float32)
    for model in range(models):
        believed += parts_of_vote(predictions, model, every)
    for turn in range(1 + ROUNDS):
        believed /= np.maximum(believed.sum(axis=1, keepdims=True), np.finfo(np.float32).tiny)
        backing = np.zeros_like(believed)
        for model in range(models):
            said = parts_of_vote(predictions, model, every)
            together = (believed.T @ said).astype(np.float64) + DOUBT / classes
            found[model] = on_log_scale(together / together.sum(axis=1, keepdims=True)).round(DIGITS)
            if turn < ROUNDS:
                backing += said @ found[model].T
        backing -= backing.max(axis=1, keepdims=True)
        believed = np.exp(np.float32(CERTAIN * min(1.0, INDEPENDENT / spoken)) * backing)
    return found
