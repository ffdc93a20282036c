"""A report in a real store of MLflow."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import adjudge
from adjudge.errors import InputError
from adjudge.reports.mlflow import log_mlflow, metrics_of
from adjudge.reports.report import Report
from adjudge.simulation.contract import example_pool
from tests.support.commands import adjudge as run_command
from tests.support.commands import check_schema


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    pool, truth = example_pool(models=4, samples=80)
    adjudge.write_predictions(replace(pool, probabilities=None), tmp_path / "pool.csv")
    adjudge.write_labels(adjudge.select(pool, 15).answer_all(truth.astype(float)), pool, tmp_path / "labels.csv")
    return tmp_path / "pool.csv", tmp_path / "labels.csv"


@pytest.fixture
def found(files: tuple[Path, Path], tmp_path: Path) -> Report:
    pool, labels = adjudge.read_labels(files[1], adjudge.read(files[0]))
    return adjudge.report(pool, labels, tmp_path / "report.md")


def test_metrics_are_those_of_the_ranking(found: Report) -> None:
    metrics = dict(metrics_of(found))
    assert metrics["labels"] == 15
    assert metrics[f"rank/{found.ranking.best}"] == 1
    assert metrics[f"chance_of_best/{found.ranking.best}"] == metrics["chance_of_best"]


def test_without_mlflow_it_says_how_to_get_it(found: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(InputError, match=r'needs MLflow, which is not installed; run: pip install "adjudge\[mlflow\]"'):
        log_mlflow(found, "sqlite:///none.db")


def test_stopping_rules_are_not_logged(files: tuple[Path, Path]) -> None:
    done = run_command("rank", files[0], "--labels", files[1], "--until", "separated", "--log-mlflow", "sqlite:///m.db")
    assert "--log-mlflow logs the ranking of the whole pool; leave out --until, or --log-mlflow" in done.stderr


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of MLflow and what it imports
def test_a_ranking_is_logged(files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow", reason="needs MLflow: make mlflow")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.chdir(tmp_path)  # where MLflow keeps files for a store without a place for them
    uri = "sqlite:///mlflow.db"
    done = run_command("rank", files[0], "--labels", files[1], "--log-mlflow", uri)
    assert done.returncode == 0, done.stderr
    client = mlflow.MlflowClient(tracking_uri=uri)
    [run] = client.search_runs([client.get_experiment_by_name("adjudge").experiment_id])
    assert f"in the run {run.info.run_id} of {uri}" in done.stderr.replace("\n", " ")
    assert run.info.status == "FINISHED"
    ranked = json.loads(run_command("rank", files[0], "--labels", files[1], "--json").stdout)
    best = ranked["recommendation"]["model"]
    assert run.data.metrics[f"chance_of_best/{best}"] == ranked["models"][0]["chance_of_best"]
    assert run.data.tags["adjudge.model"] == best
    assert run.data.tags["adjudge.verdict"] == ranked["recommendation"]["verdict"]
    there = Path(client.download_artifacts(run.info.run_id, "adjudge", str(tmp_path)))
    facts = json.loads((there / "ranking.json").read_text())
    check_schema(facts)
    assert facts["models"] == ranked["models"]
    assert len(json.loads((there / "models.json").read_text())["data"]) == 4
    assert "</html>" in (there / "report.html").read_text()
    again = run_command("report", files[0], "--labels", files[1], "--out", tmp_path / "r.md", "--log-mlflow", uri)
    assert again.returncode == 0, again.stderr
    wrong = run_command("rank", files[0], "--labels", files[1], "--log-mlflow", "nowhere:///x")
    assert (wrong.returncode, "the store nowhere:///x cannot be used" in wrong.stderr.replace("\n", " ")) == (2, True)
