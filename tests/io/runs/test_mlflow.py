"""Tables of MLflow: downloaded ones, and those in a real store."""

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge import read
from adjudge.errors import InputError
from adjudge.io.runs import mlflow as tables
from adjudge.io.runs.long_tables import read_long_table
from adjudge.io.runs.mlflow import read_mlflow
from tests.support.commands import adjudge

COLUMNS = ["inputs", "outputs", "targets"]
ROWS = [["1 + 1?", "2", "2"], ["2 + 2?", "4", "4"], ["3 + 3?", "6", "6"]]


def table(path: Path, told: Any) -> Path:
    path.write_text(json.dumps(told))
    return path


def test_a_downloaded_table_has_ids_by_what_was_asked(tmp_path: Path) -> None:
    [run] = read_mlflow(table(tmp_path / "net.json", {"columns": COLUMNS, "data": ROWS}))
    [again] = read_mlflow(table(tmp_path / "tree.json", {"columns": COLUMNS, "data": ROWS[::-1]}))
    assert (run.model, again.model) == ("net", "tree")
    assert [each.key for each in run.rows] == [each.key for each in again.rows][::-1]
    assert [(each.answer, each.targets) for each in run.rows] == [("2", ("2",)), ("4", ("4",)), ("6", ("6",))]


def test_a_table_of_weights_and_biases(tmp_path: Path) -> None:
    told = {"columns": ["id", "model", "prediction"], "data": [[1, "net", "a"], [2, "net", "b"]], "ncols": 3}
    [run] = read_long_table(table(tmp_path / "predictions.table.json", told))
    assert [(each.sample, each.answer) for each in run.rows] == [("1", "a"), ("2", "b")]


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ([1], "is not a table; give JSON as MLflow"),
        ({"columns": ["id", "answer"], "data": []}, "has column names but no rows"),
        ({"columns": ["id", "answer"], "data": [[1]]}, "does not have 2 cells"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, told: object, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read_mlflow(table(tmp_path / "net.json", told))


def gone(*_: object) -> None:
    raise OSError("gone")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of MLflow and what it imports
def test_tables_of_runs_in_a_store_become_one_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow", reason="needs MLflow: make mlflow")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    uri = f"sqlite:///{tmp_path}/mlflow.db"
    client = mlflow.MlflowClient(tracking_uri=uri)
    home = client.create_experiment("answers", artifact_location=(tmp_path / "files").as_uri())
    asked, _, targets = zip(*ROWS, strict=True)
    for name, last in (("net", "6"), ("tree", "7")):
        run = client.create_run(home, run_name=name).info.run_id
        columns = {"inputs": asked, "outputs": ["2", "4", last], "targets": targets}
        client.log_table(run, columns, "eval/answers.json")
        client.log_dict(run, {"not": "a table"}, "other.json")
    client.log_dict(run, {"columns": ["name", "rank"], "data": [["net", 1]]}, "adjudge/models.json")  # of a report
    out, truth = tmp_path / "pool.parquet", tmp_path / "truth.csv"
    done = adjudge("import", "mlflow", uri, "--experiment", "answers", "--out", out, "--with-truth", truth)
    assert done.returncode == 0, done.stderr
    pool = read(out)
    assert (pool.models, len(pool.samples)) == (("net", "tree"), 3)
    assert (pool.values[0] != pool.values[1]).sum() == 1
    monkeypatch.setattr(tables, "PAGE", 1)
    assert [each.model for each in read_mlflow(uri)] == ["net", "tree"]  # each on a page of its own
    monkeypatch.setattr(mlflow.MlflowClient, "list_artifacts", gone)
    with pytest.raises(InputError, match=r"the store sqlite.* cannot be used \(gone\)"):
        read_mlflow(uri)
    assert "no run of sqlite" in adjudge("import", "mlflow", uri, "--experiment", "none", "--out", out).stderr
