"""Simultaneous inference on ranks: tiers, rank intervals, and the models that may be best."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from adjudge.core.arrays import TIE_DIGITS, Array, BoolArray, FloatArray, IntArray, competition_rank
from adjudge.core.ranking import Estimate
from adjudge.inference.tiers import tiers, topological_places
from adjudge.losses.loss import Loss

TINY = 1e-9  # differences up to this are rounding errors of sums
CHUNK = 128  # models compared with all others at a time
MANY = 2000  # models above which not all pairs are compared
Interval = tuple[FloatArray, FloatArray, FloatArray]  # value, low, high


class PairwiseDifferences(Protocol):
    """Differences between models, whose intervals hold for all pairs at once."""

    def between(self, left: Array, right: Array) -> Interval:
        """(left, right): the loss of a left model minus that of a right one, with its interval."""
        ...

    def worse(self, left: Array, right: Array) -> BoolArray:
        """(left, right): whether a left model is clearly worse than a right one."""
        ...


@dataclass(frozen=True, eq=False)
class ExactDifferences:
    """Differences between losses that are known."""

    mean_loss: FloatArray

    def between(self, left: Array, right: Array) -> Interval:
        value = self.mean_loss[left][:, None] - self.mean_loss[right][None, :]
        return value, value, value

    def worse(self, left: Array, right: Array) -> BoolArray:
        return np.asarray(self.between(left, right)[0] > TINY)


@dataclass(frozen=True, eq=False)
class SimultaneousRanks:
    """What a ranking says about models compared with each other; None: not known."""

    rank: IntArray
    tier: IntArray | None = None
    rank_low: IntArray | None = None
    rank_high: IntArray | None = None
    worse: BoolArray | None = None  # (models, models): whether the first is clearly worse than the second
    difference_to_leader: Estimate | None = None


def simultaneous_ranks(
    differences: PairwiseDifferences,
    error: FloatArray,
    loss: Loss,
    level: float,
    *,
    anytime: bool,
    sort_key: FloatArray | None = None,
) -> SimultaneousRanks:
    """Tiers and differences to the first model; rank intervals too, unless there are too many models for all pairs.

    Models are ordered by `sort_key`, the lowest first, or by their losses; but no model comes before one that the
    labels show to be better, so that each rank is inside its interval. A model whose loss is not known, since no drawn
    sample has its prediction, has a place if there is a key for it, though not the first one.
    """
    every, unknown, worse = np.arange(len(error)), np.isnan(error), None
    key = error if sort_key is None else _after_the_best(sort_key, unknown)
    if len(error) <= MANY:
        chunks = [every[start : start + CHUNK] for start in range(0, len(every), CHUNK)]
        worse = np.concatenate([differences.worse(chunk, every) for chunk in chunks])
        # differences are estimated pair by pair and might be cyclic; together with the order of the losses they are not
        places = topological_places(np.nan_to_num(key, nan=np.inf).round(TIE_DIGITS), worse & (error[:, None] > error))
        key = np.where(np.isnan(key), np.nan, places)
    rank = ranked(key)

    def clearly_worse(below: IntArray, first: int) -> BoolArray:
        return differences.worse(below, np.array([first]))[:, 0] if worse is None else worse[below, first]

    tier = tiers(np.where(unknown, np.nan, -rank), clearly_worse)
    above, low, high = (loss.max_loss * each[:, 0] for each in differences.between(every, every[[np.argmin(rank)]]))
    above, low, high = (np.where(unknown, np.nan, each) for each in (above, low, high))
    below_leader = Estimate(above, low, high, f"{loss.quantity} behind the leader", level, anytime)
    if worse is None:
        return SimultaneousRanks(rank, tier, difference_to_leader=below_leader)
    better = worse.sum(axis=1)  # models that are clearly better
    return SimultaneousRanks(rank, tier, 1 + better, len(error) - worse.sum(axis=0), worse, below_leader)


def _after_the_best(key: FloatArray, unknown: BoolArray) -> FloatArray:
    if unknown.all():
        return key
    return np.where(unknown, np.maximum(key, np.nanmin(key[~unknown]) + 10.0 ** (1 - TIE_DIGITS)), key)


def ranked(error: FloatArray) -> IntArray:
    """Ranks by loss, 1 for the lowest; ties share a rank, and an unknown loss (nan) comes last."""
    return competition_rank(-error)
