"""Tables of answers that runs of MLflow logged (`mlflow.log_table`), from any store that MLflow can open."""

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from adjudge.errors import AdjudgeError, InputError
from adjudge.io.files import parsing
from adjudge.io.named_columns import is_json_table, rows_of
from adjudge.io.runs.long_tables import NAMES, runs_of_rows
from adjudge.io.runs.records import Run, digest

MISSING = 'needs MLflow, which is not installed; run: pip install "adjudge[mlflow]"'
REPORT_FOLDER = "adjudge"  # of the files that a report logged, which are no answers of models
PAGE = 1000  # runs or experiments that a store is asked for at a time


def read_mlflow(
    uri: str | os.PathLike[str], *, experiment: str | None = None, columns: Mapping[str, str] | None = None
) -> list[Run]:
    """The tables of all runs of a store, one model for each run, or for each model that a table names.

    A row without an id is known by what was asked: rows of two runs with the same input are the same sample.

    Parameters
    ----------
    uri
        The address of the store (`sqlite:///mlflow.db`, `http://...`), or a table that was downloaded, as JSON.
    experiment
        Only runs of this experiment.
    columns
        What the tables call sample, model, answer and the others, where that cannot be guessed.
    """
    if str(uri).endswith(".json"):
        path = Path(uri)
        return runs_of_rows(_with_ids(rows_of(path, "answer")), path.name, path.stem, columns or {})
    found = [
        run
        for name, file in _tables(str(uri), experiment)
        for run in runs_of_rows(_with_ids(file), name, name, columns or {})
    ]
    if not found:
        raise InputError(
            f"no run of {shown(str(uri))} has a table; log one with `mlflow.log_table`, or name another experiment"
        )
    return found


def client_of(uri: str) -> Any:
    """The client of a store."""
    try:
        from mlflow import MlflowClient
    except ImportError as problem:
        raise InputError(f"{shown(uri)} {MISSING}") from problem
    with reaching(uri):
        return MlflowClient(tracking_uri=uri)


@contextmanager
def reaching(uri: str) -> Iterator[None]:
    """Turn whatever a store raises into one sentence that names it."""
    try:
        yield
    except AdjudgeError:
        raise
    except Exception as problem:  # stores raise nearly anything
        lines = str(problem).strip().splitlines() or [type(problem).__name__]
        raise InputError(f"the store {shown(uri)} cannot be used ({lines[0][:200]}); check its address") from problem


def shown(uri: str) -> str:
    """The address of a store without the password in it.

    >>> shown("postgresql://me:secret@host/runs")
    'postgresql://***@host/runs'
    """
    return re.sub(r"//[^/@]*@", "//***@", uri)


def _tables(uri: str, experiment: str | None) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The name of each run, and the rows of each of its tables."""
    client = client_of(uri)
    with reaching(uri):
        told = [each.experiment_id for each in _all(client.search_experiments) if experiment in (None, each.name)]
        runs = list(_all(partial(client.search_runs, told, order_by=["attributes.start_time ASC"])))
    for run in runs:
        home = run.info.run_id
        with tempfile.TemporaryDirectory() as folder:
            with reaching(uri):
                paths = [client.download_artifacts(home, path, folder) for path in _json_files(client, home)]
            for file in map(Path, paths):
                with parsing(file):
                    table = is_json_table(json.loads(file.read_text(encoding="utf-8")))
                if table:
                    yield run.info.run_name, rows_of(file, "answer")


def _all(search: Callable[..., Any]) -> Iterator[Any]:
    """What a search finds, page by page."""
    token = None
    while True:
        page = search(max_results=PAGE, page_token=token)
        yield from page
        if not (token := page.token):
            return


def _json_files(client: Any, run: str, folder: str | None = None) -> Iterator[str]:
    for each in client.list_artifacts(run, folder):
        if each.is_dir and each.path != REPORT_FOLDER:
            yield from _json_files(client, run, each.path)
        elif not each.is_dir and each.path.endswith(".json"):
            yield each.path


def _with_ids(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with a hash of what was asked as their id, where they have none."""
    names = {name.strip().lower(): name for name in rows[0]}
    asked = next((names[name] for name in NAMES["prompt"] if name in names), None)
    if asked is None or any(name in names for name in NAMES["sample"]):
        return rows
    return [{"sample_id": digest(row.get(asked))[:12], **row} for row in rows]
