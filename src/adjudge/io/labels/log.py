"""The log of labels as a file: CSV that survives a spreadsheet, Parquet, or JSON."""

import csv
import json
import os
import warnings
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa

from adjudge.core.arrays import Frame
from adjudge.core.index import fingerprint
from adjudge.core.labels import RUN, SKIP, Labels, Names, RunHeader
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeWarning, LabelsError
from adjudge.io.column_names import OPTIONS, QUESTIONS
from adjudge.io.files import (
    TABLE_SUFFIXES,
    TEXT_SUFFIXES,
    PathLike,
    atomic_write,
    checked_path,
    naming,
    parsing,
    suffix_of,
)
from adjudge.io.labels.grades import grade_rows, label_rows_of_grades
from adjudge.io.labels.rows import (
    DRAW,
    GIVEN,
    GRADE,
    GRADED,
    MARK,
    MAX_WEIGHT,
    MODEL,
    PAIR,
    PARAMETER,
    LabelRows,
    RawRows,
    label_rows,
    read_rows,
)
from adjudge.io.labels.values import as_written
from adjudge.io.notes import note_line, to_metadata
from adjudge.io.predictions.distinct import as_text
from adjudge.io.predictions.encode import class_table
from adjudge.io.predictions.normalize import merges_of, noted_equal
from adjudge.io.predictions.scores import noted_range
from adjudge.io.predictions.sources import TableSource, frame_source, open_source
from adjudge.io.spreadsheets import shown_as_text

GIVEN_LABELS = "the argument labels"  # in place of a file's name
DRAWN = (None, "uniform", "unknown")
LOG = ("sample_id", *DRAW, "label")  # the columns of a log
LOG_SUFFIXES = (*TABLE_SUFFIXES, ".json")
LOG_TYPES = dict.fromkeys(("sample_id", "label", *GRADED), pa.string())  # the others are numbers
LOG_TYPES |= dict.fromkeys(("weight", MAX_WEIGHT), pa.float64())


def write_labels(labels: Labels, predictions: Predictions, path: PathLike) -> None:
    """Write the log, one row for each sample handed out; `read_labels` gives the same log back."""
    file = Path(path)
    suffix = suffix_of(file, LOG_SUFFIXES)
    with naming(file, LabelsError):
        _check_class_names(predictions)
        table = labels_table(labels, predictions)
        with atomic_write(file) as opened:
            if suffix == ".parquet":
                from pyarrow import parquet  # slow to import

                parquet.write_table(table, opened)
            elif suffix == ".json":
                opened.write(json.dumps(labels_facts(labels, predictions), indent=1, ensure_ascii=False).encode())
            else:
                notes = _notes(labels.header, predictions)
                opened.write(_csv_text(table, notes, "\t" if suffix == ".tsv" else ",").encode())


def labels_table(labels: Labels, predictions: Predictions) -> pa.Table:
    """The log as a table with its notes."""
    return _table(labels, predictions).replace_schema_metadata(to_metadata(_notes(labels.header, predictions)))


def labels_facts(labels: Labels, predictions: Predictions) -> dict[str, Any]:
    """The log as plain types, for JSON; numbers read back exactly."""
    notes = _notes(labels.header, predictions)
    return {"notes": notes, "rows": _table(labels, predictions).to_pylist()}


def _json_source(file: Path) -> TableSource:
    checked_path(file, (".json",))
    with parsing(file):
        told = json.loads(file.read_text(encoding="utf-8"))
        notes = [(str(key), str(value)) for key, value in told["notes"]]
        first = told["rows"][0] if told["rows"] else {}
        names = [name for name in (*LOG, *GRADED) if name in first] if GRADE in first else LOG
        columns = {name: [row.get(name) for row in told["rows"]] for name in (*names, MAX_WEIGHT)}
        table = pa.table({name: pa.array(cells, LOG_TYPES.get(name, pa.float64())) for name, cells in columns.items()})
    return replace(frame_source(table.replace_schema_metadata(to_metadata(notes))), name=file.name)


def read_labels(
    path: "PathLike | Frame",
    predictions: Predictions,
    *,
    drawn: str | None = None,
    id: str | None = None,  # noqa: A002
    label_column: str | None = None,
) -> tuple[Predictions, Labels]:
    """Labels from a file: a log that `write_labels` wrote, or a list with the columns sample_id and label.

    Parameters
    ----------
    path
        In place of a file also a frame with these columns, or a mapping of sample ids to labels, such as a dict or a
        series of pandas.
    drawn
        How the samples of a list came to be labeled: "uniform" if they were drawn from the whole pool with equal
        chances, in this order; otherwise ("unknown") they count as known, and tell nothing about the other samples. On
        a log, it replaces the weights. A blank label is pending in a log, and no label at all in a list.
    id, label_column
        The columns of sample ids and of labels, if they have other names.

    Returns
    -------
    tuple[Predictions, Labels]
        The pool, which gains a class where a label is of one that no model predicted, unless all are declared; the log.
    """
    file = path if isinstance(path, str | os.PathLike) else None
    with naming(GIVEN_LABELS if file is None else Path(file), LabelsError):
        if drawn not in DRAWN:
            raise LabelsError(f"drawn={drawn!r} is not known; use 'uniform', 'unknown' or None")
        _check_class_names(predictions)
        source, text = labels_source(path)
        raw = read_rows(source, id, label_column, from_text=text)
        if raw.draw is not None and (run := getattr(path, "attrs", {}).get(RUN)) is not None:
            raw = replace(raw, header=_run_header(run))
        if drawn is not None:
            if drawn == "uniform":
                _warn_about_draws(raw, source.name)
            raw = replace(raw, draw=None)
        predictions, rows = (label_rows if raw.answer is None else label_rows_of_grades)(raw, predictions)
        if drawn is None and rows.header.pool not in ("", fingerprint(predictions.samples)):
            warnings.warn(
                f"{source.name} was written for a pool of other samples, so the chances with which its samples "
                "were drawn say nothing about this pool; its labels are kept as known ones, without weights",
                AdjudgeWarning,
                stacklevel=2,
            )
            drawn = "unknown"
        return predictions, replace(_labels(rows, len(predictions.samples), drawn), names=Names.of(predictions))


