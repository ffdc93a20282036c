"""Predictions from any file or folder, and back into a file."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
from pyarrow import parquet

from adjudge.core.arrays import Array
from adjudge.core.index import all_ids
from adjudge.core.predictions import AUXILIARY, MISSING, Predictions
from adjudge.engine import Engine, engine_named
from adjudge.errors import AdjudgeWarning, InputError, PredictionsError
from adjudge.io.files import TABLE_SUFFIXES, TEXT_SUFFIXES, PathLike, atomic_write, checked_path, naming, suffix_of
from adjudge.io.memory import bytes_of, size_in_words
from adjudge.io.notes import note_line, to_metadata
from adjudge.io.predictions.abstain import abstain_notes, as_answers, warned_of_unused
from adjudge.io.predictions.align import PROBABILITY, Normalize, Options
from adjudge.io.predictions.array_parts import array_parts, matrix_size
from adjudge.io.predictions.arrays import read_npy, read_npz
from adjudge.io.predictions.dataset_folders import is_dataset, read_dataset
from adjudge.io.predictions.distinct import in_order, like_numbers
from adjudge.io.predictions.encode import class_table, decoded
from adjudge.io.predictions.folder import read_folder
from adjudge.io.predictions.normalize import to_notes
from adjudge.io.predictions.parts import refuse_cluster
from adjudge.io.predictions.scores import KIND, as_scores, noted_range, numbers_only, scores_of
from adjudge.io.predictions.table_parts import footers_of, is_parts, predictions_in_parts, table_parts
from adjudge.io.predictions.tables import LONG, RESERVED, read_table
from adjudge.io.storage import fetched, is_folder, local_path, url_of

TARGETS = (*TABLE_SUFFIXES, ".npz")  # what predictions are written to
ROWS = 1 << 14  # samples written to CSV at a time


def read(
    path: PathLike,
    *,
    id: str | None = None,  # noqa: A002
    join: str | None = None,
    columns: Sequence[str] = (),
    classes: Sequence[str] | None = None,
    regression: bool | None = None,
    normalize: Normalize = None,
    scores: bool | None = None,
    abstain: Sequence[str] = (),
    memory: int | str | None = None,
    engine: str = "local",
    scheduler: str | None = None,
) -> Predictions:
    """What models said about samples, from a CSV, Parquet, npz or npy file, or a folder of files.

    The path may be a URL that fsspec knows, such as s3://bucket/folder. A folder holds a file for each model, parts of
    one pool as Parquet files, or a dataset of Hugging Face. What does not fit into memory stays where it is, and is
    read part by part; methods that cannot work so say it.

    Parameters
    ----------
    id
        The column of sample ids, if it is neither `sample_id` nor `id`.
    join
        What to do when models have different samples: keep those of all ("inner") or of any ("outer").
    columns, classes
        Columns that are facts about samples, not models; all classes, in order.
    regression
        Whether the values are numbers, which otherwise fractions among them decide.
    normalize
        How answers in words are brought to one spelling, and labels with them: "auto", steps such as "case,numbers",
        "package.module:function" or a function, or a table of equal answers; None: as the file says, if it does.
    scores
        Whether the values are scores of answers: higher is better, and there is no other truth. By default where a file
        holds `scores` (npz) or a column `score` (long table), and no predictions.
    abstain
        Answers that are none, such as "(none)", besides those that the file names: they can never be right and agree
        with nobody, not even each other. An empty text stands for blank answers, which otherwise are missing.
    memory
        How much predictions may take, such as "2GB"; None: half of what is free.
    engine, scheduler
        Where parts are worked on: "local", or "dask" with the address of a scheduler or a cluster of this machine.
    """
    with naming(Path(path), PredictionsError):
        options = Options(id, join, columns, classes, regression, normalize, scores, abstain)
        where = engine_named(engine, scheduler)
        pool = read_within(path, options, bytes_of(memory), None if engine == "local" else where)
        return warned_of_unused(pool, options.abstain)


def read_within(path: PathLike, options: Options, memory: int, cluster: Engine | None = None) -> Predictions:
    """Predictions in memory if they fit, and in parts otherwise, or if a cluster is to work on them."""
    url, engine = url_of(path), cluster or engine_named()
    if is_parts(path):
        fits = cluster is None and sum(part.size for part in footers_of(path)) <= memory
        if fits:
            return table_parts(path, options, memory, engine).in_memory()
        return predictions_in_parts(path, options, memory, engine)
    if url is None:
        return _read_local(local_path(path), options, memory, cluster)
    if is_folder(url):
        raise PredictionsError(f"{url} holds no Parquet files that are parts of one pool; copy the folder here")
    suffix = suffix_of(Path(url))
    if suffix == ".parquet" and (cluster or sum(each.size for each in footers_of(url)) > memory):
        return predictions_in_parts(url, options, memory, engine)
    with fetched(url) as copy:
        found = _read_local(copy, options, memory, cluster)
    if found.in_parts:  # of a copy that is gone
        raise PredictionsError(f"{url} can be read in parts only here, or as Parquet; copy it here, or convert it")
    return found


def _read_local(file: Path, options: Options, memory: int, cluster: Engine | None) -> Predictions:
    if file.is_dir():
        refuse_cluster(file.name, cluster)
        return _as_told(read_dataset if is_dataset(file) else read_folder, file, options)
    suffix, engine = suffix_of(file) if file.exists() else "", cluster or engine_named()
    if suffix in (".npy", ".npz") and (cluster or matrix_size(file) > memory):
        return array_parts(file, options, memory, engine)
    if suffix == ".parquet" and (cluster or sum(each.size for each in footers_of(checked_path(file))) > memory):
        return predictions_in_parts(file, options, memory, engine)
    if suffix in TEXT_SUFFIXES and file.stat().st_size > memory:
        raise PredictionsError(
            f"{file.name} has {size_in_words(file.stat().st_size)} of text, and {size_in_words(memory)} of memory may "
            f"be used; turn it into parts with `adjudge convert {file.name} --out FOLDER`, or give more (--memory)"
        )
    reader = {".npz": read_npz, ".npy": read_npy}.get(suffix, read_table)
    if suffix:
        refuse_cluster(file.name, cluster)
    return _as_told(reader, file, options) if reader is read_npy else reader(file, options)


def _as_told(reader: Callable[[Path, Options], Predictions], file: Path, options: Options) -> Predictions:
    """From a file that cannot say itself that its values are scores."""
    return as_scores(reader(file, numbers_only(options))) if options.scores else reader(file, options)


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
    if predictions.grades is not None:
        return [*notes, KIND, *noted_range(predictions.grades.span)]
    if predictions.classes is None:
        return [*notes, ("kind", "regression")] if _whole(predictions.values) else notes
    compared = class_table(predictions.classes)
    if like_numbers(predictions.classes):
        notes.append(("kind", "classes"))
    seen = np.zeros(len(predictions.classes) + 1, dtype=bool)
    for row in predictions.values:
        seen[np.maximum(row, MISSING)] = True  # what names no class marks the last place
    if predictions.declared:
        notes.append(("classes", "declared"))
    elif seen[:-1].all() and in_order(compared.to_pylist()) == predictions.classes:
        return notes
    return [*notes, *(("class", name) for name in predictions.classes)]


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
