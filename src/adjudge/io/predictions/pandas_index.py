"""The index of a frame of pandas, as a column of sample ids."""

import re
from collections.abc import Sequence

import pyarrow as pa

from adjudge.io.column_names import usual

ID = "sample_id"  # what it is called then
UNNAMED = re.compile(r"__index_level_\d+__")  # how Arrow calls an index without a name


def with_index(table: pa.Table, id_name: str | None, id_names: Sequence[str]) -> pa.Table:
    """The table of a frame of pandas with its index as a column of ids, unless it is the plain number of the row.

    An index of numbers without a name gives way to a column with one of `id_names`: which rows are kept, and so
    whether the index still counts them, must not change what a sample is called.
    """
    index_columns = (table.schema.pandas_metadata or {}).get("index_columns", ())
    stored = [each for each in index_columns if isinstance(each, str)]
    columns = [name for name in table.column_names if name not in stored]
    plain = table.select(columns)
    if len(index_columns) != 1 or any(name in columns for name in (ID, "id", id_name)):
        return plain
    [index] = index_columns
    if stored:
        ids, name = table.column(index), None if UNNAMED.fullmatch(index) else index
    else:
        every, name = range(index["start"], index["stop"], index["step"]), index["name"]
        if every == range(table.num_rows) and name is None:
            return plain
        ids = pa.array(every)
    if name is None and pa.types.is_integer(ids.type) and usual(columns, id_names):
        return plain
    return plain.add_column(0, name if name and name == id_name else ID, ids)
