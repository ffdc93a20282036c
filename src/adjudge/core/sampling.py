"""Which sample comes next: what a selector is, weighted random draws from the open samples, and pickers with a plan."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import nan
from typing import Protocol

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.labels import Labels, Pick, Value
from adjudge.core.predictions import Predictions
from adjudge.core.strata import WHOLE_POOL
from adjudge.errors import MethodError

Picker = Callable[[Labels], Pick | None]  # None: no sample is left
Oracle = Callable[[int], Value]  # the only access to true labels
Stop = Callable[[Labels], bool]


class Selector(Protocol):
    """Decides which sample is labeled next.

    `given` are labels from before the run, often none; `budget` is None where only a stopping rule ends the run. The
    picker is a pure function of the log.
    """

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker: ...


def draw_uniform(labels: Labels, seed: int) -> Pick | None:
    """Draw one of the open samples, each with the same chance; None when none is left.

    The draw depends on the seed and on how many rows the log has, so step 7 of seed 3 is the same
    everywhere. Its cost grows with the log, not with the pool.
    """
    left = labels.pool - len(labels)
    if left == 0:
        return None
    number = int(np.random.default_rng([seed, len(labels)]).integers(left))
    taken = np.sort(labels.sample)
    # taken[j] - j open samples stand before the j-th taken one
    sample = number + int(np.searchsorted(taken - np.arange(len(taken)), number, side="right"))
    return Pick(sample, weight=1.0, seen=len(labels))


def draw_uniform_among(labels: Labels, members: BoolArray, stratum: int, seed: int) -> Pick | None:
    """Draw one of the open samples of a stratum (samples,), each with the same chance; None when none is left."""
    rest, rows = still_open(labels), len(labels)
    rest = rest[members[rest]]
    if not rest.size:
        return None
    place = int(np.random.default_rng([seed, rows]).integers(rest.size))
    return Pick(int(rest[place]), 1.0, rows, stratum, 1.0)


@dataclass(frozen=True, eq=False)
class PlannedPicker:
    """A picker that hands out the samples of a plan one by one, except those that are in the log already."""

    plan: IntArray
    weight: FloatArray | None = None  # None: chosen, not drawn
    seen: int = 0  # the length of the log when the plan was made

    def __call__(self, labels: Labels) -> Pick | None:
        ahead = self.plan[: len(labels) + 1]  # a log of n rows cannot contain all of the first n + 1 planned samples
        fresh = np.flatnonzero(~np.isin(ahead, labels.sample))
        if not fresh.size:
            return None
        place = int(fresh[0])
        return Pick(int(self.plan[place]), nan if self.weight is None else float(self.weight[place]), self.seen)

    def whole(self, truth: Array, rows: int) -> Labels:
        """The log of `rows` rows from an empty one, at once: the same as asking for one pick after the other."""
        sample = self.plan[:rows]
        known = Labels.known(len(truth), sample, truth[sample])
        weight = known.weight if self.weight is None else self.weight[:rows]
        return replace(known, weight=weight, seen=np.full(len(sample), self.seen))


def draw_weighted(labels: Labels, score: FloatArray, floor: float, seed: int) -> Pick | None:
    """Draw one of the open samples with a chance that grows with its score (samples,); None when none is left."""
    rest, rows = still_open(labels), len(labels)
    return draw_by_score(rest, score[rest], floor, rows, np.random.default_rng([seed, rows])) if rest.size else None


def draw_by_score(
    among: IntArray, score: FloatArray, floor: float, seen: int, rng: np.random.Generator, stratum: int = WHOLE_POOL
) -> Pick:
    """Draw one of r samples with a chance that grows with its score (among,).

    The chance is (1 - floor) * score / (sum of scores) + floor / r; its weight is 1 / (r * chance). Scores that are all
    zero give equal chances. The smallest chance gives the largest weight that the draw could have had, which betting
    confidence sequences need to bound their bets.
    """
    chance = np.full(len(among), 1 / len(among))
    if score.sum() > 0:
        chance = floor * chance + (1 - floor) * score / score.sum()
    place = int(rng.choice(len(among), p=chance))
    weight, max_weight = 1 / (len(among) * chance[place]), 1 / (len(among) * chance.min())
    return Pick(int(among[place]), float(weight), seen, stratum, float(max_weight))


def choose_highest(candidates: IntArray, score: FloatArray, close: float, rng: np.random.Generator) -> Pick:
    """The candidate with the highest score (candidates,); those that are `close` to it have the same chance."""
    return Pick(int(rng.choice(candidates[score >= score.max() - close])))


def still_open(labels: Labels) -> IntArray:
    """The samples that were not handed out yet."""
    is_open = np.ones(labels.pool, dtype=bool)
    is_open[labels.sample] = False
    return np.flatnonzero(is_open)


def check_floor(method: str, floor: float) -> None:
    """Refuse a floor that gives some samples no chance."""
    if not 0 < floor <= 1:
        raise MethodError(f"{method} has the floor {floor:g}; give a share of equal chances above 0 and up to 1")


def hand_out(picker: Picker, labels: Labels, rows: int) -> Labels:
    """The log with `rows` more pending rows: a plan to be labeled elsewhere."""
    for _ in range(rows):
        pick = picker(labels)
        if pick is None:
            break
        labels = labels.hand_out(pick)
    return labels
