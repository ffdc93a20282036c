"""Runs from the rows of a table."""

import pytest

from adjudge.errors import InputError
from adjudge.io.runs.long_tables import runs_of_rows
from adjudge.io.runs.records import State


def test_each_model_is_a_run_and_without_models_the_file_is_one() -> None:
    rows = [{"id": "1", "model": "a", "answer": "x"}, {"id": "1", "model": "b", "answer": "y"}]
    assert [(run.model, run.rows[0].answer) for run in runs_of_rows(rows, "f.csv", "f", {})] == [("a", "x"), ("b", "y")]
    (alone,) = runs_of_rows([{"id": "1", "answer": "x"}], "f.csv", "f", {})
    assert (alone.model, alone.file) == ("f", "f.csv")


def test_no_answer_has_its_reason_and_time_is_in_seconds() -> None:
    rows: list[dict[str, object]] = [
        {"id": "1", "answer": " ", "error": "", "latency_ms": "250"},
        {"id": "2", "answer": "x", "error": "time-out", "latency_ms": None},
        {"id": "3", "answer": "x", "error": None, "latency_ms": 1000},
    ]
    (run,) = runs_of_rows(rows, "f.csv", "f", {})
    assert [said.state for said in run.rows] == [State.blank, State.errored, State.answered]
    assert [said.latency for said in run.rows] == [0.25, None, 1.0]


def test_rows_without_a_sample_or_a_model_are_named() -> None:
    with pytest.raises(InputError, match=r"row 2 of .* has no sample in 'id'"):
        runs_of_rows([{"id": "1", "answer": "x"}, {"id": " ", "answer": "x"}], "f.csv", "f", {})
    with pytest.raises(InputError, match=r"row 1 of .* has no model in 'model'"):
        runs_of_rows([{"id": "1", "model": None, "answer": "x"}], "f.csv", "f", {})
