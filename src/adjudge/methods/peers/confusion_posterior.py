"""The posterior of CODA: Dirichlet rows of a confusion matrix for each model, updated label by label."""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.votes import votes
from adjudge.errors import MethodError
from adjudge.methods.peers.betas import moments

SMALL = 1e-6  # in place of a sum of zero
LARGEST = 1 << 28  # samples x classes, and models x classes x classes, that a pool may have: 2 GB


@dataclass(frozen=True, eq=False)
class ConfusionPosterior:
    """The Dirichlet confusion matrices after some labels, as far as they are needed."""

    right: FloatArray  # (models, classes): the diagonal of the Dirichlet rows
    wrong: FloatArray  # (models, classes): the sum of the rest of each row
    weight: FloatArray  # (samples, classes): class probabilities, not normalized

    @classmethod
    def before_labels(cls, predictions: Predictions, alpha: float, strength: float) -> "ConfusionPosterior":
        """From the pooled prediction, one model at a time."""
        counted = votes(predictions)
        assert predictions.classes is not None  # or else there would be no votes
        (models, samples), classes = predictions.values.shape, len(predictions.classes)
        if max(samples, models * classes) * classes > LARGEST:
            raise MethodError(
                f"coda cannot hold {models} models x {samples:,} samples x {classes:,} classes; use `pooled`, whose "
                "cost grows with the answers given"
            )
        pooled = np.zeros((samples, classes))
        for model in range(models):
            _add_votes(pooled, predictions, model)
        pooled = pooled == pooled.max(axis=1, keepdims=True)
        pooled = pooled / pooled.sum(axis=1, keepdims=True) * (counted.majority >= 0)[:, None]
        base = np.full((classes, classes), 1 / max(classes - 1, 1))
        np.fill_diagonal(base, 1.0)
        right, wrong, weight = np.empty((models, classes)), np.empty((models, classes)), np.zeros((samples, classes))
        for model in range(models):
            confusion = _confusion(pooled, predictions, model)
            abstained = pooled.T @ (predictions.values[model] < MISSING)
            total = np.maximum(confusion.sum(axis=1) + abstained, SMALL)
            confusion /= total[:, None]
            rows = strength * (base + (1 - alpha) * confusion)
            right[model] = rows.diagonal()
            wrong[model] = np.maximum(rows.sum(axis=1) - right[model], SMALL)  # a single class is never wrong
            wrong[model] += strength * (1 - alpha) * abstained / total
            _add_rows(weight, predictions, model, rows.T)
        return cls(right, wrong, weight)

    def after(self, predictions: Predictions, sample: int, code: int, learning_rate: float) -> "ConfusionPosterior":
        """With one more label, which has the weight `learning_rate`."""
        predicted = predictions.values[:, sample]
        right, wrong, weight = self.right.copy(), self.wrong.copy(), self.weight.copy()
        right[:, code] += learning_rate * (predicted == code)
        wrong[:, code] += learning_rate * ((predicted != code) & predictions.is_present(predicted))
        if predictions.probabilities is None:
            same = (predictions.values == predicted[:, None]) & (predicted[:, None] >= 0)
            weight[:, code] += learning_rate * same.sum(axis=0)
        else:
            for model in np.flatnonzero(predicted >= 0):
                weight[:, code] += learning_rate * np.nan_to_num(predictions.probabilities[model, :, predicted[model]])
        return ConfusionPosterior(right, wrong, weight)

    @property
    def sample_probability(self) -> FloatArray:
        """(samples, classes): of each class; uniform where there are no predictions."""
        total = self.weight.sum(axis=1, keepdims=True)
        return np.where(total > 0, self.weight / np.where(total > 0, total, 1.0), 1 / self.weight.shape[1])

    @property
    def class_probability(self) -> FloatArray:
        """(classes,): the mean over samples."""
        return np.asarray(self.sample_probability.mean(axis=0))

    def accuracy(self) -> tuple[FloatArray, FloatArray]:
        """(models,) and (models,): mean and variance."""
        mean, variance = moments(self.right, self.wrong, self.class_probability)
        return mean.sum(axis=1), variance.sum(axis=1)


def _confusion(pooled: FloatArray, predictions: Predictions, model: int) -> FloatArray:
    """(classes, classes): how often a model predicts the second where the pooled prediction is the first."""
    if predictions.probabilities is not None:
        return np.asarray(pooled.T @ _stated(predictions.probabilities, model))
    classes = pooled.shape[1]
    sample, code = np.nonzero(pooled)  # few, however many classes there are
    said = predictions.values[model, sample].astype(np.int64)
    named = said >= 0
    cell = code[named] * classes + said[named]
    counted = np.bincount(cell, pooled[sample, code][named], minlength=classes**2)
    return np.asarray(counted.reshape(classes, classes), dtype=np.float64)


def _add_votes(total: FloatArray, predictions: Predictions, model: int) -> None:
    """Add the vote of a model to (samples, classes), or its probabilities."""
    if predictions.probabilities is not None:
        total += _stated(predictions.probabilities, model)
        return
    values = predictions.values[model]
    named = np.flatnonzero(values >= 0)
    total[named, values[named]] += 1.0


def _add_rows(total: FloatArray, predictions: Predictions, model: int, rows: FloatArray) -> None:
    """Add to (samples, classes) the row (classes, classes) of what a model predicts, or their mean if it is unsure."""
    if predictions.probabilities is not None:
        total += _stated(predictions.probabilities, model) @ rows
        return
    values = predictions.values[model]
    named = np.flatnonzero(values >= 0)
    total[named] += rows[values[named]]


def _stated(probabilities: Array, model: int) -> FloatArray:
    """(samples, classes): the probabilities of a model; 0 where it gives none."""
    return np.asarray(np.nan_to_num(probabilities[model].astype(np.float64)))
