"""CSV and Parquet tables and frames: one column a model (wide), or one row a prediction (long)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from warnings import warn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.arrays import IntArray
from adjudge.core.index import Index, as_index, ids_at
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeNote, PredictionsError
from adjudge.io.column_names import PROBABILITY, TRUTHS
from adjudge.io.files import TABLE_SUFFIXES
from adjudge.io.notes import values_of
from adjudge.io.predictions.abstain import declared_in
from adjudge.io.predictions.align import Options, assembled, check_join, taken
from adjudge.io.predictions.distinct import as_text
from adjudge.io.predictions.encode import encode
from adjudge.io.predictions.model_rows import ModelRows, from_models
from adjudge.io.predictions.normalize import as_they_stand, finished, from_notes
from adjudge.io.predictions.prices import with_prices
from adjudge.io.predictions.questions import questioned
from adjudge.io.predictions.roles import LONG, Kind, Roles, guesses, roles_of
from adjudge.io.predictions.scores import as_scores, stated_range, told_as_scores
from adjudge.io.predictions.sources import TableSource, open_source

RESERVED = ("sample_id", *TRUTHS[:2])


def read_table(path: Path, options: Options) -> Predictions:
    """Predictions from a CSV or Parquet file."""
    return read_source(open_source(path), options)


def read_source(source: TableSource, options: Options) -> Predictions:
    """Predictions from a table, with a note of what was guessed."""
    options = noted(source, options)
    roles = roles_of(source, options)
    if (sentence := guesses([roles])) is not None:
        warn(sentence, AdjudgeNote, stacklevel=4)
    return questioned(by_roles(roles, source, options), options)


def from_source(source: TableSource, options: Options) -> Predictions:
    """Predictions from a table of any origin, without a word about what was guessed."""
    options = noted(source, options)
    return by_roles(roles_of(source, options), source, options)


def by_roles(roles: Roles, source: TableSource, options: Options) -> Predictions:
    """Predictions from a table, or a part of one, whose columns' roles are known."""
    source.need(*options.columns)
    table, told = told_as_scores(roles.table, replace(options, id=roles.id))
    read_by = as_they_stand(told)
    if roles.kind is Kind.LONG:
        pool = _long(table, read_by)
    elif roles.kind is Kind.ONE:
        pool = from_models([ModelRows(_model_of(roles), table, roles.id)], read_by)
    else:
        pool = _wide(table, read_by)
    pool = finished(pool, told)
    return as_scores(pool, stated_range(source.notes)) if told.scores else pool


def _model_of(roles: Roles) -> str:
    """The name of the only model of a table: that of its file."""
    name = Path(roles.table.name)
    return name.stem if name.suffix.lower() in TABLE_SUFFIXES else LONG[1]


def noted(source: TableSource, options: Options) -> Options:
    """What `write_predictions` left in the file, where the caller said nothing else."""
    columns = options.columns or values_of(source.notes, "column")
    if options.normalize is None:
        options = replace(options, normalize=from_notes(source.notes))
    if not options.scores:
        options = replace(options, abstain=declared_in(source.notes, options.abstain))
    if options.classes is not None or options.regression is not None:
        return replace(options, columns=columns)
    return replace(
        options,
        columns=columns,
        classes=values_of(source.notes, "class") or None,
        regression={"regression": True, "classes": False}.get("".join(values_of(source.notes, "kind"))),
        declared=not values_of(source.notes, "class") or values_of(source.notes, "classes") == ("declared",),
    )


def _wide(source: TableSource, options: Options) -> Predictions:
    apart = (source.id_column(options.id), *options.columns)
    models = [name for name in source.columns if name not in apart]
    if not models:
        raise PredictionsError(f"{source.name} has no column of predictions; add one for each model")
    samples = source.ids(options.id) if source.samples is None else source.samples
    if not len(samples):
        raise PredictionsError(f"{source.name} has column names but no rows; add one for each sample")
    values, classes = encode(
        source.load(models), models, samples, classes=options.classes, regression=options.regression
    )
    facts, declared = _facts(source, options.columns), options.declared and options.classes is not None
    return Predictions(values, tuple(models), samples, classes, columns=facts, declared=declared)


def _facts(source: TableSource, columns: Sequence[str], rows: IntArray | None = None) -> pa.Table | None:
    if not columns:
        return None
    facts = {name: source.column(name) for name in columns}
    return pa.table({name: fact if rows is None else fact.take(pa.array(rows)) for name, fact in facts.items()})


def _long(source: TableSource, options: Options) -> Predictions:
    ids = source.ids(options.id).dictionary_encode()
    models = as_text(source.column("model").combine_chunks()).dictionary_encode()
    if not len(ids):
        raise PredictionsError(f"{source.name} has column names but no rows; add one for each prediction")
    if models.null_count or "" in models.dictionary.to_pylist():
        raise PredictionsError(f"a row of {source.name} has no model; name the model of each prediction")
    names: list[str] = models.dictionary.to_pylist()
    rows = _rows(np.asarray(models.indices), np.asarray(ids.indices), names, ids.dictionary)
    rows, samples = _joined(rows, names, ids.dictionary, options.join)
    stated = [name.removeprefix(PROBABILITY) for name in source.columns if name.startswith(PROBABILITY)]
    stated = [name for name in stated if name and f"{PROBABILITY}{name}" not in options.columns]

    def column(name: str) -> Iterator[pa.ChunkedArray]:
        values = next(source.load([name]))
        return (taken(values, wanted) for wanted in rows)

    predictions = assembled(column, [stated] * len(names), names, samples, options)
    priced = with_prices(predictions, column, [each for each in source.columns if each not in options.columns])
    return replace(priced, columns=_facts(source, options.columns, rows.max(axis=0)))


def _rows(model: IntArray, sample: IntArray, models: list[str], samples: Index) -> IntArray:
    """(models, samples): the row that holds the prediction; -1 where there is none."""
    rows = np.full((len(models), len(samples)), -1, dtype=np.int64)
    numbers = np.arange(len(model))
    rows[model, sample] = numbers
    again = rows[model, sample] != numbers
    if again.any():
        row = int(np.argmax(again))
        raise PredictionsError(
            f"model {models[model[row]]!r} predicts sample {ids_at(samples, sample[[row]])[0]!r} more than "
            "once; keep one row for each model and sample"
        )
    return rows


def _joined(rows: IntArray, models: list[str], samples: Index, join: str | None) -> tuple[IntArray, Index]:
    missing = rows < 0
    if not missing.any():
        return rows, samples
    least, shared = int(np.argmax(missing.sum(axis=1))), np.asarray(~missing.any(axis=0))
    present = int(np.count_nonzero(~missing))
    check_join(join, models[least], samples, np.flatnonzero(missing[least]), shared, present, len(models))
    if join == "outer":
        return rows, samples
    return rows[:, shared], as_index(pc.take(samples, pa.array(np.flatnonzero(shared))))
