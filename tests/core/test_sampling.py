"""Draws of the next sample."""

import numpy as np

from adjudge.core.labels import Labels
from adjudge.core.sampling import draw_uniform


def test_draws_reach_every_open_sample_equally_and_no_other() -> None:
    labels = Labels.known(12, [0, 3, 4, 11], [0, 0, 0, 0])
    drawn = [pick.sample for seed in range(4000) if (pick := draw_uniform(labels, seed)) is not None]
    counts = np.bincount(drawn, minlength=12)
    assert (counts[[0, 3, 4, 11]] == 0).all()
    expected = 4000 / 8
    assert ((counts[counts > 0] - expected) ** 2 / expected).sum() < 24.3  # chi square with 7 degrees, 0.999
    assert np.count_nonzero(counts) == 8


def test_nothing_is_drawn_from_a_pool_that_is_used_up() -> None:
    assert draw_uniform(Labels.known(2, [0, 1], [0, 0]), 0) is None
