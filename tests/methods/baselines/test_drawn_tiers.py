"""Tiers from draws: models are parted where the draws show a difference, and seldom where there is none."""

import numpy as np
import pytest

from adjudge.core.predictions import Predictions
from adjudge.methods.baselines.drawn import Drawn
from tests.methods.baselines.test_drawn import buy
from tests.support.repeated import repeated


@pytest.mark.slow
@repeated(100, 300)
@pytest.mark.parametrize(("wrong", "rows"), [(0.2, 60), (0.2, 290), (0.03, 290), (0.2, 298)])
def test_tiers_rarely_part_models_of_equal_accuracy(wrong: float, rows: int, repeats: int) -> None:
    rng = np.random.default_rng(1)
    truth = np.zeros(300, dtype=np.int64)
    base = (np.arange(300) < wrong * 300).astype(np.int8)
    values = np.stack([rng.permutation(base) for _ in range(6)])
    pool = Predictions(values, tuple("abcdef"), range(300), ("right", "wrong"))
    parted = [Drawn().rank(pool, buy(truth, rows, seed)).tier for seed in range(repeats)]
    chance = np.mean([tier is not None and tier.max() > 1 for tier in parted])
    assert chance < 0.05 + 3 * np.sqrt(0.05 * 0.95 / repeats)


def test_a_tier_reaches_to_the_last_model_that_may_be_as_good_as_its_leader() -> None:
    rng = np.random.default_rng(5)
    values = (rng.random((3, 400)) < np.array([[0.05], [0.4], [0]])).astype(np.int8)
    labels = buy(np.zeros(400), 100, seed=1)
    unlabeled = np.setdiff1d(np.arange(400), labels.sample)
    values[2] = -1
    values[2, labels.sample[:2]] = 0, 1  # right once, wrong once, and nothing more is known about the third
    values[2, unlabeled[:6]] = 0
    ranking = Drawn().rank(Predictions(values, tuple("abc"), range(400), ("right", "wrong")), labels)
    assert ranking.tier is not None
    assert ranking.rank.tolist() == [1, 2, 3]
    assert ranking.tier.tolist() == [1, 1, 1]


def test_tiers_part_numbers_by_the_spread_of_their_errors() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(0, 1, 300)
    pool = Predictions(truth + rng.normal(0, [[0.3], [0.35], [2.0]], (3, 300)), tuple("abc"), range(300), None)
    tier = Drawn().rank(pool, buy(truth, 60, 0)).tier
    assert tier is not None
    assert tier.tolist() == [1, 1, 2]


def test_tiers_part_models_that_are_far_apart() -> None:
    truth = np.zeros(500, dtype=np.int64)
    rng = np.random.default_rng(1)
    values = (rng.random((3, 500)) < np.array([[0.02], [0.03], [0.6]])).astype(int)
    pool = Predictions(values, tuple("abc"), range(500), ("right", "wrong"))
    tier = Drawn().rank(pool, buy(truth, 80, 0)).tier
    assert tier is not None
    assert tier.tolist() == [1, 1, 2]
