"""Intervals for means of losses in [0, 1], and for differences between them."""

import numpy as np
import scipy  # a part of it is imported where it is first used

from adjudge.core.arrays import FloatArray
from adjudge.errors import InputError

STEPS = 50  # of bisection
Beta = tuple[FloatArray, FloatArray]  # its two parameters


def check_level(level: float) -> None:
    if not 0.5 <= level < 1:
        raise InputError(f"the level {level:g} is not between 0.5 and 1; 0.95 is customary")


def mid_p_interval(
    mean: FloatArray, count: FloatArray, quantile: FloatArray | float, unseen_weight: FloatArray | float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """The mid-p interval of a proportion, which holds its level at small counts too, unlike the score interval.

    Parameters
    ----------
    mean
        The proportion that was found.
    count
        The number of labels; where draws differ in weight, losses are not just 0 or 1, or the pool is finite, the
        effective sample size (the number of simple random draws from an infinite pool with the same variance).
    quantile
        The normal quantile of the level, see `normal_quantile`.
    unseen_weight
        What a hit that was not seen counts, in such draws.

    References
    ----------
    Lancaster (1961), Significance tests in discrete distributions. JASA 56(294).
    https://doi.org/10.1080/01621459.1961.10482105

    >>> low, high = mid_p_interval(np.array([0.0]), np.array([10.0]), 1.959964)
    >>> round(float(low[0]), 4), round(float(high[0]), 4)
    (0.0, 0.2589)
    """
    infinite = np.isinf(count)
    plain = np.where(infinite, 1.0, count)
    low = mid_p_lower(mean * plain, (1 - mean) * plain, scipy.special.ndtr(-quantile), unseen_weight)
    return np.where(infinite, mean, low), mid_p_upper(mean, count, quantile, unseen_weight)


def mid_p_upper(
    mean: FloatArray, count: FloatArray, quantile: FloatArray | float, unseen_weight: FloatArray | float = 1.0
) -> FloatArray:
    """The upper end of `mid_p_interval`."""
    infinite = np.isinf(count)
    plain = np.where(infinite, 1.0, count)
    high = 1 - mid_p_lower((1 - mean) * plain, mean * plain, scipy.special.ndtr(-quantile), unseen_weight)
    return np.where(infinite, mean, high)


def mid_p_lower(
    hits: FloatArray, misses: FloatArray, tail: FloatArray | float, unseen_weight: FloatArray | float = 1.0
) -> FloatArray:
    """The lower mid-p end: the smallest proportion that is not rejected.

    The observed count enters with half of its probability.
    """
    low, high = np.zeros_like(hits), hits / (hits + misses)
    one_more, as_many = mid_p_betas(np.maximum(hits, 1e-12), np.maximum(misses, 1e-12), unseen_weight)
    for _ in range(STEPS):
        middle = (low + high) / 2
        unlikely = scipy.special.betainc(*one_more, middle) + scipy.special.betainc(*as_many, middle) < 2 * tail
        low, high = np.where(unlikely, middle, low), np.where(unlikely, high, middle)
    return np.where(np.isnan(high), np.nan, low)


def mid_p_betas(hits: FloatArray, misses: FloatArray, unseen_weight: FloatArray | float = 1.0) -> tuple[Beta, Beta]:
    """The Beta distributions of the exact upper and the exact lower end of a proportion: mid-p mixes them equally.

    The first counts one more hit than was seen, the second one more miss. Where draws have weights, that one may have
    another weight than those that were seen, and adds its square to the variance (Fay and Feuer, 1997,
    https://doi.org/10.1002/(SICI)1097-0258(19970415)16:7<791::AID-SIM500>3.0.CO;2-%23).
    """
    upper, lower = ((seen + unseen_weight) / (seen + unseen_weight**2) for seen in (hits, misses))
    return ((hits + unseen_weight) * upper, misses * upper), (hits * lower, (misses + unseen_weight) * lower)


def mover_interval(losses: FloatArray, weight: FloatArray, size: int, quantile: float) -> tuple[FloatArray, FloatArray]:
    """The interval of a stratified mean: mid-p intervals of the strata, combined by MOVER.

    Draws with equal weights form a stratum. `losses` is (models, draws), `size` the number of samples drawn from.

    References
    ----------
    Zou and Donner (2008), Construction of confidence limits about effect measures: a general approach. Statistics in
    Medicine 27(10). https://doi.org/10.1002/sim.3095
    """
    mean, below, above = np.zeros((3, len(losses)))
    for each in np.unique(weight.round(9)):
        rows = np.flatnonzero(np.isclose(weight, each, rtol=0, atol=1e-9))
        share, drawn = each * len(rows) / len(weight), len(rows)
        members = max(share * size, drawn)
        own = losses[:, rows].mean(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = max(members - 1, 1.0) / np.float64(members - drawn)  # finite-population correction
            low, high = mid_p_interval(own, np.full(len(own), drawn * gain), quantile, gain)
        mean += share * own
        below += (share * (own - low)) ** 2
        above += (share * (high - own)) ** 2
    return np.clip(mean - np.sqrt(below), 0.0, 1.0), np.clip(mean + np.sqrt(above), 0.0, 1.0)


def normal_quantile(level: float, comparisons: int = 1) -> float:
    """The two-sided normal quantile of a level, shared among `comparisons` (Bonferroni)."""
    return float(scipy.special.ndtri(1 - (1 - level) / (2 * comparisons)))


def student_quantile(level: float, draws: FloatArray | int, comparisons: int = 1) -> FloatArray:
    """The same of Student's t, for a variance that was estimated from `draws`."""
    return np.asarray(scipy.special.stdtrit(np.asarray(draws) - 1.0, 1 - (1 - level) / (2 * comparisons)))


def guard_size(differences: FloatArray) -> FloatArray:
    """The size of the draws that `guarded_variance` adds; the last axis are draws.

    It is the root of the contraharmonic mean of the squared differences, that is, of their mean weighted by what each
    adds to the variance: 1 for differences of 0 and 1, close to the largest where rare ones make up most of the
    variance, less where many do. Where none was seen, it is the largest possible, 1.

    >>> guard_size(np.array([[0.0, 1.0, -1.0, 0.0], [0.1, 0.1, -0.1, 1.0], [0.5, -0.4, 0.6, -0.5]])).round(2)
    array([1.  , 0.99, 0.52])
    """
    square = differences**2
    return square_root_guard((square**2).sum(axis=-1), square.sum(axis=-1))


def square_root_guard(fourth: FloatArray, second: FloatArray) -> FloatArray:
    """The same from sums of fourth and second powers."""
    return np.sqrt(np.where(second > 0, fourth / np.where(second > 0, second, 1.0), 1.0))


def guarded_variance(
    difference: FloatArray, spread: FloatArray, size: FloatArray, draws: FloatArray | int, factor: FloatArray | float
) -> FloatArray:
    """The variance of a mean paired difference, with a draw of a difference of `size` added in favor of each side.

    `spread` is the variance of one draw, nan if there is only one, and `factor` the ratio of the variance of the mean
    to it. The added draws keep a few labels that all agree from being taken for certainty (Agresti and Min, 2005,
    https://doi.org/10.1002/sim.1781, where all differences are of one size; see `guard_size` for others).
    """
    shrunk = 2 * draws * difference**2 / (draws + 2) ** 2
    each = (draws * np.nan_to_num(spread) + 2 * size**2) / (draws + 2) + shrunk
    return np.asarray(each * factor * (draws + 2) / draws)  # the center is not shrunk, only the variance
