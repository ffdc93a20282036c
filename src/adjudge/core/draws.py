"""Draws from the samples that are still open, and walks along a plan."""

from dataclasses import dataclass, replace
from math import nan

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels, Pick


def draw_uniform(labels: Labels, seed: int) -> int | None:
    """A sample that was not handed out yet, each with the same chance; None when none is left.

    The draw depends on the seed and on how many rows the log has, so step 7 of seed 3 is the same
    everywhere. Its cost grows with the log, not with the pool.
    """
    open_samples = labels.pool - len(labels)
    if open_samples == 0:
        return None
    number = int(np.random.default_rng([seed, len(labels)]).integers(open_samples))
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
