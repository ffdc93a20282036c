"""Runs of any tool as one file of predictions, and its right answers as labels."""

from pathlib import Path

import pytest

from adjudge import import_runs, read
from adjudge.errors import InputError
from adjudge.io import read_labels

ROWS = "id,model,answer,target\n1,a,x,x\n1,b,y,x\n2,a,,y\n2,b,y,y\n"


def test_a_table_becomes_predictions_and_labels(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text(ROWS)
    out, truth = tmp_path / "pool.parquet", tmp_path / "truth.csv"
    found = import_runs("table", [tmp_path / "runs.csv"], out, with_truth=truth, names=("first", "second"))
    pool = read(out)
    assert (found.truth, pool.models) == (2, ("first", "second"))
    assert pool.classes is not None
    _, labels = read_labels(truth, pool)
    assert [pool.classes[int(code)] for code in labels.value] == ["x", "y"]
    assert (pool.values[:, 0] == labels.value[0]).tolist() == [True, False]


def test_what_cannot_be_imported_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text(ROWS)
    out = tmp_path / "pool.parquet"
    with pytest.raises(InputError, match="the tool 'tables' is not known; use inspect, "):
        import_runs("tables", [tmp_path / "runs.csv"], out)
    with pytest.raises(InputError, match="1 name is given for 2 runs; give one for each"):
        import_runs("table", [tmp_path / "runs.csv"], out, names=("first",))
    assert not out.exists()
