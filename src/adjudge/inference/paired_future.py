"""The paired difference of two models on future data, from what a pool and its labels say."""

from math import nan

import numpy as np

from adjudge.inference.clusters import Clusters, widened
from adjudge.inference.future import future_difference, mean_difference_interval, sign_test
from adjudge.inference.intervals import guard_size
from adjudge.inference.paired_difference import DifferenceEstimate, PairedDifference
from adjudge.inference.weighted import MIN_LABELS_UNBOUNDED
from adjudge.losses.loss import ZeroOne

FUTURE_TEST = "exact McNemar test, score interval"
FUTURE_MEANS = "paired mean, Student interval"
TWO_STEPS = "the draws stand for the pool, and the pool for future data"


def paired_future(
    pair: PairedDifference, found: DifferenceEstimate, level: float, clusters: Clusters | None = None
) -> DifferenceEstimate:
    """The same difference, with an interval for future data of the same kind; `found` is that of the pool.

    A pool on which the difference is known is a sample of independent draws. Otherwise the estimate is off by two
    independent errors, that of the draws and that of the pool: the squares of the two half widths are added on each
    side, as MOVER does (Zou and Donner, 2008, https://doi.org/10.1002/sim.3095).
    """
    low, high, p_value = _as_sample(pair, found.value, level)
    if clusters is not None:
        widened = by_clusters(pair, found._replace(low=low, high=high), level, clusters)
        low, high, p_value = widened.low, widened.high, widened.p_value
    if pair.complete:
        method = FUTURE_TEST if isinstance(pair.loss, ZeroOne) else FUTURE_MEANS
        method += "" if clusters is None else f", widened for clusters of {clusters.column!r}"
        return DifferenceEstimate(found.value, low, high, p_value, method)
    below, above = np.hypot(found.value - np.array([found.low, found.high]), found.value - np.array([low, high]))
    ends = (max(-1.0, found.value - float(below)), min(1.0, found.value + float(above)))
    return DifferenceEstimate(found.value, *ends, nan, f"{found.method}; {TWO_STEPS}")


def by_clusters(
    pair: PairedDifference, found: DifferenceEstimate, level: float, clusters: Clusters
) -> DifferenceEstimate:
    """The same difference, with the interval of samples that come in clusters; there is no exact test of those."""
    rows, used = clusters.of_rows(pair.labels.sample), pair.counted[None, :]
    stretch = rows.stretch(rows.design_effect(pair.gain[None, :], used), used, level)
    value, low, high = np.array([[found.value], [found.low], [found.high]])
    low, high = widened(value, low, high, stretch, -1.0, 1.0)
    method = f"{found.method}, widened for clusters of {clusters.column!r}"
    return DifferenceEstimate(found.value, float(low[0]), float(high[0]), nan, method)


def _as_sample(pair: PairedDifference, value: float, level: float) -> tuple[float, float, float]:
    """The interval and the p-value if all samples of the pool were labeled, with as many flips as are estimated."""
    shares = pair.flip_shares()
    if np.isnan(value) or np.isnan(shares).any():
        return nan, nan, nan
    if isinstance(pair.loss, ZeroOne):
        wins, losses = (round(share * pair.samples) for share in shares)
        return *future_difference(wins, losses, pair.samples, level), sign_test(wins, losses)
    if pair.samples < MIN_LABELS_UNBOUNDED and not pair.loss.bounded:
        return nan, nan, nan
    # where the predictions are equal, so are the losses: those samples count as differences of zero
    gain, weight = pair.gain[pair.informative], np.nan_to_num(pair.labels.weight[pair.informative], nan=1.0)
    square = pair.differing / pair.samples * float((weight * gain**2).sum() / max(weight.sum(), 1e-300))
    spread = max(square - value**2, 0.0) * pair.samples / max(pair.samples - 1, 1)
    mean, around, size = np.array([[value], [spread], [guard_size(gain)]])
    low, high = mean_difference_interval(mean, around, size, np.array([pair.samples]), level)
    return float(low[0]), float(high[0]), nan
