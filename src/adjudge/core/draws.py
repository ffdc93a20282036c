"""Draws from the samples that are still open."""

import numpy as np

from adjudge.core.labels import Labels


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
