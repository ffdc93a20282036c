"""The index of a frame of pandas, as a column of sample ids."""

import pyarrow as pa

ID = "sample_id"  # what it is called then


def with_index(table: pa.Table, id_name: str | None) -> pa.Table:
    """The table of a frame of pandas with its index as a column of ids, unless it is the plain number of the row."""
    told = (table.schema.pandas_metadata or {}).get("index_columns", ())
    stored = [each for each in told if isinstance(each, str)]
    columns = [name for name in table.column_names if name not in stored]
    plain = table.select(columns)
    if len(told) != 1 or any(name in columns for name in (ID, "id", id_name)):
        return plain
    if stored:
        numbers, name = table.column(stored[0]), stored[0] if stored[0] == id_name else ID
    else:
        every, name = range(told[0]["start"], told[0]["stop"], told[0]["step"]), told[0]["name"]
        if every == range(table.num_rows) and name is None:
            return plain
        numbers, name = pa.array(every), name if name == id_name and name else ID
    return plain.add_column(0, name, numbers)
