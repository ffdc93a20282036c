"""Labels of which a known share is wrong: what can still be said, wherever the wrong ones are."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.ranking import Ranking
from adjudge.errors import InputError
from adjudge.inference.ranks import TINY
from adjudge.inference.tiers import tiers


def check_noise(rate: float, *, classes: bool) -> None:
    if not 0 <= rate < 0.5:
        raise InputError(f"a label noise of {rate:g} is not a share from 0 up to half of the labels; 0.02 is 2 %")
    if rate and not classes:
        raise InputError("label noise is a share of wrong classes, but these predictions are numbers")


def farthest(predictions: Predictions, labels: Labels, rate: float) -> FloatArray:
    """(models,): how far the mean loss of each may be off, if this share of the labels of the pool is wrong.

    All wrong ones may be among the samples that a model was judged on, so who said little can be off by more.

    >>> pool = Predictions(np.array([[0, 0, 0, 0], [0, -1, -1, -1]]), ("a", "b"), range(4), ("x", "y"))
    >>> farthest(pool, Labels.empty(4), 0.1).round(3).tolist()
    [0.1, 0.4]
    """
    return np.asarray(np.minimum(rate * (labels.pool - labels.skipped) / _judged(predictions, labels), 1.0))


class Apart(NamedTuple):
    """About the difference to one model, as a share of the largest loss; both are (models,)."""

    shift: FloatArray  # how far it may be off
    most: FloatArray  # how large it can be at all

    @classmethod
    def of(cls, predictions: Predictions, labels: Labels, rate: float, first: int) -> "Apart":
        """A wrong label can turn the difference around on a sample where the two differ, and nowhere else.

        Where predictions are missing, it is that of means over different samples, and less of it cancels.

        >>> values = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]])
        >>> pool = Predictions(values, ("first", "copy", "near"), range(4), ("x", "y"))
        >>> Apart.of(pool, Labels.empty(4), 0.4, first=0).shift.tolist()
        [0.0, 0.0, 0.5]
        """
        told = predictions.values[first] != MISSING
        told[_skips(labels)] = False
        same = np.array([np.count_nonzero(told & (row == predictions.values[first])) for row in predictions.values])
        each, judged = farthest(predictions, labels, rate), _judged(predictions, labels)
        larger = np.maximum(judged, judged[first])
        most = (larger - same) / larger
        return cls(np.minimum(each + each[first], 2 * most), most)

    def widened(self, low: FloatArray, high: FloatArray, bound: float = 1.0) -> tuple[FloatArray, FloatArray]:
        """The ends of an interval; after skips it may know of fewer samples than there are, and reach farther."""
        shift, most = self.shift * bound, self.most * bound
        least = 0.0 - most  # nobody wants to read -0.0
        return np.maximum(low - shift, np.minimum(low, least)), np.minimum(high + shift, np.maximum(high, most))


def _skips(labels: Labels) -> IntArray:
    return labels.sample[labels.answered & ~labels.usable]


def _judged(predictions: Predictions, labels: Labels) -> IntArray:
    """(models,): the samples that each said something about and nobody had to skip, or one where there is none."""
    skipped = (predictions.values[:, _skips(labels)] != MISSING).sum(axis=1)
    return np.asarray(np.maximum(predictions.said - skipped, 1))


def noisy(ranking: Ranking, predictions: Predictions, labels: Labels, rate: float, bound: float) -> Ranking:
    """The answer if this share of labels may be wrong; `bound` is the largest loss there is.

    Intervals grow on both sides by what mean losses may be off, wherever the wrong labels are and whatever made them
    wrong; those of differences by what these may be off. A model stays in a tier unless its whole interval is below
    that of the leader, and may be best unless it is clearly worse than the first. Ranks are left unknown.
    """
    shift, estimate = farthest(predictions, labels, rate) * bound, ranking.estimate
    low, high = np.maximum(estimate.low - shift, 1 - bound), np.minimum(estimate.high + shift, 1.0)
    tier = ranking.tier
    if tier is not None:
        before = tier

        def clearly_worse(below: IntArray, leader: int) -> BoolArray:
            return np.asarray((before[below] > before[leader]) & (high[below] < low[leader]))

        tier = tiers(np.where(before > 0, estimate.value, np.nan), clearly_worse)
    difference, may_be_best = ranking.difference, None
    if difference is not None:
        apart = Apart.of(predictions, labels, rate, int(ranking.order[0]))
        least, most = apart.widened(difference.low, difference.high, bound)
        difference, may_be_best = replace(difference, low=least, high=most), ~(least > TINY)
    return replace(
        ranking,
        estimate=replace(estimate, low=low, high=high),
        tier=tier,
        rank_low=None,
        rank_high=None,
        may_be_best=may_be_best,
        best=None,
        difference=difference,
    )
