"""Answers that read like no answer are proposed, where several models give them often."""

import warnings

import numpy as np
import pytest

import adjudge
from adjudge import Predictions, from_frame, read, screen
from adjudge.decisions.abstentions import LIKE_NONE, may_abstain
from adjudge.errors import AdjudgeWarning
from adjudge.reports.pool import facts, sentences
from tests.support.pools import Task

NONE = ["(none)", "N/A", "n/a.", "I don't know", "unknown", "[Refused]", "I cannot answer that", "**None**", "---", "?"]
SOME = ["0", "-1", "nonesuch", "B", "unknown soldier", "no", "5 errors", "nah", "-"]


@pytest.mark.parametrize("text", NONE)
def test_words_for_no_answer(text: str) -> None:
    assert LIKE_NONE.fullmatch(text)


@pytest.mark.parametrize("text", SOME[:-1])
def test_words_that_are_answers(text: str) -> None:
    assert not LIKE_NONE.fullmatch(text)


def test_only_what_several_models_give_often_is_proposed() -> None:
    said = {"id": list(range(400)), "a": ["N/A"] * 9 + ["1"] * 391, "b": ["N/A"] + ["2"] * 399, "c": ["3"] * 400}
    assert may_abstain(from_frame(said)) == {"N/A": 10}
    assert may_abstain(from_frame({**said, "b": ["2"] * 400})) == {}
    assert may_abstain(from_frame({**said, "a": ["N/A"] + ["1"] * 399})) == {}
    assert may_abstain(from_frame(said, abstain=["N/A"])) == {}


def test_they_are_counted_and_proposed_in_words() -> None:
    said = {"id": ["s", "t", "u"], "a": ["(none)", "1", "1"], "b": ["(none)", "(none)", "1"], "c": ["2", "1", "1"]}
    proposed = " ".join(sentences(screen(from_frame(said))))
    assert "'(none)' (3 times) reads like no answer, and yet counts as one on which models agree." in proposed
    assert "If so: --abstain '(none)'." in proposed
    found = screen(from_frame(said, abstain=["(none)"]))
    assert ("abstentions", "3 of 9 predictions ('(none)')") in facts(found)
    assert "2 models abstain from samples, which is never right and agrees with nobody: 'b' (66.7%), 'a' (33.3%)." in (
        sentences(found)
    )


def test_a_model_that_always_abstains_is_not_called_constant() -> None:
    values = np.array([[-2, -2, -2], [-2, -2, -2], [0, 1, 0]])
    found = screen(Predictions(values, ("a", "b", "c"), range(3), ("x", "y"), abstain=("none",)))
    assert found.constant == {}
    assert found.duplicates == (("a", "b"),)
    assert found.unanimous == 0


def test_real_pools(task: Task) -> None:
    assert may_abstain(read(task("llm_financemath_open"))) == {"(none)": 5210}
    assert may_abstain(read(task("glue_cola"))) == {}


def test_a_ranking_asks_about_answers_that_read_like_none() -> None:
    pool = adjudge.from_frame(
        {"id": range(4), "a": ["7", "(none)", "(none)", "8"], "b": ["7", "(none)", "9", "(none)"]}
    )
    with pytest.warns(AdjudgeWarning, match=r"models say '\(none\)' 4 times; .* \(--abstain '\(none\)', abstain= in"):
        adjudge.rank(pool)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        adjudge.rank(adjudge.from_frame({"id": [1, 2], "a": ["x", "y"], "b": ["x", "x"]}))
