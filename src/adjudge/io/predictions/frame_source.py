"""Frames of pandas and polars, and Arrow tables, as sources; the index of pandas becomes a column of ids."""

import pyarrow as pa

from adjudge.errors import InputError
from adjudge.io.notes import from_metadata
from adjudge.io.predictions.sources import ID_NAMES, TableSource, check_header, columns_of


def frame_source(frame: object, id_name: str | None = None) -> TableSource:
    """An Arrow table, or a frame of pandas or polars, as a source; the index of pandas is its ids, if no column is."""
    try:
        table = pa.table(frame)
    except (TypeError, ValueError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"the frame cannot be turned into an Arrow table ({reason}); "
            "pass a pandas or polars frame or an Arrow table whose columns each hold one type"
        ) from error
    table = _with_index(table, id_name)
    check_header("the frame", table.column_names)
    return TableSource("the frame", tuple(table.column_names), columns_of(table), from_metadata(table.schema.metadata))


def _with_index(table: pa.Table, id_name: str | None) -> pa.Table:
    """The table of a frame of pandas with its index as a column of ids, unless it is the plain number of the row."""
    told = (table.schema.pandas_metadata or {}).get("index_columns", ())
    stored = [each for each in told if isinstance(each, str)]
    columns = [name for name in table.column_names if name not in stored]
    plain = table.select(columns)
    if len(told) != 1 or any(name in columns for name in (*ID_NAMES, id_name)):
        return plain
    if stored:
        numbers, name = table.column(stored[0]), stored[0] if stored[0] == id_name else ID_NAMES[0]
    else:
        every, name = range(told[0]["start"], told[0]["stop"], told[0]["step"]), told[0]["name"]
        if every == range(table.num_rows) and name is None:
            return plain
        numbers, name = pa.array(every), name if name == id_name and name else ID_NAMES[0]
    return plain.add_column(0, name, numbers)
