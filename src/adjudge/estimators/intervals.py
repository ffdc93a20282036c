"""Intervals for means of losses in [0, 1], and which differences are more than chance."""

import numpy as np
from scipy import special

from adjudge.core.arrays import BoolArray, FloatArray


def wilson(mean: FloatArray, count: FloatArray, quantile: float) -> tuple[FloatArray, FloatArray]:
    """The score interval of Wilson (1927).

    `count` is the number of labels or, where draws differ in weight, losses are not just 0 or 1, or
    the pool is finite, the number of plain draws from an endless pool that would tell as much.

    >>> low, high = wilson(np.array([0.0]), np.array([10.0]), 1.959964)
    >>> round(float(low[0]), 4), round(float(high[0]), 4)
    (0.0, 0.2775)
    """
    pull = quantile**2 / count
    center = (mean + pull / 2) / (1 + pull)
    half = quantile / (1 + pull) * np.sqrt((mean * (1 - mean) + pull / 4) / count)
    return np.clip(center - half, 0.0, mean), np.clip(center + half, mean, 1.0)


def normal_quantile(level: float, comparisons: int = 1) -> float:
    """How many standard errors hold a two-sided interval, shared between so many comparisons (Bonferroni)."""
    return float(special.ndtri(1 - (1 - level) / (2 * comparisons)))


def student_quantile(level: float, draws: int) -> float:
    return float(special.stdtrit(draws - 1, 1 - (1 - level) / 2))


def clearly_different(
    difference: FloatArray, variance: FloatArray, largest: FloatArray, draws: int, left: FloatArray, quantile: float
) -> BoolArray:
    """Whether a paired difference is more than chance.

    `variance` is that of one draw, `left` the share of the sampling error that a finite pool leaves. Two draws of
    the `largest` difference seen are added, one in favor of each side, so that a few labels that all agree are
    never taken for certainty (Agresti and Min, 2005).
    """
    shrunk = difference * draws / (draws + 2)
    spread = (draws * (variance + difference**2) + 2 * largest**2) / (draws + 2) - shrunk**2
    return np.asarray(np.abs(shrunk) > quantile * np.sqrt(spread / (draws + 2) * left))
