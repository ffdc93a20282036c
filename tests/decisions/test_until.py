import numpy as np
import pytest

import adjudge
from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import Predictions
from adjudge.decisions.stopping import StoppingRule, stopping_status
from adjudge.errors import AdjudgeWarning, InputError

Pool = tuple[Predictions, FloatArray]


def test_a_rule_in_words_is_the_rule(small_pool: Pool) -> None:
    pool, truth = small_pool
    labels = adjudge.select(pool, 30).answer_all(truth)
    found, expected = adjudge.until(pool, labels, "within 0.2"), stopping_status(pool, labels, StoppingRule(0.2))
    assert (found.rule, found.stopped, found.blocking) == (expected.rule, expected.stopped, expected.blocking)
    assert found.ranking is not None
    assert expected.ranking is not None
    assert found.ranking.rows() == expected.ranking.rows()
    assert adjudge.until(pool, labels, StoppingRule()).rule == adjudge.until(pool, labels).rule


def test_all_labels_end_it(small_pool: Pool) -> None:
    pool, truth = small_pool
    assert adjudge.until(pool, adjudge.select(pool, 60).answer_all(truth), "within 0.01").stopped


def test_what_holds_for_any_ranking_is_no_rule(small_pool: Pool) -> None:
    pool, truth = small_pool
    labels = adjudge.select(pool, 10).answer_all(truth)
    with pytest.raises(InputError, match=r"5 points are written as 'within 0.05'"):
        adjudge.until(pool, labels, "within 5")
    with pytest.raises(InputError, match="5 points are written"):
        adjudge.simulate_stopping(pool, truth, "within 5")


def test_skips_are_told(small_pool: Pool) -> None:
    pool, truth = small_pool
    plan = adjudge.select(pool, 10)
    unknown = truth.copy()
    unknown[plan.sample[0]] = np.nan
    with pytest.warns(AdjudgeWarning, match="1 sample could not be labeled"):
        adjudge.until(pool, plan.answer_all(unknown))
