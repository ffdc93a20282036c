"""Proportions within a domain of the pool, such as recall and precision, with intervals from drawn rows."""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.inference.intervals import mid_p_interval, normal_quantile
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.stratum import KnownLosses, ratio
from adjudge.inference.weighted import mean_of


@dataclass(frozen=True, eq=False)
class Proportion:
    """For each model: the proportion of a domain's samples for which something holds; nan where no row is in it."""

    value: FloatArray  # (models,)
    low: FloatArray
    high: FloatArray
    share: FloatArray  # the estimated share of the domain in the pool
    influence: FloatArray  # (models, rows): influence values of the rows on the proportion, times that share


def proportion(
    predictions: Predictions, labels: Labels, observed: BoolArray, holds: BoolArray, among: BoolArray, level: float
) -> Proportion:
    """A ratio of two weighted means, with the mid-p interval for its effective sample size.

    `observed` (predicted and labeled), `among` (in the domain) and `holds` (a part of `among`) are (models, rows). The
    effective sample size is that of the weights (Kish, 1965, Survey Sampling), or that from the variance if smaller.
    One success and one failure are added to the variance, so that rows that all agree do not give certainty.
    """
    top, bottom = (
        mean_of(predictions, labels, KnownLosses(rows.astype(np.float64), observed)) for rows in (holds, among)
    )
    share = bottom.mean_loss
    value = np.clip(ratio(top.mean_loss, share), 0.0, 1.0)
    effective_size = _effective_size(bottom, among)
    count = np.fmin(effective_size, among.sum(axis=1))
    smooth = (np.nan_to_num(value) * count + 1) / (count + 2)
    if len(bottom.strata) > 1 or not bottom.strata[0].draws.unit_weights:
        variance = mean_of(predictions, labels, KnownLosses(holds - smooth[:, None] * among, observed)).variance
        effective_size = np.fmin(effective_size, ratio(smooth * (1 - smooth) * share**2, variance))
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = mid_p_interval(value, effective_size, normal_quantile(level))
    # around the value itself, not the smoothed one, around which the influence values would not have a mean of zero
    influence = holds - np.nan_to_num(value)[:, None] * among
    return Proportion(value, np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0), share, influence)


def _effective_size(mean: PoolMean, among: BoolArray) -> FloatArray:
    """(models,): the effective sample size in the domain, by the weights alone (Kish, 1965)."""
    variance = np.zeros(len(among))
    for stratum, weight in zip(mean.strata, mean.stratum_weights, strict=True):
        if stratum.drawn:
            # a stratum without a draw from the domain may still hold some of it
            adds = np.maximum(
                among[:, stratum.draws.rows] @ stratum.draws.variance_contribution,
                stratum.draws.variance_contribution.mean(),
            )
            variance += weight**2 * np.nan_to_num(ratio(adds, stratum.judgeable_share**2), nan=np.inf)
    return np.where(variance > 0, ratio(mean.mean_loss**2, variance), np.inf)
