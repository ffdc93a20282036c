"""Metrics that are not means: functions of weighted rows, each with its influence values.

With weights w that add up to one, the influence value of a row is the derivative of the metric with respect to the
weight of that row, minus its mean. To first order, the error of the metric is the weighted mean of the influence
values, so whatever estimates means of losses estimates its variance (linearization; Deville, 1999,
"Variance estimation for complex statistics and estimators"; Survey Methodology 25(2)).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.inference.metrics.per_class import Counts
from adjudge.inference.metrics.rows import WeightedRows
from adjudge.inference.stratum import ratio

STEP = 1e-20  # of complex-step differentiation, which has no rounding error
BINS = 15  # of the expected calibration error, equally wide (Guo et al., 2017)


class Functional(NamedTuple):
    """(models,): the metric; (models, rows): its influence values, 0 where a prediction is missing."""

    value: FloatArray
    influence: FloatArray


Metric = Callable[[WeightedRows, int | None], Functional]  # the class is given where the metric is about one
ClassTerms = Callable[[Array, Array, Array], Array]  # of shares found, predicted and true


def by_class(terms: ClassTerms) -> Metric:
    """The sum over classes of a function of three shares: found (true and predicted), predicted, true."""

    def metric(rows: WeightedRows, positive: int | None) -> Functional:
        found, predicted, true = _class_shares(rows)
        value = terms(found, predicted, true).sum(axis=1)
        slopes = [
            terms(*(each + 1j * STEP * (place == at) for at, each in enumerate((found, predicted, true)))).imag / STEP
            for place in range(3)
        ]
        return Functional(value, _by_cell(rows, slopes, (found, predicted, true)))

    return metric


def for_classes(counted: Callable[[Counts], FloatArray], rows: WeightedRows, positive: int | None) -> FloatArray:
    """(models, rows): influence values of the mean over classes, or of one class, of a function of shares."""
    found, predicted, true = shares = _class_shares(rows)
    slopes, step = [], 1e-6
    for place in range(3):
        ends = []
        for side in (step, -step):
            moved = [each + side * (place == at) for at, each in enumerate((found, predicted, true))]
            ends.append(counted(Counts(moved[0], moved[2], moved[1], np.ones_like(found))))
        slope = np.nan_to_num((ends[0] - ends[1]) / (2 * step))
        slope = np.where(np.minimum(predicted, true) > step, slope, 0.0) / (1 if positive is not None else rows.classes)
        slopes.append(slope if positive is None else slope * (np.arange(rows.classes) == positive))
    return _by_cell(rows, slopes, shares)


def matthews(rows: WeightedRows, positive: int | None) -> Functional:
    """Matthews correlation of prediction and truth, for any number of classes (Gorodkin, 2004)."""
    found, predicted, true = _class_shares(rows)
    spread = [1 - (each**2).sum(axis=1) for each in (predicted, true)]
    scale = np.sqrt(spread[0] * spread[1])
    value = ratio(found.sum(axis=1) - (predicted * true).sum(axis=1), scale)
    with np.errstate(invalid="ignore", divide="ignore"):
        slopes = [
            np.ones_like(found) / scale[:, None],
            -true / scale[:, None] + (value / spread[0])[:, None] * predicted,
            -predicted / scale[:, None] + (value / spread[1])[:, None] * true,
        ]
    return Functional(value, _by_cell(rows, slopes, (found, predicted, true)))


def _class_shares(rows: WeightedRows) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(models, classes) each: the shares found, predicted and true."""
    shares = np.zeros((3, len(rows.values), rows.classes))
    truth = rows.truth.astype(np.int64)
    for model, (row, weight) in enumerate(zip(rows.values, rows.share, strict=True)):
        seen = weight > 0
        said, is_true, share = row[seen].astype(np.int64), truth[seen], weight[seen]
        right, named = said == is_true, said >= 0  # an abstention names no class
        each = ((said[right], share[right]), (said[named], share[named]), (is_true, share))
        for place, (codes, part) in enumerate(each):
            shares[place, model] = np.bincount(codes, part, minlength=rows.classes)
    return shares[0], shares[1], shares[2]


def _by_cell(rows: WeightedRows, slopes: list[FloatArray], at: tuple[FloatArray, ...]) -> FloatArray:
    """(models, rows): influence values from the derivatives by the shares found, predicted and true."""
    slopes = [np.nan_to_num(each) for each in slopes]
    truth, every = rows.truth.astype(np.int64), np.arange(len(rows.values))[:, None]
    said, named = np.maximum(rows.values, 0).astype(np.int64), rows.values >= 0
    each = np.where(named, slopes[1][every, said], 0.0) + slopes[2][:, truth]
    each += np.where(named & (said == truth), slopes[0][every, said], 0.0)
    middle = sum((slope * share).sum(axis=1) for slope, share in zip(slopes, at, strict=True))
    return np.where(rows.present, each - np.asarray(middle)[:, None], 0.0)


