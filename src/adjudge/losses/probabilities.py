"""Losses of predicted probabilities: log-loss, Brier score, and whether the true class is among the first k.

Two models may name the same class with other probabilities, and then their losses differ. So such a loss has a pool of
its own (`probability_pool`), whose predictions are numbers of probability vectors, as those of a pool of grades are
numbers of answers.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.predictions import Predictions


@dataclass(frozen=True, eq=False)
class ProbabilityLoss:
    """A loss of probability vectors, looked up by their number.

    Examples
    --------
    >>> vectors = np.array([[0.9, 0.1], [0.5, 0.5]])
    >>> loss = ProbabilityLoss(vectors, brier, "Brier score", max_loss=1.0)
    >>> loss(np.array([[0.0, 1.0]]), np.array([0.0, 0.0])).round(4).tolist()
    [[0.01, 0.25]]
    """

    vectors: Array  # (models x samples, classes)
    of: Callable[[FloatArray, Array], FloatArray]  # from (n, classes) and (n,) of true classes
    quantity: str
    max_loss: float
    best: float = 0.0
    lower_is_better: bool = True
    bounded: bool = True

    def __call__(self, predicted: Array, truth: Array) -> FloatArray:
        found, known = np.full(predicted.shape, np.nan), ~np.isnan(predicted)
        codes = np.broadcast_to(truth, predicted.shape)[known].astype(np.int64)
        vectors = np.asarray(self.vectors[predicted[known].astype(np.int64)], dtype=np.float64)
        found[known] = np.clip(self.of(vectors, codes) / self.max_loss, 0.0, 1.0)
        return found

    def expected(self, predicted: Array, truth: FloatArray) -> FloatArray:
        """(samples,): the loss of (samples,) of predictions, if the truth has the probabilities (samples, classes)."""
        total = np.zeros(len(predicted))
        for code in range(truth.shape[1]):
            total += truth[:, code] * np.nan_to_num(self(predicted[None], np.full(len(predicted), float(code)))[0])
        return total

    def if_second(self, predicted: Array) -> FloatArray:
        """(models,): the root mean square of losses if the second most probable class is always the true one."""
        sizes = np.zeros(len(predicted))
        for model, row in enumerate(predicted):
            number = row[~np.isnan(row)].astype(np.int64)
            if len(number):
                second = np.argsort(self.vectors[number], axis=1)[:, -2:][:, 0]
                sizes[model] = np.sqrt(np.mean(self(number[None].astype(np.float64), second) ** 2))
        return sizes


def probability_pool(predictions: Predictions, metric: str) -> Predictions:
    """The pool whose predictions are numbers of probability vectors; nan where a model has none."""
    probabilities = predictions.needed_probabilities(metric)
    models, samples = predictions.values.shape
    number = np.arange(models * samples, dtype=np.float64).reshape(models, samples)
    for model in range(models):
        number[model, np.isnan(probabilities[model]).any(axis=1)] = np.nan
    number[~predictions.is_present(predictions.values)] = np.nan
    whole = predictions.whole or predictions
    return replace(predictions, values=number, classes=None, probabilities=None, declared=False, whole=whole)


def probability_loss(name: str, predictions: Predictions, first: int = 1) -> ProbabilityLoss:
    """The loss "log-loss", "brier" or "top" (`first` classes), of the probabilities of this pool."""
    probabilities = predictions.needed_probabilities(name)
    classes = probabilities.shape[2]
    vectors = np.asarray(probabilities).reshape(-1, classes)
    if name == "top":
        return ProbabilityLoss(vectors, beyond(first), f"top-{first} accuracy", 1.0, best=1.0, lower_is_better=False)
    if name == "brier":
        return ProbabilityLoss(vectors, brier, "Brier score", 1.0 if classes == 2 else 2.0)
    smallest = float(np.finfo(vectors.dtype).eps)  # as scikit-learn does, so that no loss is infinite
    return ProbabilityLoss(vectors, log_loss(smallest), "log-loss", float(-np.log(smallest)))


def brier(vectors: FloatArray, truth: Array) -> FloatArray:
    """The squared distance to the true class; half of it for two classes, which is that of one probability."""
    away = vectors.copy()
    away[np.arange(len(truth)), truth] -= 1
    return np.asarray((away**2).sum(axis=1) / (2 if vectors.shape[1] == 2 else 1))


def log_loss(smallest: float) -> Callable[[FloatArray, Array], FloatArray]:
    """Minus the logarithm of the probability of the true class, which counts as at least `smallest`."""
    return lambda vectors, truth: -np.log(np.clip(vectors[np.arange(len(truth)), truth], smallest, 1.0))


def beyond(first: int) -> Callable[[FloatArray, Array], FloatArray]:
    """1 where `first` classes are more probable than the true one; of equal ones, the first in the list is."""

    def loss(vectors: FloatArray, truth: Array) -> FloatArray:
        own = vectors[np.arange(len(truth)), truth][:, None]
        earlier = np.arange(vectors.shape[1])[None, :] < truth[:, None]
        ahead = (vectors > own) | ((vectors == own) & earlier)
        return np.asarray(ahead.sum(axis=1) >= first, dtype=np.float64)

    return loss
