"""What a metric is computed from: labeled rows with weights."""

from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Predictions and labels of some rows; a row stands for `weight` samples of the pool."""

    values: Array  # (models, rows): class codes, or numbers
    truth: FloatArray  # (rows,): of usable rows
    weight: FloatArray  # (models, rows): 0 where a prediction is missing
    probabilities: Array | None = None  # (models, rows, classes)
    classes: int = 0

    @classmethod
    def of(cls, predictions: Predictions, labels: Labels, weight: FloatArray, *, probable: bool) -> "WeightedRows":
        """The usable rows of a log; `probable`: a prediction without probabilities is missing."""
        usable = labels.usable
        sample = labels.sample[usable]
        values, probabilities = predictions.values[:, sample], None
        present = predictions.is_present(values)
        if probable and predictions.probabilities is not None:
            probabilities = np.asarray(predictions.probabilities[:, sample], dtype=np.float64)
            present = present & ~np.isnan(probabilities).any(axis=2)
        classes = 0 if predictions.classes is None else len(predictions.classes)
        weights = np.where(present, weight[usable], 0.0)
        return cls(values, labels.value[usable], weights, probabilities, classes)

    def hypothetical(self, truth: FloatArray, weight: FloatArray) -> "WeightedRows":
        """The same rows with other labels and weights (rows,)."""
        return replace(self, truth=truth, weight=np.where(self.weight > 0, weight, 0.0))

    @property
    def present(self) -> BoolArray:
        return np.asarray(self.weight > 0)

    @property
    def share(self) -> FloatArray:
        """(models, rows): weights that add up to one for each model."""
        total = self.weight.sum(axis=1, keepdims=True)
        return np.asarray(self.weight / np.where(total > 0, total, np.nan))

    def mean(self, numbers: FloatArray | BoolArray) -> FloatArray:
        """(models,): the weighted mean of (models, rows) or (rows,) of numbers."""
        return np.asarray((self.share * np.where(self.present, numbers, 0.0)).sum(axis=1))
