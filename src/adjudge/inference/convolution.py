"""Convolution of confidence distributions: the interval of a sum of two proportions.

The proportions are error rates in two strata, such as the disputed and the unanimous samples of a pool.

References
----------
Blaker (2000), Confidence curves and improved exact confidence intervals for discrete distributions. Canadian Journal of
Statistics 28(4). https://doi.org/10.2307/3315916
Zou and Donner (2008), Construction of confidence limits about effect measures (MOVER). Statistics in Medicine 27(10).
https://doi.org/10.1002/sim.3095
"""

from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np
import scipy  # a part of it is imported where it is first used

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.inference.intervals import Beta, mid_p_betas, mid_p_lower, mid_p_upper, normal_quantile

PLACES = np.linspace(-6.0, 6.0, 49)  # points of half a distribution, as normal quantiles
CLOSER = np.linspace(-6.0, 6.0, 193)  # the same on a finer grid
BINS = 4096  # of the histogram of the sum
KEPT = 1024  # Beta distributions whose quantiles are kept
MOST_FOUND = 12  # number of mistakes from which on they do not count as rare


@dataclass(frozen=True, eq=False)
class ConfidenceDistribution:
    """The confidence distribution of a proportion; arrays are (models,)."""

    weight: FloatArray  # of the proportion in the sum
    mean: FloatArray
    effective_size: FloatArray  # effective sample size; infinite: the proportion is known
    variance_draws: FloatArray | None = None  # draws that the variance was estimated from; None: it was not estimated
    unseen_weight: FloatArray | float = 1.0  # what a mistake that was not seen counts, in effective draws
    may_be_zero: BoolArray | bool = False  # no mistake was found, even if the weights of draws make the mean another
    may_be_one: BoolArray | bool = False  # only mistakes were found

    @property
    def points(self) -> tuple[FloatArray, FloatArray]:
        """Two times (models, points): quantiles, for the lower and for the upper end of a sum.

        The mid-p confidence distribution (its quantiles are the ends of `mid_p_interval`) is an equal mixture of the
        two Beta distributions that give exact lower and exact upper ends. Where no mistake was found, the true
        proportion may be zero, so the lower end takes zero; where all were mistakes, the upper end takes one. If the
        variance was estimated, the tails are those of Student's t.
        """
        known, mean = np.isinf(self.effective_size)[:, None], self.mean[:, None]
        plain = np.where(known | np.isnan(mean), 0.0, self.effective_size[:, None])
        hits = np.where(plain > 0, plain * mean, 0.0)
        misses = plain - hits
        one_more, as_many = mid_p_betas(hits, misses, np.reshape(self.unseen_weight, (-1, 1)))
        lower = np.where(hits > 0, _beta_quantiles(as_many, self.variance_draws), 0.0)
        upper = np.where(misses > 0, _beta_quantiles(one_more, self.variance_draws), 1.0)
        both = np.hstack([lower, upper])
        for_low = np.where((hits > 0) & ~np.reshape(self.may_be_zero, (-1, 1)), both, 0.0)
        for_high = np.where((misses > 0) & ~np.reshape(self.may_be_one, (-1, 1)), both, 1.0)
        weight = self.weight[:, None]
        return weight * np.where(known, mean, for_low), weight * np.where(known, mean, for_high)

    def complement(self, where: BoolArray) -> "ConfidenceDistribution":
        """The proportion of right answers in place of that of mistakes, for some models."""
        zero, one = np.broadcast_to(self.may_be_zero, where.shape), np.broadcast_to(self.may_be_one, where.shape)
        return replace(
            self,
            mean=np.where(where, 1 - self.mean, self.mean),
            may_be_zero=np.where(where, one, zero),
            may_be_one=np.where(where, zero, one),
        )

    def upper_margin(self, tail: float) -> FloatArray:
        """(models,): the distance from the mean to the upper end, times the weight."""
        upper = mid_p_upper(self.mean, self.effective_size, normal_quantile(1 - 2 * tail), self.unseen_weight)
        return np.asarray(self.weight * (upper - self.mean))

    @property
    def standard_error(self) -> FloatArray:
        """(models,): with half a mistake and half a right answer added, so that it is never zero."""
        plain = np.where(np.isinf(self.effective_size), 0.0, self.effective_size)
        mean = (plain * self.mean + 0.5) / (plain + 1)
        return np.asarray(self.weight * np.sqrt(mean * (1 - mean) / self.effective_size))


def convolution_interval(
    one: ConfidenceDistribution, other: ConfidenceDistribution, level: float
) -> tuple[FloatArray, FloatArray]:
    """Quantiles of the convolution of two confidence distributions; in `other`, mistakes may be rare."""
    tail = (1 - level) / 2
    few = ~(other.mean > 0.5)  # mistakes are the rarer outcome; elsewhere right answers are, and the ends swap roles
    unused = _unused_tail(one.complement(~few), other.complement(~few), tail)
    for_low, for_high = zip(one.points, other.points, strict=True)
    low, high = tail + np.where(few, unused, 0.0), tail + np.where(few, 0.0, unused)
    return _quantile(*for_low, low), _quantile(*for_high, 1 - high)


