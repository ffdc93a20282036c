"""Proportions within a part of the pool."""

import numpy as np
import pytest

from adjudge.core.arrays import BoolArray
from adjudge.inference.metrics.proportions import Proportion, proportion
from tests.support.pools import pool_of, uniform_log

SAMPLES = 400
RNG = np.random.default_rng(0)
POOL, TRUTH = pool_of(RNG.integers(0, 3, (2, SAMPLES))), RNG.integers(0, 3, SAMPLES)


def of_drawn(count: int, among: BoolArray) -> Proportion:
    """How often a model is right, within samples that are told by (models, samples)."""
    sample = np.random.default_rng(1).permutation(SAMPLES)[:count]
    right, every = (POOL.values == TRUTH)[:, sample], np.ones((2, count), dtype=bool)
    inside = among[:, sample]
    return proportion(POOL, uniform_log(TRUTH, sample), every, right & inside, inside, 0.95)


def test_all_rows_give_the_proportion_itself() -> None:
    among = np.tile(TRUTH == 1, (2, 1))
    found = of_drawn(SAMPLES, among)
    assert found.value == pytest.approx((POOL.values == 1)[:, TRUTH == 1].mean(axis=1))
    assert found.share == pytest.approx([np.mean(TRUTH == 1)] * 2)


def test_uniform_draws_give_the_share_of_the_rows_with_an_interval_around_it() -> None:
    among = np.tile(TRUTH == 1, (2, 1))
    found, more = of_drawn(60, among), of_drawn(240, among)
    assert ((found.low < found.value) & (found.value < found.high)).all()
    assert (more.high - more.low < 0.7 * (found.high - found.low)).all()


def test_a_part_without_rows_leaves_everything_possible() -> None:
    found = of_drawn(20, np.zeros((2, SAMPLES), dtype=bool))
    assert np.isnan(found.value).all()
    assert (found.low.tolist(), found.high.tolist()) == ([0, 0], [1, 1])
