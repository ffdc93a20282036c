"""Draws from the samples that are still open, and walks along a plan."""

from math import nan

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels, Pick
from adjudge.core.protocols import Picker


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


def walk(plan: IntArray, weight: FloatArray | None = None, seen: int = 0) -> Picker:
    """Hand out the samples of a plan one after the other, without those that are in the log already.

    Without weights the samples are chosen, not drawn. `seen` is the length of the log when the plan was made.
    """

    def pick(labels: Labels) -> Pick | None:
        ahead = plan[: len(labels) + 1]  # so many rows cannot hold all of these
        fresh = np.flatnonzero(~np.isin(ahead, labels.sample))
        if not fresh.size:
            return None
        place = int(fresh[0])
        return Pick(int(plan[place]), nan if weight is None else float(weight[place]), seen)

    return pick
