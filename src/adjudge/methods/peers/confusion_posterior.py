"""The posterior of CODA: Dirichlet rows of a confusion matrix for each model, updated label by label."""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
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
                f"coda cannot hold {models} models x {samples:,} samples x {classes:,} classes; "
                "take fewer samples, or use `model-selector`"
            )
        pooled = sum((_soft_votes(predictions, model) for model in range(models)), np.zeros((samples, classes)))
        pooled = pooled == pooled.max(axis=1, keepdims=True)
        pooled = pooled / pooled.sum(axis=1, keepdims=True) * (counted.majority >= 0)[:, None]
        base = np.full((classes, classes), 1 / max(classes - 1, 1))
        np.fill_diagonal(base, 1.0)
        right, wrong, weight = np.empty((models, classes)), np.empty((models, classes)), np.zeros((samples, classes))
        for model in range(models):
            predicted = _soft_votes(predictions, model)
            confusion = pooled.T @ predicted
            abstained = pooled.T @ (predictions.values[model] < MISSING)
            total = np.maximum(confusion.sum(axis=1) + abstained, SMALL)
            confusion /= total[:, None]
            rows = strength * (base + (1 - alpha) * confusion)
            right[model] = rows.diagonal()
            wrong[model] = np.maximum(rows.sum(axis=1) - right[model], SMALL)  # a single class is never wrong
            wrong[model] += strength * (1 - alpha) * abstained / total
            weight += predicted @ rows.T
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


def _soft_votes(predictions: Predictions, model: int) -> FloatArray:
    """(samples, classes): the probabilities of a model, or its votes; 0 where it names no class."""
    if predictions.probabilities is not None:
        return np.asarray(np.nan_to_num(predictions.probabilities[model].astype(np.float64)))
    values = predictions.values[model]
    present = np.flatnonzero(values >= 0)
    predicted = np.zeros((len(values), len(predictions.classes or ())))
    predicted[present, values[present]] = 1.0
    return predicted
