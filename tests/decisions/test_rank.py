"""Which ranking suits the labels."""

import pytest

import adjudge
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeWarning

Pool = tuple[Predictions, FloatArray]


def test_the_ranking_suits_the_labels(small_pool: Pool) -> None:
    pool, truth = small_pool
    assert adjudge.rank(pool).estimate.quantity == "agreement"
    chosen = Labels.known(60, [1, 2, 3], truth[[1, 2, 3]])
    assert adjudge.rank(pool, chosen).estimate.quantity == "accuracy on the labeled samples"
    assert not adjudge.rank(pool, chosen).estimate.has_interval
    drawn = adjudge.select(pool, 30).answer_all(truth)
    answer = adjudge.rank(pool, drawn)
    assert answer.estimate.quantity == "accuracy"
    assert answer.estimate.has_interval
    assert answer.tier is not None
    assert adjudge.rank(pool, drawn, "agreement").estimate.quantity == "agreement"


def test_a_plan_that_nobody_filled_ranks_like_no_labels(small_pool: Pool) -> None:
    pool, _ = small_pool
    with pytest.warns(AdjudgeWarning, match="none of the 5 samples in the log has a label yet"):
        assert adjudge.rank(pool, adjudge.select(pool, 5)).estimate.quantity == "agreement"
