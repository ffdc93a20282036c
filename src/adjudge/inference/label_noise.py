"""Label noise: intervals that hold if a given share of the labels is wrong, wherever the wrong ones are."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.ranking import Ranking
from adjudge.core.votes import added
from adjudge.errors import InputError
from adjudge.inference.ranks import TINY
from adjudge.inference.tiers import tiers


def check_label_noise(rate: float, *, classes: bool) -> None:
    if not 0 <= rate < 0.5:
        raise InputError(f"label noise must be from 0 to below 0.5, and {rate:g} is not; 0.02 is 2% of the labels")
    if rate and not classes:
        raise InputError("label noise is a share of wrong classes, but these predictions are numbers; leave it out")


def max_loss_shift(predictions: Predictions, labels: Labels, rate: float) -> FloatArray:
    """(models,): the largest error of each mean loss if this share of the labels of the pool is wrong.

    All wrong labels may be among the samples that a model predicts, so a model with few predictions can be off by more.

    >>> pool = Predictions(np.array([[0, 0, 0, 0], [0, -1, -1, -1]]), ("a", "b"), range(4), ("x", "y"))
    >>> max_loss_shift(pool, Labels.empty(4), 0.1).round(3).tolist()
    [0.1, 0.4]
    """
    return np.asarray(np.minimum(rate * (labels.pool - labels.skipped) / _judged(predictions, labels), 1.0))


class NoiseBounds(NamedTuple):
    """Bounds on the difference to one model, as a share of the largest loss; both are (models,)."""

    shift: FloatArray  # the largest error of the difference under label noise
    limit: FloatArray  # the largest possible difference

    @classmethod
    def of(cls, predictions: Predictions, labels: Labels, rate: float, first: int) -> "NoiseBounds":
        """A wrong label changes the difference only on a sample where the predictions differ.

        Where predictions are missing, the means are over different samples, and less of the noise cancels.

        >>> values = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]])
        >>> pool = Predictions(values, ("first", "copy", "near"), range(4), ("x", "y"))
        >>> NoiseBounds.of(pool, Labels.empty(4), 0.4, first=0).shift.tolist()
        [0.0, 0.0, 0.5]
        """
        counted = np.ones(labels.pool, dtype=bool)
        counted[_skips(labels)] = False
        same = added(predictions.over_parts(partial(_same_as, first), counted))
        each, judged = max_loss_shift(predictions, labels, rate), _judged(predictions, labels)
        larger = np.maximum(judged, judged[first])
        limit = (larger - same) / larger
        return cls(np.minimum(each + each[first], 2 * limit), limit)

    def widened(self, low: FloatArray, high: FloatArray, max_loss: float = 1.0) -> tuple[FloatArray, FloatArray]:
        """The ends of an interval under label noise; never narrower, even where the interval exceeds the limit."""
        shift, limit = self.shift * max_loss, self.limit * max_loss
        least = 0.0 - limit  # 0.0, not -0.0
        return np.maximum(low - shift, np.minimum(low, least)), np.minimum(high + shift, np.maximum(high, limit))


def _same_as(first: int, part: Predictions, counted: BoolArray) -> tuple[IntArray]:
    """(models,): on how many samples each predicts the same as one of them."""
    one = part.values[first]
    counted = counted & (one != MISSING)
    return (np.array([np.count_nonzero(counted & (row == one)) for row in part.values]),)


def _skips(labels: Labels) -> IntArray:
    return labels.sample[labels.answered & ~labels.usable]


def _judged(predictions: Predictions, labels: Labels) -> IntArray:
    """(models,): how many samples each predicts that were not skipped; at least one."""
    skipped = (predictions.values[:, _skips(labels)] != MISSING).sum(axis=1)
    return np.asarray(np.maximum(predictions.n_predicted - skipped, 1))


def with_label_noise(
    ranking: Ranking, predictions: Predictions, labels: Labels, rate: float, max_loss: float
) -> Ranking:
    """The ranking if this share of labels may be wrong; `max_loss` is the largest possible loss.

    Intervals grow on both sides by the largest error that the noise can cause, whichever labels are wrong. A model
    stays in a tier unless its whole interval is below that of the leader, and may be best unless it is clearly worse
    than the first. Rank intervals and other pairs become unknown; the posterior still takes the labels as correct.
    """
    shift, estimate = max_loss_shift(predictions, labels, rate) * max_loss, ranking.estimate
    limits = (0.0, max_loss) if estimate.lower_is_better else (1 - max_loss, 1.0)
    low, high = np.maximum(estimate.low - shift, limits[0]), np.minimum(estimate.high + shift, limits[1])
    tier = ranking.tier
    if tier is not None:
        before = tier

        def clearly_worse(below: IntArray, leader: int) -> BoolArray:
            apart = low[below] > high[leader] if estimate.lower_is_better else high[below] < low[leader]
            return np.asarray((before[below] > before[leader]) & apart)

        # by rank, not by value: the consensus may order models otherwise than the draws
        tier = tiers(np.where(before > 0, -ranking.rank, np.nan), clearly_worse)
    difference, proven = ranking.difference_to_leader, ranking.guaranteed
    apart = NoiseBounds.of(predictions, labels, rate, int(ranking.order[0]))
    if difference is not None:
        least, most = apart.widened(difference.low, difference.high, max_loss)
        difference = replace(difference, low=least, high=most)
    if proven is not None:
        lead, _ = apart.widened(proven.lead, proven.lead, max_loss)
        loss = max(0.0, -float(np.min(lead, initial=0.0)))
        proven = replace(proven, may_be_best=~(lead > TINY), lead=lead, loss=loss)
    return replace(
        ranking,
        estimate=replace(estimate, low=low, high=high),
        tier=tier,
        rank_low=None,
        rank_high=None,
        worse=None,
        difference_to_leader=difference,
        guaranteed=proven,
    )
