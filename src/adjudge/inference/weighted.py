"""What drawn labels tell about every model: the one way from a log to an answer with intervals."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.losses import Loss, default_loss
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.errors import InputError, NotEnoughLabels
from adjudge.inference.anytime import AnyTime
from adjudge.inference.draws import parts_of
from adjudge.inference.intervals import check_level
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.ranks import TINY, Comparison, Exact, Interval, compared, ranked
from adjudge.inference.stratum import KnownLosses, Part, known_losses, open_samples, part_of, ratio

FEW = 20  # labels below which an interval would rest on a range of values that nobody stated
Helper = Callable[[Predictions, Labels, Loss, list[Part]], list[Part]]


def pool_mean(predictions: Predictions, labels: Labels, loss: Loss, helped: Helper | None = None) -> PoolMean:
    """Mean losses over the pool, from a log that has no gap."""
    mean = mean_of(predictions, labels, known_losses(predictions, labels, loss), stated=loss.stated)
    return mean if helped is None else replace(mean, parts=helped(predictions, labels, loss, mean.parts))


def mean_of(predictions: Predictions, labels: Labels, known: KnownLosses, *, stated: bool = False) -> PoolMean:
    """The same for any numbers; `stated` says that none can be outside [0, 1]."""
    parts = [part_of(predictions, labels, known, draws) for draws in parts_of(predictions, labels)]
    return PoolMean(predictions, parts, known, labels.sample, open_samples(predictions, labels), stated)


@dataclass(frozen=True, eq=False)
class FixedBudget:
    """Differences from a number of draws that was fixed beforehand, right for all pairs at once (Bonferroni)."""

    mean: PoolMean
    level: float
    comparisons: int  # pairs

    def errors(self, comparisons: int = 1) -> Interval:
        return self.mean.interval(1 - (1 - self.level) / comparisons)

    def between(self, left: Array, right: Array) -> Interval:
        return self.mean.differences(left, right, self.level, self.comparisons)

    def worse(self, left: Array, right: Array) -> BoolArray:
        return np.asarray(self.between(left, right)[1] > TINY)


def weighted_ranking(
    predictions: Predictions,
    labels: Labels,
    loss: Loss | None,
    level: float,
    helped: Helper | None = None,
    *,
    anytime: bool = False,
    simultaneous: bool = False,
    prefer: FloatArray | None = None,
) -> Ranking:
    """Rank by the mean loss over the pool, with intervals and comparisons; exact where every sample is labeled.

    What is preferred, in [0, 1], orders the models that the draws cannot tell apart.
    """
    check_level(level)
    labels = labels.settled()
    loss = loss or default_loss(predictions, labels)
    if anytime and not loss.stated:
        raise InputError(
            "intervals that hold at any time, and so stop rules, need to know what values there can be; state it: "
            "--loss squared --range LOW HIGH (loss= in Python)"
        )
    known = known_losses(predictions, labels, loss)
    comparison = None
    if not open_samples(predictions, labels).any():
        error = low = high = ratio(known.losses.sum(axis=1), known.said.sum(axis=1))
        if not np.isnan(error).all():
            comparison = compared(Exact(error), error, loss, level, anytime=anytime)
    elif not known.said[:, ~np.isnan(labels.weight)].any():
        raise NotEnoughLabels(
            "no label that was drawn at random can be used yet, so nothing can be said about the whole pool; "
            "draw some with `adjudge select --method random`, or rank with `labeled`"
        )
    else:
        mean = pool_mean(predictions, labels, loss, helped)
        times = AnyTime(mean, level, mean.pairs) if anytime else FixedBudget(mean, level, mean.pairs)
        error, low, high = times.errors(len(predictions.models) if simultaneous else 1)
        judged = np.sum([part.judged for part in mean.parts], axis=0)
        few = (judged < FEW) & (not loss.stated)
        if not (few & (judged > 0)).any():
            comparison = compared(times, error, loss, level, anytime=anytime, prefer=prefer)
        low, high = np.where(few, np.nan, low), np.where(few, np.nan, high)
    value, low, high = (1 - loss.bound * each for each in (error, high, low))
    return Ranking(
        predictions.models,
        estimate=Estimate(value, low, high, loss.quantity, level, anytime),
        labels=labels.labeled,
        skipped=labels.skipped,
        **vars(comparison or Comparison(ranked(error))),
    )
