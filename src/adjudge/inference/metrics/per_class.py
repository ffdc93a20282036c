"""The metric of one class (precision, recall, specificity, F-beta), with intervals where the labels were drawn.

How often a model predicts a class is known for the whole pool, so F-beta follows from two proportions: how often the
class is true where the model predicts it, and where it does not. Each proportion has a mid-p interval.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.inference.metrics.proportions import proportion
from adjudge.inference.stratum import ratio


class LabeledRows(NamedTuple):
    """Predictions and labels of the rows of the log, for each model."""

    values: IntArray  # (models, rows)
    truth: FloatArray  # (rows,)
    observed: BoolArray  # (models, rows): labeled, and predicted by the model

    @classmethod
    def of(cls, predictions: Predictions, labels: Labels) -> "LabeledRows":
        values = predictions.values[:, labels.sample]
        return cls(values, labels.value, np.asarray((values != MISSING) & labels.usable))

    def true(self, code: int) -> BoolArray:
        return np.asarray((self.truth == code) & self.observed)

    def predicted(self, code: int) -> BoolArray:
        return np.asarray((self.values == code) & self.observed)


class ClassMetric(NamedTuple):
    """The metric of one class; all are (models,) except the influence values, which are (models, rows)."""

    value: FloatArray
    low: FloatArray
    high: FloatArray
    influence: FloatArray
    labeled: IntArray  # labeled samples that the metric is about


def _share(
    predictions: Predictions, labels: Labels, rows: LabeledRows, holds: BoolArray, among: BoolArray, level: float
) -> ClassMetric:
    found = proportion(predictions, labels, rows.observed, holds, among, level)
    influence = found.influence / np.maximum(found.share, 1e-12)[:, None]
    return ClassMetric(found.value, found.low, found.high, influence, among.sum(axis=1))


def _recall(predictions: Predictions, labels: Labels, rows: LabeledRows, code: int, level: float) -> ClassMetric:
    true = rows.true(code)
    return _share(predictions, labels, rows, true & rows.predicted(code), true, level)


def _specificity(predictions: Predictions, labels: Labels, rows: LabeledRows, code: int, level: float) -> ClassMetric:
    other = rows.observed & ~rows.true(code)
    return _share(predictions, labels, rows, other & ~rows.predicted(code), other, level)


def _precision(predictions: Predictions, labels: Labels, rows: LabeledRows, code: int, level: float) -> ClassMetric:
    said = rows.predicted(code)
    return _share(predictions, labels, rows, rows.true(code) & said, said, level)


def _f_beta(
    predictions: Predictions, labels: Labels, rows: LabeledRows, code: int, level: float, square: float
) -> ClassMetric:
    true, predicted = rows.true(code), rows.predicted(code)
    often = np.array([np.count_nonzero(row == code) for row in predictions.values]) / np.maximum(
        predictions.n_predicted, 1
    )
    rest = 1 - often
    right = proportion(predictions, labels, rows.observed, true & predicted, predicted, level)
    missed = proportion(predictions, labels, rows.observed, true & ~predicted, rows.observed & ~predicted, level)
    # a class that a model never predicts has no precision, which then has no effect on F-beta
    precision = np.where(often > 0, right.value, 0.0)
    misses = np.where(rest > 0, missed.value, 0.0)

    def score(precise: FloatArray, miss: FloatArray) -> FloatArray:
        return ratio((1 + square) * often * precise, often + square * (often * precise + rest * miss))

    value = score(precision, misses)
    bottom = np.maximum((often + square * (often * precision + rest * misses)) ** 2, 1e-12)
    by_right, by_missed = (
        (1 + square) * (often + square * rest * misses) / bottom,
        -square * (1 + square) * often * precision / bottom,
    )
    below = np.hypot(value - score(right.low, misses), value - score(precision, missed.high))
    above = np.hypot(value - score(right.high, misses), value - score(precision, missed.low))
    influence = by_right[:, None] * right.influence + by_missed[:, None] * missed.influence
    return ClassMetric(value, value - below, value + above, np.nan_to_num(influence), true.sum(axis=1))


class Counts(NamedTuple):
    """Numbers or shares of samples of the class: found, true and predicted; and all of them."""

    found: IntArray | FloatArray
    true: IntArray | FloatArray
    predicted: IntArray | FloatArray
    all: IntArray | FloatArray


class PerClass(NamedTuple):
    """What a metric is for a single class; the metric is the mean over its classes."""

    counted: Callable[[Counts], FloatArray]
    drawn: Callable[[Predictions, Labels, LabeledRows, int, float], ClassMetric]  # estimated from draws
    classes_of_a_mistake: float = 1.0  # a mistake lowers the recall of one class, but the F1 of two


def f_beta(beta: float) -> PerClass:
    """(1 + beta^2) found / (beta^2 true + predicted): recall counts beta times as much as precision."""

    def drawn(predictions: Predictions, labels: Labels, rows: LabeledRows, code: int, level: float) -> ClassMetric:
        return _f_beta(predictions, labels, rows, code, level, beta**2)

    return PerClass(
        lambda each: ratio(
            np.asarray((1 + beta**2) * each.found, np.float64),
            np.asarray(beta**2 * each.true + each.predicted, np.float64),
        ),
        drawn,
        2.0,
    )


RECALL = PerClass(lambda each: ratio(each.found, each.true), _recall)
PRECISION = PerClass(
    lambda each: np.where(each.predicted > 0, each.found / np.where(each.predicted > 0, each.predicted, 1), 0.0),
    _precision,
)
SPECIFICITY = PerClass(
    lambda each: ratio(each.all - each.true - each.predicted + each.found, each.all - each.true), _specificity
)
