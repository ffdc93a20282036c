"""What is no pool or no log is refused, and what is odd is said."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import adjudge
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import SKIP, Labels, Pick
from adjudge.core.predictions import MISSING, Predictions
from adjudge.errors import AdjudgeWarning, InputError

Pool = tuple[Predictions, FloatArray]


def test_labels_of_another_pool_are_refused(small_pool: Pool) -> None:
    with pytest.raises(InputError, match="a pool of 7 samples, the predictions have 60"):
        adjudge.rank(small_pool[0], Labels.empty(7))


def test_what_is_allowed_but_odd_is_said(small_pool: Pool) -> None:
    pool, truth = small_pool
    one_model = replace(pool, values=pool.values[:1], models=pool.models[:1], probabilities=None)
    with pytest.warns(AdjudgeWarning, match="only one model"):
        adjudge.rank(one_model)
    one_sample = replace(pool, values=pool.values[:, :1], samples=range(1), probabilities=None)
    with pytest.warns(AdjudgeWarning, match="only one sample"):
        adjudge.rank(one_sample)
    same = replace(pool, values=np.tile(pool.values[:1], (6, 1)), probabilities=None)
    with pytest.warns(AdjudgeWarning, match="all models say the same about every sample"):
        adjudge.rank(same)
    bought = adjudge.select(pool, 5).answer_all(truth)
    left = int(np.setdiff1d(np.arange(60), bought.sample)[0])
    skipped = bought.add(Pick(left, 1.0, 5), SKIP)
    with pytest.warns(AdjudgeWarning, match="1 sample could not be labeled"):
        adjudge.rank(pool, skipped)


def test_a_gap_in_the_log_is_named(small_pool: Pool) -> None:
    pool, truth = small_pool
    plan = adjudge.select(pool, 5)
    gap = replace(plan, value=truth[plan.sample], answered=np.array([True, True, False, True, True]))
    with pytest.warns(AdjudgeWarning, match=f"2 of 4 labels are not used yet: .* after '{plan.sample[2]}'"):
        assert adjudge.rank(pool, gap).labels == 2


def test_what_is_no_pool_or_no_log_is_refused(small_pool: Pool) -> None:
    pool, _ = small_pool
    with pytest.raises(InputError, match="a dict is given where predictions are needed"):
        adjudge.rank({})
    with pytest.raises(InputError, match="a tuple is given where labels are needed"):
        adjudge.rank(pool, (pool, Labels.empty(60)))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="the seed -1 is below zero"):
        adjudge.select(pool, 3, seed=-1)
    with pytest.raises(InputError, match=r"the label 4 is not a valid class code \(0 to 3\)"):
        adjudge.rank(pool, Labels.known(60, [0], [4]))


def test_models_that_share_no_sample_do_not_say_the_same(small_pool: Pool) -> None:
    pool, _ = small_pool
    values = np.full((2, 60), MISSING)
    values[0, :30], values[1, 30:] = pool.values[0, :30], pool.values[0, 30:]
    with warnings.catch_warnings():
        warnings.simplefilter("error", AdjudgeWarning)
        found = adjudge.rank(replace(pool, values=values, models=pool.models[:2], probabilities=None))
    assert found.models == pool.models[:2]
