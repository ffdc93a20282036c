"""Votes on pairs from files of several kinds, and what is refused."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from adjudge import Preferences, preferences_of, read_preferences
from adjudge.errors import InputError

ROWS = [("q1", "x", "y", "model_a"), ("q1", "y", "z", "tie"), ("q2", "z", "x", "model_b")]


def told(found: Preferences) -> list[tuple[str, str, str, float]]:
    names = [
        (found.models[first], found.models[second]) for first, second in zip(found.first, found.second, strict=True)
    ]
    return [
        (found.samples[at], *pair, won) for at, pair, won in zip(found.sample, names, found.won.tolist(), strict=True)
    ]


EXPECTED = [("q1", "x", "y", 1.0), ("q1", "y", "z", 0.5), ("q2", "z", "x", 0.0)]


def csv(folder: Path, *rows: str, header: str = "sample_id,model_a,model_b,winner") -> Path:
    file = folder / "votes.csv"
    file.write_text("\n".join([header, *rows]) + "\n")
    return file


def test_csv_json_lines_and_parquet_say_the_same(tmp_path: Path) -> None:
    columns = ("question_id", "Model_A", "model_b", "Winner")
    csv(tmp_path, *(",".join(row) for row in ROWS), header=",".join(columns))
    (tmp_path / "votes.jsonl").write_text("\n".join(json.dumps(dict(zip(columns, row, strict=True))) for row in ROWS))
    parquet.write_table(
        pa.table(dict(zip(columns, map(list, zip(*ROWS, strict=True)), strict=True))), tmp_path / "votes.parquet"
    )
    for suffix in ("csv", "jsonl", "parquet"):
        assert told(read_preferences(tmp_path / f"votes.{suffix}")) == EXPECTED


def test_columns_of_other_names_are_told(tmp_path: Path) -> None:
    file = csv(tmp_path, "x,y,x", header="one,other,better")
    found = read_preferences(file, columns={"model_a": "one", "model_b": "other", "winner": "better"})
    assert found.won.tolist() == [1.0]
    assert found.samples == ()


@pytest.mark.parametrize(
    ("winner", "won"),
    [("x", 1.0), ("y", 0.0), ("A", 1.0), ("right", 0.0), ("Tie", 0.5), ("tie (bothbad)", 0.5), ("both", 0.5)],
)
def test_a_winner_is_told_in_several_words(winner: str, won: float) -> None:
    assert preferences_of(["x"], ["y"], [winner]).won.tolist() == [won]


def test_the_name_of_a_model_goes_before_a_word() -> None:
    assert preferences_of(["b"], ["a"], ["a"]).won.tolist() == [0.0]


def test_without_samples_each_vote_is_one() -> None:
    assert preferences_of(["x", "x"], ["y", "y"], ["x", "y"]).sample.tolist() == [0, 1]


def test_votes_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        preferences_of(["x"], ["y"], ["x"]).won[0] = 0.0


@pytest.mark.parametrize(
    ("rows", "header", "message"),
    [
        (["q,x,x,model_a"], None, "row 1 of votes.csv compares 'x' with itself; name two models, or remove it"),
        (["q,x,y,x", "q,x,y,z"], None, "row 2 of votes.csv has a winner that is neither of its two models: 'z'"),
        (["q,x,y,x", "q,x,,x"], None, "row 2 of votes.csv has no model_b in 'model_b'; fill it"),
        (["q,x,y,"], None, "row 1 of votes.csv has no winner in 'winner'; fill it"),
        (["x,y"], "model_a,model_b", "no column that is known to hold the winner"),
        ([], None, "has column names but no rows; add one for each vote"),
    ],
)
def test_what_is_refused(tmp_path: Path, rows: list[str], header: str | None, message: str) -> None:
    file = csv(tmp_path, *rows) if header is None else csv(tmp_path, *rows, header=header)
    with pytest.raises(InputError) as refused:
        read_preferences(file)
    assert message in str(refused.value)
