"""Which models are clearly worse than which: tiers, ranks, and who may be the best."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.losses import Loss
from adjudge.core.ranking import TIE_DIGITS, Estimate, competition_rank
from adjudge.inference.tiers import in_turn, tiers

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

    What is preferred, in [0, 1], orders the models of a tier, except that no model comes before one of its tier that
    the labels show to be better. Where there are too many models to compare all pairs, those shown to be worse than
    the leader of their tier come after its others.
    """
    every, lags = np.arange(len(error)), np.zeros(len(error), dtype=bool)

    def clearly_worse(below: IntArray, first: int) -> BoolArray:
        lags[first], lags[below] = False, differences.worse(below, np.array([first]))[:, 0]
        return lags[below]

    tier, unknown, worse = tiers(-error, clearly_worse), np.isnan(error), None
    if len(error) <= MANY:
        chunks = [every[start : start + CHUNK] for start in range(0, len(every), CHUNK)]
        worse = np.concatenate([differences.worse(chunk, every) for chunk in chunks])
    rank = ranked(error if prefer is None else np.where(unknown, np.nan, _places(error, tier, lags, prefer, worse)))
    above, low, high = (loss.bound * each[:, 0] for each in differences.between(every, every[[np.argmin(rank)]]))
    above, low, high = (np.where(unknown, np.nan, each) for each in (above, low, high))
    below_leader = Estimate(above, low, high, f"{loss.quantity} below the leader", level, anytime)
    if worse is None:
        return Comparison(rank, tier, difference=below_leader)
    better = worse.sum(axis=1)  # models that are clearly better
    return Comparison(rank, tier, 1 + better, len(error) - worse.sum(axis=0), better == 0, below_leader)


def _places(
    error: FloatArray, tier: IntArray, lags: BoolArray, prefer: FloatArray, worse: BoolArray | None
) -> FloatArray | IntArray:
    """(models,): numbers that order by tier and preference, the first the lowest."""
    if worse is None:
        return 4.0 * tier + 2.0 * lags - prefer
    # differences are fitted pair by pair, so what they show could run in a circle; losses cannot
    waits = worse & (tier[:, None] == tier) & (error[:, None] > error)
    key = np.where(np.isnan(error), np.inf, 2.0 * tier - prefer)
    return in_turn(key.round(TIE_DIGITS), waits)


def ranked(error: FloatArray) -> IntArray:
    """1 for the lowest loss, or the first place; ties share a rank, and what is not known (nan) comes last."""
    return competition_rank(-error)
