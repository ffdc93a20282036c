"""Which models are clearly worse than which: tiers, ranks, and who may be the best."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.estimate import Estimate, competition_rank
from adjudge.core.losses import Loss
from adjudge.estimators.tiers import tiers

TINY = 1e-9  # differences of sums of floats that mean nothing
CHUNK = 128  # models compared with all others at a time
MANY = 2000  # models above which not all pairs are compared
Interval = tuple[FloatArray, FloatArray, FloatArray]  # value, low, high


class Differences(Protocol):
    """Differences between models, right for all pairs at once."""

    def between(self, left: Array, right: Array) -> Interval:
        """(left, right): by how much the loss of a left model is above that of a right one."""
        ...

    def worse(self, left: Array, right: Array) -> BoolArray:
        """(left, right): whether a left model is clearly worse than a right one."""
        ...


@dataclass(frozen=True, eq=False)
class Exact:
    """Differences between losses that are known."""

    error: FloatArray

    def between(self, left: Array, right: Array) -> Interval:
        value = self.error[left][:, None] - self.error[right][None, :]
        return value, value, value

    def worse(self, left: Array, right: Array) -> BoolArray:
        return np.asarray(self.between(left, right)[0] > TINY)


@dataclass(frozen=True, eq=False)
class Comparison:
    """What an answer says about models compared with each other; None: not known."""

    rank: IntArray
    tier: IntArray | None = None
    rank_low: IntArray | None = None
    rank_high: IntArray | None = None
    may_be_best: BoolArray | None = None
    difference: Estimate | None = None


def compared(
    differences: Differences,
    error: FloatArray,
    loss: Loss,
    level: float,
    *,
    anytime: bool,
    prefer: FloatArray | None = None,
) -> Comparison:
    """Tiers and differences to the first model, and rank intervals where there are not too many models for that.

    What is preferred, in [0, 1], orders the models of a tier, which the labels cannot tell apart.
    """
    tier = tiers(-error, lambda below, first: differences.worse(below, np.array([first]))[:, 0])
    unknown = np.isnan(error)
    rank = ranked(error if prefer is None else np.where(unknown, np.nan, 2.0 * tier - prefer))
    every, leader = np.arange(len(error)), int(np.argmin(rank))
    above, low, high = (loss.bound * each[:, 0] for each in differences.between(every, np.array([leader])))
    above, low, high = (np.where(unknown, np.nan, each) for each in (above, low, high))
    below_leader = Estimate(above, low, high, f"{loss.quantity} below the leader", level, anytime)
    if len(error) > MANY:
        return Comparison(rank, tier, difference=below_leader)
    chunks = [every[start : start + CHUNK] for start in range(0, len(every), CHUNK)]
    worse = np.concatenate([differences.worse(chunk, every) for chunk in chunks])
    better = worse.sum(axis=1)  # models that are clearly better
    return Comparison(rank, tier, 1 + better, len(error) - worse.sum(axis=0), better == 0, below_leader)


def ranked(error: FloatArray) -> IntArray:
    """By losses, whose scale is always that of 0 to 1."""
    return competition_rank(-error)