def _warn_about_draws(raw: RawRows, name: str) -> None:
    if raw.draw is not None and ((raw.draw["weight"] != 1).any() or raw.draw["stratum"].any()):
        sentence = "says how each sample was drawn, which --drawn uniform ignores; leave it out unless that is wrong"
        warnings.warn(f"{name} {sentence}", AdjudgeWarning, stacklevel=3)


def labels_source(given: "PathLike | Frame") -> tuple[TableSource, bool]:
    """The table of labels, and whether all of it is text."""
    if isinstance(given, str | os.PathLike):
        file = Path(given)
        source = _json_source(file) if file.suffix.lower() == ".json" else open_source(file)
        return source, file.suffix.lower() in TEXT_SUFFIXES
    series = hasattr(given, "items") and not hasattr(given, "columns")  # of pandas, or any mapping
    if series and "label" not in given:  # type: ignore[operator]
        pairs = list(given.items())  # type: ignore[union-attr]
        ids = pa.array([str(name) for name, _ in pairs], pa.large_string())
        given = pa.table({"sample_id": ids, "label": as_written(label for _, label in pairs)})
    return replace(frame_source(given), name=GIVEN_LABELS), False


def _run_header(run: dict[str, Any]) -> RunHeader:
    """The header that a frame carries; Parquet files of pandas give tuples back as lists."""
    return RunHeader(**run | {"models": tuple(run["models"]), "pairs": tuple(map(tuple, run["pairs"]))})


def _labels(rows: LabelRows, pool: int, drawn: str | None) -> Labels:
    header = rows.header
    if drawn is not None:  # no strata are left to remember, and how rows were drawn is what the user says
        header = replace(header, models=(), pairs=(), given=len(rows.sample))
    known = Labels.known(pool, rows.sample, rows.value, header)
    known = replace(known, answered=rows.answered)
    if drawn == "uniform":
        return replace(known, weight=np.ones(len(known)), seen=np.arange(len(known)))
    if drawn == "unknown" or rows.draw is None:
        return known
    return replace(
        known,
        weight=rows.draw["weight"],
        seen=rows.draw["seen"].astype(np.int64),
        stratum=rows.draw["stratum"].astype(np.int64),
        max_weight=rows.draw[MAX_WEIGHT],
    )


def _check_class_names(predictions: Predictions) -> None:
    names = () if predictions.classes is None else class_table(predictions.classes).to_pylist()
    if SKIP.value in (name.upper() for name in names):
        raise LabelsError(
            f"a class is named {SKIP.value}, which in a file of labels means that nobody can label the "
            "sample; rename the class"
        )


def _table(labels: Labels, predictions: Predictions) -> pa.Table:
    columns = labels.table(Names.of(predictions))
    table = pa.table({name: pa.array(cells, LOG_TYPES.get(name, pa.int64())) for name, cells in columns.items()})
    for name, texts in _asked(labels, predictions).items():
        table = table.append_column(name, texts)
    if predictions.grades is not None:
        return grade_rows(labels, predictions, table)
    return table


def _asked(labels: Labels, predictions: Predictions) -> dict[str, pa.Array]:
    """The question of each row and its options, for whoever fills in the file; readers pass over them."""
    if predictions.in_parts or predictions.columns is None:
        return {}
    held = predictions.columns.column_names
    names = [name for name in QUESTIONS if name in held][:1] + [name for name in (OPTIONS,) if name in held]
    rows = pa.array(labels.sample, pa.int64())
    return {name: as_text(predictions.columns[name].combine_chunks()).take(rows) for name in names}


def _notes(header: RunHeader, predictions: Predictions) -> list[tuple[str, str]]:
    parameters = [(PARAMETER + name, str(value)) for name, value in header.parameters.items()]
    seed = "" if header.seed is None else str(header.seed)
    return [
        (MARK, ""),
        ("method", header.method),
        *parameters,
        ("seed", seed),
        ("pool", fingerprint(predictions.samples)),
        ("version", header.version),
        *([(GIVEN, str(header.given))] if header.given else []),
        *((MODEL, name) for name in header.models),
        *((PAIR, name) for pair in header.pairs for name in pair),
        *([] if predictions.grades is None else noted_range(predictions.grades.span)),
        *noted_equal(merges_of(predictions)),
    ]


def _csv_text(table: pa.Table, notes: Iterable[tuple[str, str]], delimiter: str) -> str:
    lines: list[str] = []
    # the writer puts quotes around a line break only if lines end with it, so both kinds have to
    writer = csv.writer(SimpleNamespace(write=lines.append), delimiter=delimiter, lineterminator="\r\n")
    writer.writerow(table.column_names)
    # floats are written by repr, which reads back exactly; None as nothing
    writer.writerows(zip(*(map(shown_as_text, column.to_pylist()) for column in table.columns), strict=True))
    head = [note_line(key, value) for key, value in notes]
    return "\n".join([*head, *(line.removesuffix("\r\n") for line in lines), ""])
