"""Tables: a column of text, or columns of numbers."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.index import Index
from adjudge.errors import InputError
from adjudge.io.column_names import TRUTHS, UNNAMED
from adjudge.io.predictions.distinct import as_text, canonical
from adjudge.io.predictions.sources import ID_NAMES, TableSource

TEXT = "text"  # the column that is taken for the input where nothing else is said


def ids_of(source: TableSource, id_column: str | None) -> tuple[str | None, Index]:
    """The column of sample ids and its values; numbers from 0 where there is none."""
    if id_column is None and not any(name in source.columns for name in ID_NAMES):
        first = next(source.load(source.columns[:1]))
        return None, range(len(first))
    return source.id_column(id_column), source.ids(id_column)


def inputs_of(source: TableSource, id_column: str | None, columns: Sequence[str]) -> tuple[tuple[str, ...], Array]:
    """The columns that models are run on, and what is in them: (samples,) of text or (samples, columns) of numbers.

    Where none are named: the column `text`, or else all but the ids and the truth.
    """
    source.need(*columns)
    if not columns and TEXT in source.columns:
        columns = (TEXT,)
    names = tuple(columns) or tuple(name for name in source.columns if name not in (id_column, *TRUTHS[:2], UNNAMED))
    if not names:
        raise InputError(f"{source.name} has no column to run models on; add {TEXT!r}, or columns of numbers")
    if len(names) == 1:
        values = source.column(names[0])
        return names, _texts(values) if _is_text(values) else _numbers(values, names[0], source.name)[:, np.newaxis]
    table = np.stack([_numbers(source.column(name), name, source.name) for name in names], axis=1)
    return names, table


def _is_text(column: pa.ChunkedArray) -> bool:
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return False
    try:
        canonical(column.combine_chunks()).cast(pa.float64())
    except pa.ArrowInvalid:
        return True
    return False


def _texts(column: pa.ChunkedArray) -> Array:
    return np.asarray(pc.fill_null(as_text(column), "").to_numpy(zero_copy_only=False), dtype=object)


def _numbers(column: pa.ChunkedArray, name: str, where: str) -> FloatArray:
    """A column as floats, nan where blank."""
    whole = column.combine_chunks()
    try:
        plain = canonical(whole) if pa.types.is_string(whole.type) or pa.types.is_large_string(whole.type) else whole
        return np.asarray(plain.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    except pa.ArrowException as error:
        raise InputError(
            f"the column {name!r} of {where} is not all numbers ({str(error).splitlines()[0]}); name the columns that "
            "models take (--columns, or columns= in Python), or turn it into numbers"
        ) from error
