"""`adjudge samples` as a user calls it."""

import csv
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from tests.support.commands import WIDE, adjudge, as_json, refused
from tests.support.pools import Task

NAMES = ["sample_id", "discrimination", "difficulty", "entropy", "agreement"]


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    (path := tmp_path / "predictions.csv").write_text(WIDE)
    return path


def test_a_real_pool(task: Task) -> None:
    rows = as_json("samples", task("pacs"))["samples"]
    assert len(rows) == 9991
    assert list(rows[0]) == NAMES
    unknown = np.array([row["difficulty"] is None for row in rows])
    assert unknown.mean() == pytest.approx(0.474, abs=0.001)  # all models agree
    assert unknown.tolist() == [row["agreement"] == 1 for row in rows]
    known = [row for row in rows if row["difficulty"] is not None]
    assert np.corrcoef([[row["difficulty"], row["agreement"]] for row in known], rowvar=False)[0, 1] < -0.5


def test_tables_show_both_ends(wide: Path) -> None:
    for method, first in (("sds", "discrimination"), ("laf", "difficulty")):
        done = adjudge("samples", wide, "--method", method)
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        assert lines[0].split() == ["sample", *NAMES[1:]]
        column = NAMES.index(first)
        shown = [float(line.split()[column]) for line in lines[1:] if line[:1] in "abcdef" and line[1:2] == " "]
        assert shown == sorted(shown, reverse=True)
        assert max(map(len, lines)) <= 80
    assert len(shown) == 4
    assert "No difficulty is known for 2 samples: all models that said anything agree there." in done.stdout


def test_all_samples_are_written(wide: Path, tmp_path: Path) -> None:
    done = adjudge("samples", wide, "--out", tmp_path / "samples.csv")
    assert done.stderr == f"6 samples are in {tmp_path / 'samples.csv'}\n"
    rows = list(csv.DictReader((tmp_path / "samples.csv").read_text().splitlines()))
    assert [row["sample_id"] for row in rows] == list("abcdef")
    assert rows[1]["difficulty"] == ""
    adjudge("samples", wide, "--out", tmp_path / "samples.parquet")
    table = parquet.read_table(tmp_path / "samples.parquet")
    assert table.column_names == NAMES
    assert table.column("difficulty").null_count == 2


def test_what_cannot_be_is_said_in_a_sentence(wide: Path, tmp_path: Path) -> None:
    assert "use .csv, .tsv or .parquet" in refused("samples", wide, "--out", tmp_path / "samples.txt")
    assert "holds predictions, which would be lost" in refused("samples", wide, "--out", wide)
    (folder := tmp_path / "models").mkdir()
    (folder / "net.csv").write_text(before := "sample_id,prediction\na,cat\nb,dog\n")
    assert "holds predictions, which would be lost" in refused("samples", folder, "--out", folder / "net.csv")
    assert (folder / "net.csv").read_text() == before
    numbers = tmp_path / "numbers.csv"
    numbers.write_text("id,net,tree\na,0.5,1\nb,2,1.5\n")
    assert "these predictions are numbers; give predicted classes" in refused("samples", numbers)