def roc_auc(rows: WeightedRows, positive: int | None) -> Functional:
    """Area under the ROC curve: the chance that a sample of the class has a higher probability of it than another."""
    assert positive is not None
    assert rows.probabilities is not None
    is_true, value, influence = rows.truth == positive, np.full(len(rows.values), np.nan), np.zeros(rows.values.shape)
    for model, share in enumerate(rows.share):
        score, parts = rows.probabilities[model, :, positive], (share * is_true, share * ~is_true)
        inside, outside = parts[0].sum(), parts[1].sum()
        if not (inside > 0 and outside > 0):
            continue
        beaten = _below(score, score, parts[1]) / outside  # the share of the others that a row is above
        beats = 1 - _below(score, score, parts[0]) / inside  # the share of the class that is above a row
        value[model] = parts[0] @ beaten / inside
        each = np.where(is_true, (beaten - value[model]) / inside, (beats - value[model]) / outside)
        influence[model] = np.where(share > 0, each, 0.0)
    return Functional(value, influence)


def _below(at: FloatArray, score: FloatArray, weight: FloatArray) -> FloatArray:
    """The weight of scores below each number, with half of the weight of equal ones."""
    order = np.argsort(score, kind="stable")
    total = np.concatenate([[0.0], np.cumsum(weight[order])])
    ordered = score[order]
    return np.asarray((total[np.searchsorted(ordered, at, "left")] + total[np.searchsorted(ordered, at, "right")]) / 2)


def average_precision(rows: WeightedRows, positive: int | None) -> Functional:
    """The mean, over samples of the class, of the precision among samples whose probability is at least as high."""
    assert positive is not None
    assert rows.probabilities is not None
    is_true, value, influence = rows.truth == positive, np.full(len(rows.values), np.nan), np.zeros(rows.values.shape)
    for model, share in enumerate(rows.share):
        score, inside = rows.probabilities[model, :, positive], share * is_true
        total = inside.sum()
        if not total > 0:
            continue
        order = np.argsort(-score, kind="stable")
        last = np.searchsorted(-score[order], -score, "right") - 1  # of the rows that are at least as high
        above, hits = np.cumsum(share[order])[last], np.cumsum(inside[order])[last]
        precision = hits / np.maximum(above, 1e-300)
        value[model] = inside @ precision / total
        # a row changes the precision at all thresholds that are not above it
        part = np.where(is_true & (share > 0), inside / total / np.maximum(above, 1e-300), 0.0)
        first = np.searchsorted(-score[order], -score, "left")
        tails = [
            np.append(np.cumsum((part * each)[order][::-1])[::-1], 0.0)[first]
            for each in (np.ones_like(part), precision)
        ]
        each = is_true * tails[0] - tails[1] + is_true * (precision - value[model]) / total
        influence[model] = np.where(share > 0, each, 0.0)
    return Functional(value, influence)


def calibration_error(rows: WeightedRows, positive: int | None) -> Functional:
    """Expected calibration error: the mean distance of confidence and accuracy over bins of the confidence."""
    assert rows.probabilities is not None
    confidence = rows.probabilities.max(axis=2)
    gap = np.where(rows.present, confidence - (rows.probabilities.argmax(axis=2) == rows.truth), 0.0)
    bins = np.minimum((confidence * BINS).astype(np.int64), BINS - 1)
    influence, value = np.zeros(gap.shape), np.zeros(len(gap))
    for each in range(BINS):
        total = (rows.share * gap * (bins == each)).sum(axis=1)
        value += np.abs(total)
        influence += np.sign(total)[:, None] * gap * (bins == each)
    return Functional(value, np.where(rows.present, influence - value[:, None], 0.0))


def root_mean_square(rows: WeightedRows, positive: int | None) -> Functional:
    """RMSE: the root of the mean squared error."""
    square = np.where(rows.present, (rows.values - rows.truth) ** 2, 0.0)
    mean = rows.mean(square)
    value = np.sqrt(mean)
    with np.errstate(invalid="ignore", divide="ignore"):
        influence = np.nan_to_num((square - mean[:, None]) / (2 * value[:, None]))
    return Functional(value, np.where(rows.present, influence, 0.0))


def explained_share(rows: WeightedRows, positive: int | None) -> Functional:
    """R2: one minus the mean squared error divided by the variance of the true numbers."""
    square = np.where(rows.present, (rows.values - rows.truth) ** 2, 0.0)
    truth = np.broadcast_to(rows.truth, square.shape)
    away = (truth - rows.mean(truth)[:, None]) ** 2
    error, variance = rows.mean(square), rows.mean(away)
    lost = ratio(error, variance)
    with np.errstate(invalid="ignore", divide="ignore"):
        influence = np.nan_to_num((lost[:, None] * away - square) / variance[:, None])
    return Functional(1 - lost, np.where(rows.present, influence, 0.0))


def weighted_precision(found: Array, predicted: Array, true: Array) -> Array:
    """Precision of each class, weighted by how often the class is true; 0 for a class that is never predicted."""
    return np.asarray(np.where(np.real(predicted) > 0, true * found / np.where(predicted == 0, 1, predicted), 0.0))


def weighted_f(beta: float) -> ClassTerms:
    """F-beta of each class, weighted by how often the class is true."""

    def terms(found: Array, predicted: Array, true: Array) -> Array:
        bottom = beta**2 * true + predicted
        return np.asarray(np.where(bottom != 0, true * (1 + beta**2) * found / np.where(bottom == 0, 1, bottom), 0.0))

    return terms
