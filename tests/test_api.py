import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import SKIP, Labels, Pick
from adjudge.core.predictions import MISSING, Predictions
from adjudge.errors import AdjudgeWarning, InputError

Pool = tuple[Predictions, FloatArray]


def test_every_public_name_is_there() -> None:
    for name in adjudge.__all__:
        assert getattr(adjudge, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = adjudge.nothing


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


def test_a_plan_goes_on_where_the_log_ends(small_pool: Pool) -> None:
    pool, _ = small_pool
    whole = adjudge.select(pool, 20, seed=4)
    half = adjudge.select(pool, 10, seed=4)
    assert half.header.method == "pooled"
    assert half.header.seed == 4
    more = adjudge.select(pool, 10, labels=half)  # method and seed are those of the log
    assert more.sample.tolist() == whole.sample.tolist()
    assert more.seen.tolist() == list(range(20))


def test_a_plan_goes_on_with_its_options(small_pool: Pool) -> None:
    pool, _ = small_pool
    whole = adjudge.select(pool, 20, "sds", options={"candidates": 0.5})
    half = adjudge.select(pool, 10, "sds", options={"candidates": "0.5"})
    assert half.header.parameters == {"candidates": "0.5"}
    assert adjudge.select(pool, 10, labels=half).sample.tolist() == whole.sample.tolist()


@pytest.mark.parametrize("budget", [-1, 0, 61, 5.0, True, "5", np.float64(5)])
def test_a_budget_must_fit(small_pool: Pool, budget: Any) -> None:
    sentence = (
        f"a budget of {budget} was asked for but 60 of 60 samples are left to label; give a whole number from 1 to 60"
    )
    with pytest.raises(InputError, match=sentence):
        adjudge.select(small_pool[0], budget)


def test_a_whole_number_of_numpy_is_a_budget(small_pool: Pool) -> None:
    given: Any = np.int64(5)
    assert len(adjudge.select(small_pool[0], given)) == 5


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


def test_models_that_share_no_sample_do_not_say_the_same(small_pool: Pool) -> None:
    pool, _ = small_pool
    values = np.full((2, 60), MISSING)
    values[0, :30], values[1, 30:] = pool.values[0, :30], pool.values[0, 30:]
    with warnings.catch_warnings():
        warnings.simplefilter("error", AdjudgeWarning)
        adjudge.rank(replace(pool, values=values, models=pool.models[:2], probabilities=None))


def test_a_gap_in_the_log_is_named(small_pool: Pool) -> None:
    pool, truth = small_pool
    plan = adjudge.select(pool, 5)
    gap = replace(plan, value=truth[plan.sample], answered=np.array([True, True, False, True, True]))
    with pytest.warns(AdjudgeWarning, match=f"2 of 4 labels are not used yet: .* after '{plan.sample[2]}'"):
        assert adjudge.rank(pool, gap).labels == 2


def test_an_answer_shows_itself() -> None:
    pool = adjudge.from_frame({"id": [1, 2], "<b>": ["x", "y"], "b": ["x", "x"], "c": ["x", "x"]})
    shown = adjudge.rank(pool)._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
    assert "0.500" in repr(adjudge.rank(pool))


def test_a_plan_is_filled_by_names() -> None:
    pool = adjudge.from_frame({"id": ["u", "v"], "a": ["x", "y"], "b": ["x", "x"]})
    plan = adjudge.select(pool, 2)
    with pytest.raises(InputError, match="answers is a list, which names no samples; give a dict or a Series"):
        adjudge.fill(plan, pool, ["y"])  # type: ignore[arg-type]
    log = adjudge.fill(plan, pool, {"v": "y"})
    assert log.labeled == 1
    assert adjudge.rank(pool, adjudge.fill(log, pool, {"u": adjudge.SKIP}), "labeled").models[0] == "a"
    with pytest.raises(adjudge.AdjudgeError, match=r"answers are not among the classes for 'v' \('z': `with_classes`"):
        adjudge.fill(plan, pool, {"v": "z"})
    with pytest.raises(adjudge.AdjudgeError, match="no answer is about a sample of the plan, 'w' for one"):
        adjudge.fill(plan, pool, {"w": "x"})
    assert adjudge.fill(plan, pool, {"v": "skip"}).skipped == 1
    with pytest.warns(adjudge.AdjudgeWarning, match="'X' as 'x'"):
        assert adjudge.fill(plan, pool, {"w": "x", " u ": "X", "v": "y"}).labeled == 2  # all that is known is fine
    named = adjudge.from_frame({"id": ["u", "v"], "a": ["x", "SKIP"], "b": ["x", "x"]})
    assert adjudge.fill(adjudge.select(named, 2), named, {"v": "SKIP"}).labeled == 1


@pytest.mark.parametrize("blank", [None, np.nan, ""])
def test_a_blank_is_no_skip(blank: object) -> None:
    numbers = adjudge.from_frame({"id": ["u", "v"], "a": [0.5, 2], "b": [1.5, 1]})
    plan = adjudge.select(numbers, 2)
    assert adjudge.fill(plan, numbers, {"u": "SKIP", "v": 2}).value[plan.sample == 1] == 2
    classes = adjudge.from_frame({"id": ["u", "v"], "a": ["x", "y"], "b": ["x", "x"]})
    for pool in (numbers, classes):
        with pytest.raises(adjudge.AdjudgeError, match="are blank for 'u'; leave a sample out to keep it pending, or"):
            adjudge.fill(plan, pool, {"u": blank})


@pytest.mark.parametrize("wrong", [np.inf, "-inf", "many"])
def test_what_is_no_number_is_refused(wrong: object) -> None:
    numbers = adjudge.from_frame({"id": ["u", "v"], "a": [0.5, 2], "b": [1.5, 1]})
    with pytest.raises(adjudge.AdjudgeError, match=r"of sample 'u' is (not a number|infinite)"):
        adjudge.fill(adjudge.select(numbers, 2), numbers, {"u": wrong})


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


def test_ids_that_are_numbers_may_be_given_as_such() -> None:
    pool = adjudge.from_frame({"id": range(4), "net": ["x", "y", "x", "y"], "tree": ["x", "x", "y", "y"]})
    plan = adjudge.select(pool, 4, "random")
    for keys in ([0, 1, 2, 3], np.arange(4), list("0123")):
        assert adjudge.fill(plan, pool, dict.fromkeys(keys, "x")).labeled == 4
