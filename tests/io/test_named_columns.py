"""Tables of other tools: rows of any file, and what their columns hold."""

from pathlib import Path

import pytest

from adjudge.errors import InputError
from adjudge.io.named_columns import named_columns, rows_of

USUAL = {"sample": ("sample_id", "id"), "answer": ("answer", "output"), "model": ("model",)}
NEEDED = ("sample", "answer")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "id,answer\n1,x\n2,y\n"),
        ("t.jsonl", '{"id": "1", "answer": "x"}\n{"id": "2", "answer": "y"}\n'),
        ("t.json", '{"columns": ["id", "answer"], "data": [["1", "x"], ["2", "y"]]}'),
    ],
)
def test_rows_are_the_same_in_any_file(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert [tuple(map(str, row.values())) for row in rows_of(tmp_path / name, "answer")] == [("1", "x"), ("2", "y")]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("t.txt", "x", "t.txt is not a table; give a file that ends in"),
        ("t.json", "[]", "t.json is not a table; give JSON as MLflow"),
        ("t.json", '{"columns": ["id"], "data": []}', "has column names but no rows; add one for each answer"),
        ("t.json", '{"columns": ["id"], "data": [[1, 2]]}', "a row of t.json does not have 1 cells"),
        ("t.csv", "id,answer\n", "has column names but no rows; add one for each answer"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, name: str, text: str, sentence: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=sentence):
        rows_of(tmp_path / name, "answer")


def test_columns_are_found_by_the_first_usual_name_unless_they_are_told() -> None:
    rows: list[dict[str, object]] = [{"ID": 1, "Sample ID": 2}, {"Output": "x", "other": "y"}]
    assert named_columns("f", rows, {}, USUAL, NEEDED) == {"sample": "Sample ID", "answer": "Output"}
    told = named_columns("f", rows, {"answer": "other", "sample": "ID"}, USUAL, NEEDED)
    assert told == {"sample": "ID", "answer": "other"}


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({"anser": "x"}, "--column anser=... is not known; the names are sample, answer, model"),
        ({"sample": "key"}, "the column 'key' is missing in f, which has 'id', 'text'; name another"),
        ({}, "f has no column that is known to hold the answer, only 'id', 'text'; name it with --column answer=NAME"),
    ],
)
def test_columns_that_are_not_there_are_named(told: dict[str, str], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        named_columns("f", [{"id": 1, "text": "x"}], told, USUAL, NEEDED)
