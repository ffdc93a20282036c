"""Rows as scikit-learn takes them: a frame of pandas or polars, a column of texts, or a sparse matrix."""

import hashlib
from typing import Any

import pyarrow as pa

from adjudge.core.index import as_index
from adjudge.models.datasets.data import Dataset
from adjudge.models.datasets.hashing import hash_array


def is_rows(data: object) -> bool:
    """Whether this is a frame, a column of pandas or a sparse matrix, and no array."""
    return hasattr(data, "shape") and any(hasattr(data, name) for name in ("columns", "iloc", "tocsr"))


def from_rows(rows: Any) -> Dataset:
    """Data that is given to models as it is; the index of pandas is the ids of samples.

    >>> import pandas
    >>> from_rows(pandas.DataFrame({"size": [1.5, 2.0], "kind": ["a", "b"]}, index=["x", "y"])).samples.to_pylist()
    ['x', 'y']
    """
    index, count = getattr(rows, "index", None), rows.shape[0]
    samples = range(count) if index is None or list(index) == list(range(count)) else as_index(index)
    rows = rows.tocsr() if hasattr(rows, "tocsr") else rows
    cut = getattr(rows, "iloc", rows)
    columns = tuple(map(str, getattr(rows, "columns", ())))
    return Dataset("the data", "table", samples, lambda first, last: cut[first:last], lambda: _digest(rows), columns)


def _digest(rows: Any) -> str:
    if hasattr(rows, "tocsr"):
        return "".join(hash_array(part) for part in (rows.data, rows.indices, rows.indptr))
    table, sink = pa.table(rows if hasattr(rows, "columns") else rows.to_frame()), pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return hashlib.sha256(sink.getvalue()).hexdigest()
