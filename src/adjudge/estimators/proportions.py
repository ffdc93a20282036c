"""Shares within a part of the pool, such as recall and precision, with intervals from drawn rows."""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.estimators.drawn import DrawnMean, KnownLosses, drawn_mean
from adjudge.estimators.intervals import normal_quantile, wilson


@dataclass(frozen=True, eq=False)
class Proportion:
    """For each model: the share of a part's samples for which something holds; nan where no row is in the part."""

    value: FloatArray  # (models,)
    low: FloatArray
    high: FloatArray
    share: FloatArray  # of the part in the pool, as the rows tell it
    pull: FloatArray  # (models, rows): how far each row pulls the value, times the share of the part in the pool


def proportion(
    predictions: Predictions, labels: Labels, said: BoolArray, holds: BoolArray, part: BoolArray, level: float
) -> Proportion:
    """`said`, `holds` and `part` are (models, rows); what holds, holds inside the part only.

    Wilson's interval, with as many labels as the rows of the part are worth (Kish 1965), or as their spread says if
    that is less. One success and one failure more keep rows that all agree from being taken for certainty.
    """
    top, bottom = (_share(predictions, labels, said, rows) for rows in (holds, part))
    value = np.clip(quotient(top, bottom), 0.0, 1.0)
    weight = np.where(np.isnan(labels.weight), 1.0, labels.weight)
    count = np.nan_to_num(quotient((part @ weight) ** 2, part @ weight**2))
    smooth = (np.nan_to_num(value) * count + 1) / (count + 2)
    pull = holds - smooth[:, None] * part
    mean = drawn_mean(predictions, labels, KnownLosses(pull, said))
    worth = count * mean.count / len(mean.share)
    if not mean.equal:
        worth = np.fmin(worth, quotient(smooth * (1 - smooth) * bottom**2, variance(mean)))
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = wilson(value, worth, normal_quantile(level))
    empty = np.isnan(value)
    return Proportion(value, np.where(empty, 0.0, low), np.where(empty, 1.0, high), bottom, pull)


def variance(mean: DrawnMean) -> FloatArray:
    """(models,): of a mean over the whole pool."""
    if len(mean.share) < 2:
        return np.full(len(mean.rest_said), np.inf)
    plain = mean.equal & mean.complete
    rest = np.where(plain, mean.losses.var(axis=1, ddof=1) / mean.count, mean.variance(mean.residual))
    return np.asarray(rest * (mean.rest_said / (mean.known_said + mean.rest_said)) ** 2)


def quotient(top: FloatArray | IntArray, bottom: FloatArray | IntArray) -> FloatArray:
    """Nan where both are zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.divide(top, bottom))


def _share(predictions: Predictions, labels: Labels, said: BoolArray, rows: BoolArray) -> FloatArray:
    mean = drawn_mean(predictions, labels, KnownLosses(rows.astype(np.float64), said))
    return mean.over_pool(mean.rest)
