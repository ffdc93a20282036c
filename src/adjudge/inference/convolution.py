"""The interval of a sum of two shares, such as the mistakes among samples in dispute and among the others."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.inference.intervals import Beta, binomial, halves, lowest_share, normal_quantile

PLACES = np.linspace(-6.0, 6.0, 49)  # of the points of half a distribution, in standard deviations
CLOSER = np.linspace(-6.0, 6.0, 193)
BINS = 4096  # that a distribution of sums is counted in
MOST_FOUND = 12  # mistakes, from which on they are not rare


@dataclass(frozen=True, eq=False)
class Share:
    """What is known of a share; arrays are (models,)."""

    weight: FloatArray  # in the sum
    mean: FloatArray
    count: FloatArray  # plain draws that would tell as much; endless: it is known
    draws: FloatArray | None = None  # from which the spread was learned; None: it need not be
    size: FloatArray | float = 1.0  # in plain draws, of a mistake that was not seen

    @property
    def points(self) -> tuple[FloatArray, FloatArray]:
        """Two times (models, points): the confidence distribution, for the lower and for the upper end of a sum.

        That of mid-p (its quantiles are the ends of `binomial`) is half a Beta distribution with exact lower and half
        one with exact upper ends. Where no mistake was found there may be none: then the lower end of a sum counts on
        nothing here, and likewise the upper end where nothing was right. Tails of a spread that was learned are those
        of Student's distribution.
        """
        below = special.ndtr(PLACES)
        if self.draws is not None:
            below = special.ndtr(special.stdtrit(self.draws[:, None] - 1, below))
        known, mean = np.isinf(self.count)[:, None], self.mean[:, None]
        plain = np.where(known | np.isnan(mean), 0.0, self.count[:, None])
        hits = np.where(plain > 0, plain * mean, 0.0)
        misses = plain - hits
        one_more, as_many = halves(hits, misses, np.reshape(self.size, (-1, 1)))
        lower = np.where(hits > 0, _beta_quantile(as_many, below), 0.0)
        upper = np.where(misses > 0, _beta_quantile(one_more, below), 1.0)
        for_low = np.hstack([lower, np.where(hits > 0, upper, 0.0)])
        for_high = np.hstack([np.where(misses > 0, lower, 1.0), upper])
        weight = self.weight[:, None]
        return weight * np.where(known, mean, for_low), weight * np.where(known, mean, for_high)

    def mirrored(self, where: BoolArray) -> "Share":
        """Right answers in place of mistakes, for some models."""
        return replace(self, mean=np.where(where, 1 - self.mean, self.mean))

    def above(self, tail: float) -> FloatArray:
        """(models,): how far the upper end is above the mean, in the sum."""
        return np.asarray(
            self.weight * (binomial(self.mean, self.count, normal_quantile(1 - 2 * tail), self.size)[1] - self.mean)
        )

    @property
    def standard_error(self) -> FloatArray:
        """(models,): with half a mistake and half a right answer more than were seen, so that it is never zero."""
        plain = np.where(np.isinf(self.count), 0.0, self.count)
        mean = (plain * self.mean + 0.5) / (plain + 1)
        return np.asarray(self.weight * np.sqrt(mean * (1 - mean) / self.count))


def interval_of_sum(one: Share, other: Share, level: float) -> tuple[FloatArray, FloatArray]:
    """Quantiles of the sum of their confidence distributions; mistakes may be rare in the other one."""
    tail = (1 - level) / 2
    few = ~(other.mean > 0.5)  # mistakes; elsewhere right answers are rare, and the upper end errs more often
    unused = _unused_tail(one.mirrored(~few), other.mirrored(~few), tail)
    for_low, for_high = zip(one.points, other.points, strict=True)
    low, high = tail + np.where(few, unused, 0.0), tail + np.where(few, 0.0, unused)
    return _quantile(*for_low, low), _quantile(*for_high, 1 - high)


def _unused_tail(one: Share, other: Share, tail: float) -> FloatArray:
    """(models,): how much of its tail the upper end of a sum leaves unused, were the truth where the lower end is.

    Where mistakes are rare in the other share, not even finding none of them brings the upper end below such a truth:
    it never errs, so the lower end may err more often (Blaker, 2000, for a share alone).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = one.standard_error / other.weight
    use = np.isfinite(other.count) & np.isfinite(spread) & (spread > 0) & ~np.isnan(other.mean)
    plain, share, own, size = (np.where(use, each, 1.0) for each in (other.count, other.mean, spread, other.size))
    lowest = lowest_share(plain * share, plain * (1 - share), 2 * tail)
    found = np.arange(MOST_FOUND)
    expected = np.maximum(plain * lowest, np.finfo(float).tiny)[:, None]
    chance = np.exp(found * np.log(expected) - expected - special.gammaln(found + 1.0))  # Poisson's
    beside = np.where(use, one.above(tail), 0.0) / np.where(use, other.weight, 1.0)
    ends = _upper_ends(plain, size, beside, tail)
    errs = (chance * special.ndtr((lowest[:, None] - ends) / own[:, None])).sum(axis=1) + 1 - chance.sum(axis=1)
    return np.where(use, np.clip(tail - errs, 0.0, tail), 0.0)


def _upper_ends(count: FloatArray, size: FloatArray, beside: FloatArray, tail: float) -> FloatArray:
    """(models, mistakes found): how far the upper end is above what is not the share, by MOVER."""
    kinds, place = np.unique(np.array([count, size]), axis=1, return_inverse=True)  # most often all models are alike
    place = place.reshape(-1)  # numpy 2.0 has two axes here
    share = np.minimum(np.arange(MOST_FOUND) / kinds[0][:, None], 1.0)
    counts, sizes = (np.broadcast_to(each[:, None], share.shape) for each in kinds)
    above = binomial(share, counts, normal_quantile(1 - 2 * tail), sizes)[1] - share
    return np.asarray(share[place] + np.hypot(beside[:, None], above[place]))


def _quantile(one: FloatArray, other: FloatArray, level: FloatArray) -> FloatArray:
    """(models,): of the sum of two numbers, each given by the points (models, points) of its distribution."""
    share = np.outer(_shares(CLOSER), _shares(PLACES)).ravel()
    found = np.empty(len(level))
    for model, pair in enumerate(zip(one, other, strict=True)):
        narrow, wide = sorted(pair, key=np.ptp)
        closer = np.hstack([np.interp(CLOSER, PLACES, half) for half in np.split(wide, 2)])
        total = np.add.outer(closer, narrow).ravel()
        low, width = total.min(), max(float(np.ptp(total)) / BINS, 1e-300)
        below = np.cumsum(np.bincount(((total - low) / width).astype(np.int64), share))
        found[model] = low + width * np.interp(level[model], below, np.arange(1, len(below) + 1))
    return found


def _shares(places: FloatArray) -> FloatArray:
    """(points,): what each point of both halves of a distribution counts."""
    density = np.tile(np.exp(-(places**2) / 2), 2)
    return np.asarray(density / density.sum())


def _beta_quantile(beta: Beta, below: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore"):  # scipy knows no number far out, where the quantile is as good as zero
        return np.asarray(np.nan_to_num(special.betaincinv(*beta, below)))
