"""Shares within a part of the pool, such as recall and precision, with intervals from drawn rows."""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.inference.intervals import binomial, normal_quantile
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.stratum import KnownLosses, ratio
from adjudge.inference.weighted import mean_of


@dataclass(frozen=True, eq=False)
class Proportion:
    """For each model: the share of some samples for which something holds; nan where no row is among them."""

    value: FloatArray  # (models,)
    low: FloatArray
    high: FloatArray
    share: FloatArray  # of these samples in the pool, as the rows tell it
    pull: FloatArray  # (models, rows): how far each row pulls the value, times that share


def proportion(
    predictions: Predictions, labels: Labels, said: BoolArray, holds: BoolArray, among: BoolArray, level: float
) -> Proportion:
    """`said`, `holds` and `among` are (models, rows); what holds, holds among these only.

    The mid-p interval, with as many labels as the rows are worth (Kish 1965), or as their spread says if that is less.
    One success and one failure more keep rows that all agree from being taken for certainty.
    """
    top, bottom = (mean_of(predictions, labels, KnownLosses(rows.astype(np.float64), said)) for rows in (holds, among))
    share = bottom.error
    value = np.clip(ratio(top.error, share), 0.0, 1.0)
    worth = _worth(bottom, among)
    count = np.fmin(worth, among.sum(axis=1))
    smooth = (np.nan_to_num(value) * count + 1) / (count + 2)
    if len(bottom.parts) > 1 or not bottom.parts[0].draws.equal:
        variance = mean_of(predictions, labels, KnownLosses(holds - smooth[:, None] * among, said)).variance
        worth = np.fmin(worth, ratio(smooth * (1 - smooth) * share**2, variance))
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = binomial(value, worth, normal_quantile(level))
    # from the value itself: around the smooth one, shares of different samples would seem to make up for each other
    pull = holds - np.nan_to_num(value)[:, None] * among
    return Proportion(value, np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0), share, pull)


def _worth(mean: PoolMean, among: BoolArray) -> FloatArray:
    """(models,): plain draws among the samples that would tell as much as the rows do, if all parts were alike."""
    variance = np.zeros(len(among))
    for part, weight in zip(mean.parts, mean.weights, strict=True):
        if part.drawn:
            # a part in which none was drawn may still hold some
            adds = np.maximum(among[:, part.draws.rows] @ part.draws.adds, part.draws.adds.mean())
            variance += weight**2 * np.nan_to_num(ratio(adds, part.scale**2), nan=np.inf)
    return np.where(variance > 0, ratio(mean.error**2, variance), np.inf)
