"""A report in a store of MLflow: a run with the ranking, metrics for each model, and the page."""

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from adjudge._version import __version__
from adjudge.io.runs.mlflow import REPORT_FOLDER, client_of, reaching
from adjudge.reports.report.facts import report_facts
from adjudge.reports.report.gather import Report
from adjudge.reports.report.write import write

EXPERIMENT = "adjudge"
FORBIDDEN = re.compile(r"[^\w\-. :/]")  # in names of metrics
OF_MODELS = ("value", "low", "high", "chance_of_best", "expected_loss", "rank")
OF_THE_CHOICE = ("chance_of_best", "expected_loss", "likely_loss", "guaranteed_loss")


def log_mlflow(report: Report, uri: str, *, experiment: str = EXPERIMENT) -> str:
    """Log a report to MLflow, as a run of its own.

    The run has metrics for each model (`value/net`, `chance_of_best/net` and so on) and for the recommendation, what
    was recommended as tags, and the files `adjudge/ranking.json`, which is what `report --json` prints, a table of
    models (`adjudge/models.json`) and the page (`adjudge/report.html`).

    Parameters
    ----------
    report
        What `adjudge.report` returned.
    uri
        The address of the store, such as `sqlite:///mlflow.db` or `http://127.0.0.1:5000`.
    experiment
        Its experiment, which is made if it is not there.

    Returns
    -------
    str
        The id of the run.
    """
    client = client_of(uri)
    with reaching(uri):
        known = client.get_experiment_by_name(experiment)
        home = client.create_experiment(experiment) if known is None else known.experiment_id
        run = client.create_run(home, run_name=report.title, tags=dict(_tags(report))).info.run_id
        _fill(client, run, report)
    return str(run)


def _fill(client: Any, run: str, report: Report) -> None:
    from mlflow.entities import Metric

    metrics = [Metric(name, value, 0, 0) for name, value in metrics_of(report)]
    client.log_batch(run, metrics=metrics)
    facts = report_facts(report)
    with tempfile.TemporaryDirectory() as folder:
        write(report, Path(folder) / "report.html")
        columns = list(facts["models"][0])
        table = {"columns": columns, "data": [[row[name] for name in columns] for row in facts["models"]]}
        for name, content in (("ranking.json", facts), ("models.json", table)):
            (Path(folder) / name).write_text(json.dumps(content, allow_nan=False), encoding="utf-8")
        client.log_artifacts(run, folder, REPORT_FOLDER)
    client.set_terminated(run)


def metrics_of(report: Report) -> Iterator[tuple[str, float]]:
    """The names and values of what is known as a number; characters that MLflow does not allow become `_`."""
    facts = report_facts(report)
    told = {"labels": facts["labels"]} | {name: facts["recommendation"][name] for name in OF_THE_CHOICE}
    told |= {f"{name}/{row['name']}": row.get(name) for row in facts["models"] for name in OF_MODELS}
    return ((FORBIDDEN.sub("_", name), float(value)) for name, value in told.items() if value is not None)


def _tags(report: Report) -> Iterator[tuple[str, str]]:
    advice, header = report.advice, report.labels.header
    yield from {
        "adjudge.version": __version__,
        "adjudge.model": advice.model,
        "adjudge.verdict": advice.verdict,
        "adjudge.quantity": report.ranking.estimate.quantity,
        "adjudge.recommendation": advice.words[0][1],
        "adjudge.method": header.method or "none",
    }.items()
