"""Predictions into a file that `read` turns into the same predictions."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from adjudge.core.arrays import Array
from adjudge.core.index import all_ids
from adjudge.core.predictions import AUXILIARY, MISSING, Predictions
from adjudge.errors import AdjudgeWarning, InputError, PredictionsError
from adjudge.io.column_names import AS_WRITTEN, IDS, MODELS, PREDICTIONS, PROBABILITIES, PROBABILITY, TRUTHS, usual
from adjudge.io.files import TABLE_SUFFIXES, TEXT_SUFFIXES, PathLike, atomic_write, naming, suffix_of
from adjudge.io.notes import note_line, to_metadata
from adjudge.io.predictions.abstain import abstain_notes, as_answers
from adjudge.io.predictions.distinct import all_integers, in_order, like_numbers
from adjudge.io.predictions.encode import class_table, decoded
from adjudge.io.predictions.normalize import to_notes
from adjudge.io.predictions.questions import MANY
from adjudge.io.predictions.roles import LONG
from adjudge.io.predictions.scores import KIND, noted_range, scores_of
from adjudge.io.predictions.sources import stripped_ids
from adjudge.io.predictions.tables import RESERVED

TARGETS = (*TABLE_SUFFIXES, ".npz")  # what predictions are written to
ROWS = 1 << 14  # samples written to CSV at a time


def write_predictions(
    predictions: Predictions,
    path: PathLike,
    *,
    arrays: Mapping[str, Array] | None = None,
    notes: Sequence[tuple[str, str]] = (),
) -> None:
    """Write a CSV, Parquet or npz file, which `read` turns into the same predictions.

    Probabilities go into npz and Parquet files only, facts about samples into CSV and Parquet files only, auxiliary
    numbers into npz files only. A Parquet file with probabilities is long: one row for each model and sample.

    Parameters
    ----------
    arrays
        More arrays for an npz file, such as features.
    notes
        More notes above a table.
    """
    file = Path(path)
    suffix = suffix_of(file, TARGETS)
    if predictions.grades is not None and predictions.grades.texts is not None:
        raise InputError(f"{file.name} would hold answers without their grades; write the grades with `write_labels`")
    left_out = [
        ("facts about samples", "CSV or Parquet", suffix == ".npz" and predictions.columns is not None),
        ("probabilities", "npz", suffix in TEXT_SUFFIXES and predictions.probabilities is not None),
        ("auxiliary numbers", "npz", suffix != ".npz" and bool(predictions.auxiliary)),
    ]
    for what, where, lost in left_out:
        if lost:
            warnings.warn(
                f"{file.name} is written without the {what}; write {where} to keep them", AdjudgeWarning, stacklevel=2
            )
    with naming(file, PredictionsError):
        if suffix == ".npz":
            stored = _arrays(predictions) | dict(arrays or {})
            with atomic_write(file) as opened:
                np.savez(opened, **stored)
            return
        above, predictions = [*_notes(predictions), *notes], as_answers(predictions)
        with atomic_write(file) as opened:
            if suffix != ".parquet":
                _write_csv(predictions, above, opened, "\t" if suffix == ".tsv" else ",")
            elif predictions.probabilities is None:
                _write_parquet(_tables(predictions, len(predictions.samples)), above, opened)
            else:
                _write_parquet(_long_tables(predictions), above, opened)


def _notes_of_answers(predictions: Predictions) -> list[tuple[str, str]]:
    """How answers are compared."""
    return [*to_notes(predictions.normalization), *abstain_notes(predictions.abstain)]


def _arrays(predictions: Predictions) -> dict[str, Any]:
    notes, predictions = _notes_of_answers(predictions), as_answers(predictions)
    arrays = {"predictions": predictions.values, "model_names": np.array(predictions.models)}
    if predictions.grades is not None:
        arrays["scores"] = scores_of(predictions)
        del arrays["predictions"]
        if predictions.grades.span is not None:
            arrays["range"] = np.array(predictions.grades.span)
    elif predictions.classes is not None:
        arrays["class_names"] = np.array(predictions.classes)
        if not predictions.declared:
            arrays["declared"] = np.array(False)
    elif _whole(predictions.values):
        arrays["regression"] = np.array(True)
    if notes:
        arrays["notes"] = np.array(notes)
    if predictions.probabilities is not None:
        arrays["probabilities"] = predictions.probabilities
    if predictions.samples != range(len(predictions.samples)):
        arrays["sample_ids"] = np.array(all_ids(predictions.samples).to_pylist())
    return arrays | {AUXILIARY + name: each.among(predictions.models) for name, each in predictions.auxiliary.items()}


def _notes(predictions: Predictions) -> list[tuple[str, str]]:
    """What a reader of the table could not find out: facts, classes no model predicted, whole numbers."""
    facts = [] if predictions.columns is None else predictions.columns.column_names
    names = [*predictions.models, *facts]
    long = LONG if all(name in names for name in LONG) else ()
    for name in names:
        if names.count(name) > 1 or name in (*RESERVED, *long) or not name.strip():
            raise InputError(f"a column {name!r} cannot be read back from a table; rename it, or write npz")
    notes = [*(("column", name) for name in facts), *_notes_of_answers(predictions)]
    if _may_be_misread(names) or not stripped_ids(all_ids(predictions.samples)).equals(all_ids(predictions.samples)):
        notes.append(AS_WRITTEN)
    if predictions.grades is not None:
        return [*notes, KIND, *noted_range(predictions.grades.span)]
    if predictions.classes is None:
        return [*notes, ("kind", "regression")] if _whole(predictions.values) else notes
    compared = class_table(predictions.classes)
    many = len(predictions.classes) > MANY and all_integers(predictions.classes)
    if many or like_numbers(predictions.classes):
        notes.append(("kind", "classes"))
    seen = np.zeros(len(predictions.classes) + 1, dtype=bool)
    for row in predictions.values:
        seen[np.maximum(row, MISSING)] = True  # what names no class marks the last place
    if predictions.declared:
        notes.append(("classes", "declared"))
    elif seen[:-1].all() and in_order(compared.to_pylist()) == predictions.classes:
        return notes
    return [*notes, *(("class", name) for name in predictions.classes)]


def _may_be_misread(names: Sequence[str]) -> bool:
    """Whether some names would be taken for something else than models and facts, or would lose blanks."""
    if usual(names, (*IDS, *MODELS, *PREDICTIONS, *TRUTHS)):
        return True
    return any(name != name.strip() or name.lower().startswith(PROBABILITIES) for name in names)


def _whole(values: Array) -> bool:
    return all(bool((np.isnan(row) | (row == np.trunc(row))).all()) for row in values)


def _tables(predictions: Predictions, rows: int) -> Iterator[pa.Table]:
    """The predictions as wide tables of this many rows each."""
    ids = all_ids(predictions.samples)
    shown = predictions.values if predictions.grades is None else scores_of(predictions)
    for start in range(0, len(ids), rows):
        columns = {"sample_id": ids[start : start + rows]}
        for name, values in zip(predictions.models, shown, strict=True):
            columns[name] = decoded(values[start : start + rows], predictions.classes)
        if predictions.columns is not None:
            part = predictions.columns.slice(start, rows)
            columns |= dict(zip(part.column_names, part.columns, strict=True))
        yield pa.table(columns)


def _long_tables(predictions: Predictions) -> Iterator[pa.Table]:
    """One table for each model: its predictions and probabilities."""
    ids, classes, probabilities = all_ids(predictions.samples), predictions.classes, predictions.probabilities
    assert classes is not None
    assert probabilities is not None
    facts = pa.table({}) if predictions.columns is None else predictions.columns
    for name, values, stated in zip(predictions.models, predictions.values, probabilities, strict=True):
        columns = {"sample_id": ids, LONG[0]: pa.repeat(name, len(ids)), LONG[1]: decoded(values, classes)}
        columns |= {f"{PROBABILITY}{each}": pa.array(stated[:, at]) for at, each in enumerate(classes)}
        yield pa.table(columns | dict(zip(facts.column_names, facts.columns, strict=True)))


def _write_parquet(tables: Iterable[pa.Table], notes: list[tuple[str, str]], opened: BinaryIO) -> None:
    from pyarrow import parquet  # slow to import

    writer = None
    for table in tables:
        marked = table.replace_schema_metadata(to_metadata(notes))
        writer = writer or parquet.ParquetWriter(opened, marked.schema)
        writer.write_table(marked)
    if writer is not None:
        writer.close()


def _write_csv(predictions: Predictions, notes: list[tuple[str, str]], opened: BinaryIO, delimiter: str) -> None:
    for key, value in notes:
        opened.write(f"{note_line(key, value)}\n".encode())
    options = arrow_csv.WriteOptions(delimiter=delimiter)
    for number, table in enumerate(_tables(predictions, ROWS)):
        plain = table.cast(
            pa.schema(
                (field.name, field.type.value_type if pa.types.is_dictionary(field.type) else field.type)
                for field in table.schema
            )
        )
        if not number:
            writer = arrow_csv.CSVWriter(opened, plain.schema, write_options=options)
        writer.write_table(plain)
    writer.close()
