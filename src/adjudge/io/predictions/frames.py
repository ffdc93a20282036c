"""Frames of pandas and polars, and Arrow tables: predictions with ids from the index, and probabilities beside them."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias, Unpack

import numpy as np
import pyarrow as pa

from adjudge.core.arrays import Array, Frame
from adjudge.core.index import listed, positions_of
from adjudge.core.predictions import Predictions, place_of
from adjudge.errors import InputError, PredictionsError
from adjudge.io.files import naming
from adjudge.io.predictions.abstain import warned_of_unused
from adjudge.io.predictions.align import Options, ReadOptions
from adjudge.io.predictions.encode import class_table
from adjudge.io.predictions.sources import ID_NAMES, THE_FRAME, TableSource, frame_source
from adjudge.io.predictions.tables import RESERVED, read_source

FEW = 20  # rows, of which each may well be predicted differently
Stated: TypeAlias = Mapping[str, Frame | Array]  # (samples, classes) for each model


def from_frame(frame: object, *, probabilities: Stated | None = None, **options: Unpack[ReadOptions]) -> Predictions:
    """Predictions from a frame of pandas or polars, or from an Arrow table.

    Sample ids are the column `sample_id` or `id`, or the index of a frame of pandas; a column with another usual name,
    such as `image`, comes before an index of mere numbers. Without any of these, rows are numbered from 0.

    Parameters
    ----------
    probabilities
        By model, for those that have any: a frame with a column for each class, or an array with one for each of
        `classes`.
    **options
        Those of `read`: `id`, `join`, `columns`, `classes`, `regression`, `normalize`, `scores`, `abstain`.

    Examples
    --------
    >>> from_frame(pa.table({"sample_id": ["s1", "s2"], "a": ["cat", "dog"], "b": ["cat", None]}))
    Predictions(2 models x 2 samples, 2 classes, 1 missing)
    >>> sure = np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> from_frame({"a": ["cat", "dog"]}, probabilities={"a": sure}, classes=["cat", "dog"])
    Predictions(1 model x 2 samples, 2 classes, probabilities)
    """
    with naming(THE_FRAME, PredictionsError):
        told = Options(**options)
        pool = read_source(_with_ids(frame_source(frame, told.id), told), told)
        pool = pool if probabilities is None else _with_probabilities(pool, probabilities, told.classes)
        return warned_of_unused(pool, told.abstain)


def _with_ids(source: TableSource, options: Options) -> TableSource:
    """The frame itself, or with its rows numbered where nothing in it can be ids."""
    if options.id is not None or not source.columns:
        return source
    with suppress(InputError):
        source.id_column()
        return source
    models = [name for name in source.columns if name not in (*options.columns, *RESERVED)]
    rows = len(source.column(source.columns[0]))
    unlike = [name for name in models if rows > FEW and _all_different(source.column(name))]
    if len(unlike) == 1 < len(models):
        raise InputError(
            f"the column {unlike[0]!r} says something else in each row, as ids do, and the frame has neither an index "
            f"nor a column {ID_NAMES[0]!r}; name the column of ids (id={unlike[0]!r}), or give the frame an index"
        )
    numbers = pa.chunked_array([pa.array(range(rows))])

    def load(names: Sequence[str]) -> Any:
        return (numbers if name == ID_NAMES[0] else next(source.load([name])) for name in names)

    return replace(source, columns=(ID_NAMES[0], *source.columns), load=load)


def _all_different(column: pa.ChunkedArray) -> bool:
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_integer)
    return any(kind(column.type) for kind in kinds) and len(set(column.to_pylist())) == len(column)


def _with_probabilities(pool: Predictions, stated: Stated, told: Sequence[str] | None) -> Predictions:
    """The pool with what models state; it gains classes that only probabilities name."""
    if pool.classes is None:
        raise PredictionsError("probabilities= are given, but the predictions are numbers; leave them out")
    if pool.probabilities is not None:
        raise PredictionsError("the frame has columns of probabilities itself; leave out probabilities=")
    found = {name: _matrix(name, each, pool, told) for name, each in stated.items()}
    known = class_table(pool.classes).to_pylist()
    more = [name for names, _ in found.values() for name in names if name not in known]
    pool = pool.with_classes(list(dict.fromkeys(more))) if more else pool
    known = [*known, *dict.fromkeys(more)]
    filled = np.full((*pool.values.shape, len(known)), np.nan, dtype=np.float32)
    for model, (names, rows) in found.items():
        filled[place_of(model, pool)] = 0.0
        filled[place_of(model, pool)][:, [known.index(name) for name in names]] = rows
    return replace(pool, probabilities=filled)


def _matrix(model: str, given: Frame | Array, pool: Predictions, told: Sequence[str] | None) -> tuple[list[str], Array]:
    """The classes of the columns, and (samples, classes) in the order of the pool."""
    place_of(model, pool)  # refuses a name that no model has
    if isinstance(given, np.ndarray):
        if told is None:
            raise PredictionsError(
                f"probabilities={{{model!r}: ...}} is an array, whose columns have no names; give a frame with a "
                "column for each class, or the classes in the order of the columns (classes=[...])"
            )
        names, rows = list(told), given
    else:
        source = frame_source(given, id_names=ID_NAMES)  # others are names of classes
        columns = [name for name in source.columns if name not in ID_NAMES]
        names, rows = columns, np.column_stack([_numbers(model, name, source) for name in columns])
        if len(columns) < len(source.columns):
            rows = rows[_places(model, source, pool)]
    if rows.shape != (len(pool.samples), len(names)):
        raise PredictionsError(
            f"probabilities={{{model!r}: ...}} has the shape {rows.shape}, and {(len(pool.samples), len(names))} is "
            f"needed: a row for each sample, a column for each of the classes {listed(names)}"
        )
    return class_table(names).to_pylist(), rows


def _numbers(model: str, name: str, source: TableSource) -> Array:
    column = source.column(name)
    if not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
        raise PredictionsError(f"probabilities={{{model!r}: ...}} holds {column.type} in {name!r}; give numbers")
    return np.asarray(column.to_numpy())


def _places(model: str, source: TableSource, pool: Predictions) -> Array:
    """For each sample of the pool, the row that holds its probabilities."""
    places = positions_of(source.ids(), pool.samples)
    if (places < 0).any():
        raise PredictionsError(f"probabilities={{{model!r}: ...}} lacks samples of the frame; give a row for each")
    return places
