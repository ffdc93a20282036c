"""Which of two models is better: what draws guarantee agrees with what they rule out, and the rest is likely."""

import numpy as np
import pytest

from adjudge import rank
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.decisions.pairs import pairwise_comparison
from adjudge.registry import selector
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought


@pytest.mark.parametrize("method", ["pooled", "random"])
def test_pairs_never_contradict_each_other_or_the_ranking(method: str) -> None:
    pool, truth = example_pool(models=8, samples=400, seed=2)
    log = bought(selector(method), pool, truth * 1.0, 150, seed=0)
    ranking = rank(pool, log)
    found = pairwise_comparison(pool, log, ranking, ranking.order)
    for better in (found.guaranteed, found.likely):
        assert better.any()
        assert not (better & better.T).any()
    right = (pool.values == truth).mean(axis=1)[ranking.order]
    assert (right[:, None] > right)[found.guaranteed].all()
    assert ranking.may_be_best is not None
    assert not found.guaranteed[:, ranking.may_be_best[ranking.order]].any()  # what may be best is worse than none


def test_what_is_likely_of_the_leader_is_what_the_table_says() -> None:
    for seed in range(4):
        pool, truth = example_pool(models=8, samples=400, seed=seed)
        log = bought(selector("pooled"), pool, truth * 1.0, 30, seed=seed)
        ranking = rank(pool, log)
        assert ranking.likely is not None
        found = pairwise_comparison(pool, log, ranking, ranking.order)
        apart = ranking.likely.behind.low[ranking.order] > 1e-9
        assert 0 < apart.sum() < len(apart)
        assert found.likely[0].tolist() == apart.tolist()
        assert not found.likely[:, 0].any()


def test_all_labels_decide_every_pair_and_copies_are_the_same() -> None:
    pool, truth = example_pool(models=4, samples=60, seed=2)
    twice = Predictions(np.vstack([pool.values, pool.values[:1]]), tuple("abcde"), pool.samples, pool.classes)
    log = Labels.known(60, list(range(60)), truth * 1.0)
    found = pairwise_comparison(twice, log, rank(twice, log), np.arange(5))
    right = (twice.values == truth).mean(axis=1)
    assert np.array_equal(found.guaranteed, right[:, None] > right)
    assert np.argwhere(found.same & ~np.eye(5, dtype=bool)).tolist() == [[0, 4], [4, 0]]


def test_numbers_of_which_no_range_is_stated_have_no_guarantee() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=200)
    pool = Predictions(truth + rng.normal(size=(3, 200)) * [[0.1], [1], [3]], tuple("abc"), range(200), None)
    log = bought(selector("random"), pool, truth, 60, seed=0)
    found = pairwise_comparison(pool, log, rank(pool, log), np.arange(3))
    assert not found.guaranteed.any()
    assert not found.likely.any()
