"""Intervals for means of losses in [0, 1], and for differences between them."""

import numpy as np
from scipy import special

from adjudge.core.arrays import FloatArray
from adjudge.errors import InputError

STEPS = 50  # of bisection
Beta = tuple[FloatArray, FloatArray]  # its two parameters


def check_level(level: float) -> None:
    if not 0.5 <= level < 1:
        raise InputError(f"the level {level:g} is not between 0.5 and 1; 0.95 is customary")


def binomial(
    mean: FloatArray, count: FloatArray, quantile: FloatArray | float, size: FloatArray | float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """The mid-p interval of a share (Lancaster, 1961): right at small counts too, where the score interval is not.

    `count` is the number of labels or, where draws differ in weight, losses are not just 0 or 1, or
    the pool is finite, the number of plain draws from an endless pool that would tell as much. `size` is how many of
    these a hit would be that was not seen.

    >>> low, high = binomial(np.array([0.0]), np.array([10.0]), 1.959964)
    >>> round(float(low[0]), 4), round(float(high[0]), 4)
    (0.0, 0.2589)
    """
    tail, endless = special.ndtr(-quantile), np.isinf(count)
    plain = np.where(endless, 1.0, count)
    hits, misses = mean * plain, (1 - mean) * plain
    low, high = lowest_share(hits, misses, tail, size), 1 - lowest_share(misses, hits, tail, size)
    return np.where(endless, mean, low), np.where(endless, mean, high)


def lowest_share(
    hits: FloatArray, misses: FloatArray, tail: FloatArray | float, size: FloatArray | float = 1.0
) -> FloatArray:
    """The smallest share under which so many hits, or more, are not too unlikely; the number itself counts half."""
    low, high = np.zeros_like(hits), hits / (hits + misses)
    one_more, as_many = halves(np.maximum(hits, 1e-12), np.maximum(misses, 1e-12), size)
    for _ in range(STEPS):
        middle = (low + high) / 2
        unlikely = special.betainc(*one_more, middle) + special.betainc(*as_many, middle) < 2 * tail
        low, high = np.where(unlikely, middle, low), np.where(unlikely, high, middle)
    return np.where(np.isnan(high), np.nan, low)


def halves(hits: FloatArray, misses: FloatArray, size: FloatArray | float = 1.0) -> tuple[Beta, Beta]:
    """The Beta distributions of exact upper and of exact lower ends of a share: mid-p takes half of each.

    The first counts a hit more than was seen, the second a miss. Where draws have weights, such a one may be of another
    size than those that were seen, and adds the square of it to the variance (Fay and Feuer, 1997).
    """
    upper, lower = ((seen + size) / (seen + size**2) for seen in (hits, misses))
    return ((hits + size) * upper, misses * upper), (hits * lower, (misses + size) * lower)


def joined(losses: FloatArray, weight: FloatArray, size: int, quantile: float) -> tuple[FloatArray, FloatArray]:
    """The interval of a stratified mean: one for each stratum, joined by MOVER (Zou and Donner, 2008).

    Draws of one stratum share their weight. `losses` is (models, draws), `size` the number of samples drawn from.
    """
    mean, below, above = np.zeros((3, len(losses)))
    for each in np.unique(weight.round(9)):
        rows = np.flatnonzero(np.isclose(weight, each, rtol=0, atol=1e-9))
        share, drawn = each * len(rows) / len(weight), len(rows)
        members = max(share * size, drawn)
        own = losses[:, rows].mean(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = max(members - 1, 1.0) / np.float64(members - drawn)  # in draws from an endless stratum
            low, high = binomial(own, np.full(len(own), drawn * worth), quantile, worth)
        mean += share * own
        below += (share * (own - low)) ** 2
        above += (share * (high - own)) ** 2
    return np.clip(mean - np.sqrt(below), 0.0, 1.0), np.clip(mean + np.sqrt(above), 0.0, 1.0)


def normal_quantile(level: float, comparisons: int = 1) -> float:
    """How many standard errors hold a two-sided interval, shared between so many comparisons (Bonferroni)."""
    return float(special.ndtri(1 - (1 - level) / (2 * comparisons)))


def student_quantile(level: float, draws: FloatArray | int, comparisons: int = 1) -> FloatArray:
    """The same for a spread that is known from so many draws only."""
    return np.asarray(special.stdtrit(np.asarray(draws) - 1.0, 1 - (1 - level) / (2 * comparisons)))


def guarded_variance(
    difference: FloatArray, spread: FloatArray, largest: FloatArray, draws: FloatArray | int, left: FloatArray | float
) -> FloatArray:
    """The variance of a paired difference, with a draw of the `largest` difference added in favor of each side.

    `spread` is the variance of one draw and `left` what a mean leaves of it; a spread of one draw is not known.
    """
    shrunk = 2 * draws * difference**2 / (draws + 2) ** 2
    each = (draws * np.nan_to_num(spread) + 2 * largest**2) / (draws + 2) + shrunk
    return np.asarray(each * left * (draws + 2) / draws)  # the center stays where it is, so the test is that of theirs
