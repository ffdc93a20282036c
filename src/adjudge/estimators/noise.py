"""Labels of which a known share is wrong: what can still be said, wherever the wrong ones are."""

from dataclasses import replace

import numpy as np

from adjudge.core.arrays import BoolArray, IntArray
from adjudge.core.estimate import Answer
from adjudge.errors import InputError
from adjudge.estimators.comparison import TINY
from adjudge.estimators.tiers import tiers


def check_noise(rate: float, *, classes: bool) -> None:
    if not 0 <= rate < 0.5:
        raise InputError(f"a label noise of {rate:g} is not a share from 0 up to half of the labels; 0.02 is 2 %")
    if rate and not classes:
        raise InputError("label noise is a share of wrong classes, but these predictions are numbers")


def noisy(answer: Answer, rate: float, bound: float) -> Answer:
    """The answer if at most this share of the labels of the pool is wrong, each by a loss of `bound` at most.

    A wrong label moves the mean over a pool of n samples by at most bound / n, so the mean that right labels would
    give is at most rate * bound away, wherever the wrong ones are and whatever made them wrong: intervals grow by
    that much on both sides, those of differences by twice as much. A model stays in a tier unless its whole interval is
    below that of the leader, and may be best unless it is clearly worse than the first. Ranks are left unknown.
    """
    shift, estimate = rate * bound, answer.estimate
    low, high = np.maximum(estimate.low - shift, 1 - bound), np.minimum(estimate.high + shift, 1.0)
    tier = answer.tier
    if tier is not None:
        before = tier

        def clearly_worse(below: IntArray, leader: int) -> BoolArray:
            return np.asarray((before[below] > before[leader]) & (high[below] < low[leader]))

        tier = tiers(np.where(before > 0, estimate.value, np.nan), clearly_worse)
    difference, may_be_best = answer.difference, None
    if difference is not None:
        least, most = np.maximum(difference.low - 2 * shift, -bound), np.minimum(difference.high + 2 * shift, bound)
        difference, may_be_best = replace(difference, low=least, high=most), ~(least > TINY)
    return replace(
        answer,
        estimate=replace(estimate, low=low, high=high),
        tier=tier,
        rank_low=None,
        rank_high=None,
        may_be_best=may_be_best,
        best=None,
        difference=difference,
    )
