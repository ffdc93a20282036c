"""Labels of which a known share is wrong: what can still be said, wherever the wrong ones are."""

from dataclasses import replace

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.estimate import Answer
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.errors import InputError
from adjudge.estimators.comparison import TINY
from adjudge.estimators.tiers import tiers


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
    skipped = labels.sample[labels.answered & ~labels.usable]
    judged = predictions.said - (predictions.values[:, skipped] != MISSING).sum(axis=1)
    return np.asarray(np.minimum(rate * (labels.pool - len(skipped)) / np.maximum(judged, 1), 1.0))


def noisy(answer: Answer, farthest: FloatArray, bound: float) -> Answer:
    """The answer if mean losses may be off by that much, as a share of `bound`, the largest loss there is.

    Intervals grow by that much on both sides, wherever the wrong labels are and whatever made them wrong; those of
    differences grow by what both models may be off. A model stays in a tier unless its whole interval is below that of
    the leader, and may be best unless it is clearly worse than the first. Ranks are left unknown.
    """
    shift, estimate = farthest * bound, answer.estimate
    low, high = np.maximum(estimate.low - shift, 1 - bound), np.minimum(estimate.high + shift, 1.0)
    tier = answer.tier
    if tier is not None:
        before = tier

        def clearly_worse(below: IntArray, leader: int) -> BoolArray:
            return np.asarray((before[below] > before[leader]) & (high[below] < low[leader]))

        tier = tiers(np.where(before > 0, estimate.value, np.nan), clearly_worse)
    difference, may_be_best = answer.difference, None
    if difference is not None:
        apart = shift + shift[answer.order[0]]
        least, most = np.maximum(difference.low - apart, -bound), np.minimum(difference.high + apart, bound)
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
