"""Draws from the samples that are still open, and walks along a plan."""

from dataclasses import dataclass, replace
from math import nan

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels, Pick
from adjudge.errors import MethodError


def draw_uniform(labels: Labels, seed: int) -> int | None:
    """A sample that was not handed out yet, each with the same chance; None when none is left.

    The draw depends on the seed and on how many rows the log has, so step 7 of seed 3 is the same
    everywhere. Its cost grows with the log, not with the pool.
    """
    left = labels.pool - len(labels)
    if left == 0:
        return None
    number = int(np.random.default_rng([seed, len(labels)]).integers(left))
    taken = np.sort(labels.sample)
    # taken[j] - j open samples stand before the j-th taken one
    return number + int(np.searchsorted(taken - np.arange(len(taken)), number, side="right"))


@dataclass(frozen=True, eq=False)
class Walk:
    """A picker that hands out the samples of a plan one after the other, without those that are in the log already."""

    plan: IntArray
    weight: FloatArray | None  # None: chosen, not drawn
    seen: int  # the length of the log when the plan was made

    def __call__(self, labels: Labels) -> Pick | None:
        ahead = self.plan[: len(labels) + 1]  # so many rows cannot hold all of these
        fresh = np.flatnonzero(~np.isin(ahead, labels.sample))
        if not fresh.size:
            return None
        place = int(fresh[0])
        return Pick(int(self.plan[place]), nan if self.weight is None else float(self.weight[place]), self.seen)

    def whole(self, truth: FloatArray, rows: int) -> Labels:
        """The log of so many rows from an empty one, at once: what asking for one pick after the other would give."""
        sample = self.plan[:rows]
        known = Labels.known(len(truth), sample, truth[sample])
        weight = known.weight if self.weight is None else self.weight[:rows]
        return replace(known, weight=weight, seen=np.full(len(sample), self.seen))


def walk(plan: IntArray, weight: FloatArray | None = None, seen: int = 0) -> Walk:
    """Follow a plan made when the log had `seen` rows; without weights its samples are chosen, not drawn."""
    return Walk(plan, weight, seen)


def draw_weighted(labels: Labels, score: FloatArray, floor: float, seed: int) -> Pick | None:
    """Draw one of the r open samples with a chance that grows with its score (samples,).

    The chance is (1 - floor) * score / (sum of open scores) + floor / r; its weight is 1 / (r * chance). Scores that
    are all zero give equal chances. The smallest chance gives the largest weight that the draw could have had, which
    intervals that hold at all times need before they bet.
    """
    rest = still_open(labels)
    if not rest.size:
        return None
    total = score[rest].sum()
    equal = 1 / rest.size
    chance = (1 - floor) * score[rest] / total + floor * equal if total > 0 else np.full(rest.size, equal)
    ends = np.cumsum(chance)
    number = np.random.default_rng([seed, len(labels)]).random() * ends[-1]
    place = min(int(np.searchsorted(ends, number, side="right")), rest.size - 1)
    return Pick(int(rest[place]), float(equal / chance[place]), len(labels), most=float(equal / chance.min()))


def choose_highest(candidates: IntArray, score: FloatArray, close: float, rng: np.random.Generator) -> Pick:
    """The candidate with the highest score (candidates,); those that are `close` to it have the same chance."""
    return Pick(int(rng.choice(candidates[score >= score.max() - close])))


def still_open(labels: Labels) -> IntArray:
    """The samples that were not handed out yet."""
    is_open = np.ones(labels.pool, dtype=bool)
    is_open[labels.sample] = False
    return np.flatnonzero(is_open)


def check_floor(method: str, floor: float) -> None:
    """Refuse a floor under which some samples could not be drawn."""
    if not 0 < floor <= 1:
        raise MethodError(f"{method} has the floor {floor:g}; give a share of equal chances above 0 and up to 1")
