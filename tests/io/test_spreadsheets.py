"""Formulas in cells: shown as text by a spreadsheet, and read back as they were."""

import csv
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.io import read_labels, write_labels
from adjudge.io.spreadsheets import as_meant, shown_as_text

ODD = ("=1+1", "+cmd", "-dog", "@sum", "'=x", "''@", "plain", "'quoted")


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "json"])
def test_a_log_with_formulas_reads_back_and_runs_nothing(tmp_path: Path, suffix: str) -> None:
    count = len(ODD)
    pool = Predictions(np.arange(count)[None], ("m",), pa.array([f"={name}" for name in ODD]), ODD)
    file = tmp_path / f"labels.{suffix}"
    labels = Labels.known(count, np.arange(count), np.arange(count))
    write_labels(labels, pool, file)
    wider, again = read_labels(file, pool)
    assert wider.classes == ODD
    assert again.value.tolist() == labels.value.tolist()
    if suffix == "csv":
        rows = [row for row in csv.reader(file.read_text().splitlines()) if not row[0].startswith("#")]
        assert not [cell for row in rows for cell in row if cell[:1] in ("=", "+", "-", "@")]


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    pool = Predictions(np.array([[0.5, -1.5, 1e-7]]), ("m",), range(3), None)
    file = tmp_path / "labels.csv"
    write_labels(Labels.known(3, [0, 1, 2], [-1.5, 2.0, -1e-7]), pool, file)
    assert ",-1.5\n" in file.read_text()
    assert read_labels(file, pool)[1].value.tolist() == [-1.5, 2.0, -1e-7]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_read_back(text: str) -> None:
    assert as_meant(pa.array([shown_as_text(text)], pa.large_string())).to_pylist() == [text]
