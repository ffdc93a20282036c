"""Runs of other tools, read and written as one file of predictions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from adjudge.core.index import counted, shortened
from adjudge.core.normalization import Normalization
from adjudge.errors import InputError
from adjudge.io.column_names import AS_WRITTEN
from adjudge.io.files import PathLike, atomic_write, check_beside, check_target, parsing, write_table
from adjudge.io.labels.replacing import refuse_labels, refuse_loss
from adjudge.io.notes import to_metadata
from adjudge.io.predictions.abstain import abstain_notes
from adjudge.io.predictions.align import Normalize, Options
from adjudge.io.predictions.normalize import NONE, normalized, to_notes
from adjudge.io.predictions.sources import frame_source
from adjudge.io.predictions.tables import from_source
from adjudge.io.runs.every_eval_ever import read_every_eval_ever
from adjudge.io.runs.inspect_ai import read_inspect
from adjudge.io.runs.join import FACTS, FIRST, SPOKEN, ImportSummary, joined
from adjudge.io.runs.lm_eval import read_lm_eval
from adjudge.io.runs.long_tables import read_long_table
from adjudge.io.runs.mlflow import read_mlflow
from adjudge.io.runs.promptfoo import read_promptfoo
from adjudge.io.runs.records import Run
from adjudge.io.storage import refuse_what_is_read

READERS: Mapping[str, Callable[..., list[Run]]] = {
    "inspect": read_inspect,
    "lm-eval": read_lm_eval,
    "every-eval-ever": read_every_eval_ever,
    "promptfoo": read_promptfoo,
    "table": read_long_table,
    "mlflow": read_mlflow,
}


def import_runs(
    tool: str,
    paths: Sequence[PathLike],
    out: PathLike,
    *,
    with_truth: PathLike | None = None,
    normalize: Normalize = None,
    abstain: Sequence[str] = (),
    epochs: str = FIRST,
    names: Sequence[str] = (),
    scorer: str | None = None,
    filter: str | None = None,  # noqa: A002
    columns: Mapping[str, str] | None = None,
    experiment: str | None = None,
) -> ImportSummary:
    """Write the runs of a tool that evaluates language models as one file of predictions, with a model for each run.

    Answers are written as they are; how they are compared is a note in the file, which `read` follows. What a model
    refused to answer, or said without an answer being found in it, is an abstention.

    Parameters
    ----------
    tool
        "inspect", "lm-eval", "every-eval-ever", "promptfoo", "table" or "mlflow".
    out
        A Parquet file, with facts about samples (`task`, `question`, `options`, `cluster`); score, cost and latency
        stand beside each answer.
    with_truth, abstain
        Where to write the right answers that the logs name, as labels; more answers that are none, as for `read`.
    epochs, names
        Of several answers of a model to one question, "first" keeps the first, "all" makes a model of each epoch; names
        for the runs, in their order, where those of the logs are not wanted.
    scorer, filter, columns, experiment
        Whose answers to take (inspect, lm-eval); what tables call sample, model and so on; whose runs (MLflow).
    """
    if tool not in READERS:
        raise InputError(f"the tool {tool!r} is not known; use {', '.join(READERS)}")
    _check_targets(out, with_truth, paths)
    told = {"scorer": scorer, "filter": filter, "columns": columns, "experiment": experiment}
    runs = _read(tool, paths, {name: value for name, value in told.items() if value is not None})
    found = joined(_renamed(runs, names), epochs=epochs)
    if with_truth is not None:
        _check_truth(with_truth, found.truth, tool)
    by = _normalization(found.table, normalize)
    heard = [SPOKEN[state] for state in SPOKEN if getattr(found.summary, state)]
    _write(found.table, [*to_notes(by), *abstain_notes([*heard, *abstain])], out)
    if with_truth is not None:
        write_table(found.truth, with_truth)
    truth = None if with_truth is None else found.truth.num_rows
    return replace(found.summary, normalization=by.sentence() if by else NONE, truth=truth)


def _check_targets(out: PathLike, with_truth: PathLike | None, paths: Sequence[PathLike]) -> None:
    """Refuse files that cannot be written, or that would replace what is read or written."""
    check_target(out, (".parquet",))
    refuse_what_is_read(out, paths, "--out")
    refuse_labels(out, "choose another name for --out")
    if with_truth is not None:
        check_beside(with_truth, out)
        refuse_what_is_read(with_truth, paths, "--with-truth")


def _check_truth(file: PathLike, truth: pa.Table, tool: str) -> None:
    if not truth.num_rows:
        column = ", or name the column of right answers (--column target=NAME)" if tool == "table" else ""
        raise InputError(f"no right answer was found to write; leave out --with-truth{column}")
    refuse_loss(file, truth, "choose another name for --with-truth")


def _read(tool: str, paths: Sequence[PathLike], told: Mapping[str, Any]) -> list[Run]:
    found: list[Run] = []
    for path in paths:
        with parsing(Path(path)):  # JSON of another build fails anywhere
            found += READERS[tool](path if tool == "mlflow" else Path(path), **told)  # a store has an address, no path
    return found


def _normalization(table: pa.Table, told: Normalize) -> Normalization | None:
    if told in (None, NONE):
        return None if told is None else Normalization()
    return normalized(from_source(frame_source(table), Options(regression=False)), told).normalization


def _renamed(runs: list[Run], names: Sequence[str]) -> list[Run]:
    if not names:
        return runs
    if len(names) != len(runs):
        are = "name is" if len(names) == 1 else "names are"
        raise InputError(
            f"{len(names)} {are} given for {counted(len(runs), 'run')}; give one for each, in this order: "
            f"{shortened([run.file for run in runs], 6)}"
        )
    return [
        replace(run, model=name, remarks=(f"{name} = {run.file}", *run.remarks))
        for run, name in zip(runs, names, strict=True)
    ]


def _write(table: pa.Table, on_answers: Sequence[tuple[str, str]], out: PathLike) -> None:
    facts = [("column", name) for name in FACTS if name in table.column_names]
    notes = [("kind", "classes"), AS_WRITTEN, *facts, *on_answers]
    with atomic_write(out) as opened:
        parquet.write_table(table.replace_schema_metadata(to_metadata(notes)), opened)