def _unused_tail(one: ConfidenceDistribution, other: ConfidenceDistribution, tail: float) -> FloatArray:
    """(models,): the part of the upper end's error rate that it cannot use, being above the truth without mistakes.

    Where mistakes are rare in `other`, the upper end stays above such a truth even if none is found: it never errs, so
    the lower end may have its error rate too (as Blaker, 2000, does for a single proportion).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = one.standard_error / other.weight
    use = np.isfinite(other.effective_size) & np.isfinite(spread) & (spread > 0) & ~np.isnan(other.mean)
    plain, share, own, size = (
        np.where(use, each, 1.0) for each in (other.effective_size, other.mean, spread, other.unseen_weight)
    )
    lowest = mid_p_lower(plain * share, plain * (1 - share), 2 * tail)
    found = np.arange(MOST_FOUND)
    expected = np.maximum(plain * lowest, np.finfo(float).tiny)[:, None]
    chance = np.exp(found * np.log(expected) - expected - scipy.special.gammaln(found + 1.0))  # Poisson
    beside = np.where(use, one.upper_margin(tail), 0.0) / np.where(use, other.weight, 1.0)
    ends = _upper_ends(plain, size, beside, tail)
    errs = (chance * scipy.special.ndtr((lowest[:, None] - ends) / own[:, None])).sum(axis=1) + 1 - chance.sum(axis=1)
    return np.where(use, np.clip(tail - errs, 0.0, tail), 0.0)


def _upper_ends(count: FloatArray, size: FloatArray, beside: FloatArray, tail: float) -> FloatArray:
    """(models, mistakes found): the upper end of the sum by MOVER, minus the mean of the first proportion."""
    kinds, place = np.unique(np.array([count, size]), axis=1, return_inverse=True)  # usually the same for all models
    place = place.reshape(-1)  # numpy 2.0 returns two axes here
    share = np.minimum(np.arange(MOST_FOUND) / kinds[0][:, None], 1.0)
    counts, sizes = (np.broadcast_to(each[:, None], share.shape) for each in kinds)
    above = mid_p_upper(share, counts, normal_quantile(1 - 2 * tail), sizes) - share
    return np.asarray(share[place] + np.hypot(beside[:, None], above[place]))


def _quantile(one: FloatArray, other: FloatArray, level: FloatArray) -> FloatArray:
    """(models,): quantiles of the sum of two variables, each given by points (models, points) of its distribution."""
    swapped = (np.ptp(one, axis=1) > np.ptp(other, axis=1))[:, None]
    narrow, wide = np.where(swapped, other, one), _on_finer_grid(np.where(swapped, one, other))
    low, top = narrow.min(axis=1) + wide.min(axis=1), narrow.max(axis=1) + wide.max(axis=1)
    width = np.maximum((top - low) / BINS, 1e-300)
    found, known, ends = np.empty(len(level)), np.ptp(narrow, axis=1) == 0, np.arange(1.0, BINS + 3)
    for points, models in ((narrow[:, :1], np.flatnonzero(known)), (narrow, np.flatnonzero(~known))):
        share = _shares(CLOSER) if points.shape[1] == 1 else _shares_of_sums()
        total, place = np.empty((wide.shape[1], points.shape[1])), np.empty(share.size, dtype=np.int64)
        for model in models:  # in the same memory: new one would cost as much as the sums
            np.add.outer(wide[model], points[model], out=total)
            total -= low[model]
            total /= width[model]
            np.copyto(place, total.ravel(), casting="unsafe")
            below = np.cumsum(np.bincount(place, share))
            found[model] = low[model] + width[model] * np.interp(level[model], below, ends[: len(below)])
    return found


def _on_finer_grid(points: FloatArray) -> FloatArray:
    """(models, points): both halves at `CLOSER`, interpolated between `PLACES`."""
    halves = points.reshape(len(points), 2, len(PLACES))
    left = np.minimum(np.searchsorted(PLACES, CLOSER, side="right") - 1, len(PLACES) - 2)
    slope = np.diff(halves, axis=2) / np.diff(PLACES)
    closer = slope[:, :, left] * (CLOSER - PLACES[left]) + halves[:, :, left]
    return np.asarray(closer.reshape(len(points), -1))


@cache
def _shares_of_sums() -> FloatArray:
    """The probability of each sum of a point on the finer grid and one on the other."""
    return np.outer(_shares(CLOSER), _shares(PLACES)).ravel()


def _shares(places: FloatArray) -> FloatArray:
    """(points,): the probability of each point, over both halves of the mixture."""
    density = np.tile(np.exp(-(places**2) / 2), 2)
    return np.asarray(density / density.sum())


def _beta_quantiles(beta: Beta, draws: FloatArray | None) -> FloatArray:
    """(models, points): quantiles of Beta distributions."""
    tails = [0.0] * len(beta[0]) if draws is None else draws.tolist()
    with np.errstate(invalid="ignore"):
        return np.array([_quantiles(*each) for each in zip(*(end[:, 0].tolist() for end in beta), tails, strict=True)])


@lru_cache(KEPT)
def _quantiles(one: float, other: float, draws: float) -> FloatArray:
    """(points,): of one Beta distribution; models without a mistake are alike, and others often as one label before."""
    found = scipy.special.betaincinv(one, other, _below(draws))
    return np.where(np.isnan(found), 0.0, found)  # far out in the tail, where the quantile is practically zero


@lru_cache(KEPT)
def _below(draws: float) -> FloatArray:
    """(points,): the probabilities of `PLACES`, with the tails of Student's t if the variance is from so many draws."""
    below = scipy.special.ndtr(PLACES)
    return np.asarray(scipy.special.ndtr(scipy.special.stdtrit(draws - 1, below)) if draws else below)
