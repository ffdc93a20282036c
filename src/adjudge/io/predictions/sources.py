"""Tables of any origin, read a few columns at a time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.index import listed
from adjudge.errors import InputError
from adjudge.io.column_names import IDS, LAYOUT, simplified, usual
from adjudge.io.files import TABLE_SUFFIXES, TEXT_SUFFIXES, checked_path, parsing
from adjudge.io.notes import Notes, from_metadata, values_of
from adjudge.io.predictions.csv_files import BLOCK, CORRECT, check_header, csv_layout, opened_csv, parsed_csv
from adjudge.io.predictions.distinct import as_text
from adjudge.io.predictions.pandas_index import with_index
from adjudge.io.storage import StoredFile, stored_file

ID_NAMES = IDS[:2]  # those that are documented; others are taken where neither is there
THE_FRAME = "the frame"  # the name of a table that no file holds
AT_ONCE = 1 << 28  # bytes of text whose columns are held at a time; a larger file is parsed several times


@dataclass(frozen=True)
class TableSource:
    """A table whose columns are loaded when asked for, so that a wide one never stands in memory."""

    name: str
    columns: tuple[str, ...]
    load: Callable[[Sequence[str]], Iterator[pa.ChunkedArray]]
    notes: Notes = ()
    samples: range | None = None  # where the ids are known to be numbers in order, and need not be read

    def column(self, name: str) -> pa.ChunkedArray:
        """One column, decoded where its values are held in a dictionary."""
        column = next(self.load([name]))
        return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column

    def id_column(self, name: str | None = None, *, or_usual: bool = False) -> str:
        """The column that holds the sample ids; with `or_usual` it may have a usual name though another is given."""
        told = () if name is None else (name,)
        found = [each for each in told if each in self.columns]
        found += usual(self.columns, IDS) if name is None or or_usual else ()
        if found:
            return found[0]
        wanted = " or ".join(map(repr, (*told, *ID_NAMES) if name is None or or_usual else told))
        raise InputError(
            f"no column of sample ids named {wanted} is in {self.name}, only {self.listed()}; "
            "add one, or name the column that holds the ids (--id, or id= in Python)"
        )

    def ids(self, name: str | None = None, *, or_usual: bool = False) -> pa.LargeStringArray:
        """The sample ids as text, in the order of the rows."""
        column = self.id_column(name, or_usual=or_usual)
        written = self.column(column).combine_chunks()
        ids = as_text(written) if values_of(self.notes, LAYOUT) else stripped_ids(written)
        blank = pc.index(pc.fill_null(pc.equal(ids, ""), True), True).as_py()
        if blank >= 0:
            raise InputError(f"row {blank + 1} of {self.name} has no sample id in column {column!r}; give each one")
        return ids

    def renamed(self, old: str, new: str) -> "TableSource":
        """The table with a column under another name, in place of the column that has it."""
        return self.selected({new if name == old else name: name for name in self.columns if name != new})

    def selected(self, names: Mapping[str, str]) -> "TableSource":
        """Some columns of the table, each under a new name."""

        def load(wanted: Sequence[str]) -> Iterator[pa.ChunkedArray]:
            return self.load([names[name] for name in wanted])

        return replace(self, columns=tuple(names), load=load)

    def in_lower_case(self, names: Sequence[str]) -> "TableSource":
        """The table in which columns have these names though their capitals or blanks differ."""
        plain = {simplified(name): name for name in reversed(self.columns)}
        found = {plain[name]: name for name in names if name not in self.columns and name in plain}
        return self.selected({found.get(name, name): name for name in self.columns}) if found else self

    def need(self, *names: str) -> None:
        for name in names:
            if name not in self.columns:
                raise InputError(f"the column {name!r} is missing in {self.name}, which has {self.listed()}; add it")

    def listed(self) -> str:
        return listed(self.columns, 8)


def stripped_ids(column: pa.Array) -> pa.LargeStringArray:
    """Ids as text, without blanks around them; whole numbers that went through a column of floats are whole again.

    >>> stripped_ids(pa.array([" 007", "8 "])).to_pylist(), stripped_ids(pa.array([7.0, 8.0])).to_pylist()
    (['007', '8'], ['7', '8'])
    """
    ids = pc.utf8_trim_whitespace(as_text(column))
    whole = pc.all(pc.match_substring_regex(ids, r"^\d+\.0$"), min_count=0).as_py()
    return pc.replace_substring(ids, ".0", "") if whole else ids


def open_source(path: Path) -> TableSource:
    """A CSV or Parquet file as a source."""
    file = checked_path(path, TABLE_SUFFIXES)
    return _csv_source(file) if file.suffix.lower() in TEXT_SUFFIXES else parquet_source(stored_file(file))


def frame_source(frame: object, id_name: str | None = None, *, id_names: Sequence[str] = IDS) -> TableSource:
    """An Arrow table, or a frame of pandas or polars, as a source; the index of pandas is its ids, if no column is."""
    try:
        table = pa.table(frame)
    except (TypeError, ValueError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"{THE_FRAME} cannot be turned into an Arrow table ({reason}); "
            "pass a pandas or polars frame or an Arrow table whose columns each hold one type"
        ) from error
    table = with_index(table, id_name, id_names)
    check_header(THE_FRAME, table.column_names)
    return TableSource(THE_FRAME, tuple(table.column_names), _columns_of(table), from_metadata(table.schema.metadata))


def _columns_of(table: pa.Table) -> Callable[[Sequence[str]], Iterator[pa.ChunkedArray]]:
    return lambda names: (table.column(name) for name in names)


def parquet_source(file: StoredFile, groups: Sequence[int] | None = None, samples: range | None = None) -> TableSource:
    """A Parquet file as a source, or some of its row groups."""
    from pyarrow import parquet  # slow to import

    with file.parsed() as opened, parquet.ParquetFile(opened) as table:
        schema = table.schema_arrow
    names = [name for name in schema.names if not name.startswith("__index_level_")]  # an index of pandas
    check_header(file.name, names)
    texts = [field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)]

    def load(wanted: Sequence[str]) -> Iterator[pa.ChunkedArray]:
        with file.parsed() as opened, parquet.ParquetFile(opened, read_dictionary=texts) as table:
            used = range(table.num_row_groups) if groups is None else groups
            rows = sum(table.metadata.row_group(each).num_rows for each in used)
            for name in wanted:
                column = table.read_row_groups(list(used), columns=[name]).column(name)
                column.validate(full=not pa.types.is_dictionary(column.type))  # Arrow itself trusts the file
                if len(column) != rows:
                    raise InputError(f"the column {name!r} of {file.name} is cut short; write the file again")
                yield column

    return TableSource(file.name, tuple(names), load, from_metadata(schema.metadata), samples)


def _csv_source(file: Path) -> TableSource:
    layout = csv_layout(file)

    def load(wanted: Sequence[str]) -> Iterator[pa.ChunkedArray]:
        together = max(1, AT_ONCE * len(layout.all_names) // layout.size)
        for first in range(0, len(wanted), together):
            part = list(wanted[first : first + together])
            with parsing(file, CORRECT), pa.OSFile(str(file)) as opened:
                opened.seek(layout.start)
                yield from parsed_csv(opened, layout.delimiter, layout.all_names, part).columns

    return TableSource(file.name, layout.names, load, layout.notes)


def csv_batches(file: Path, size: int, rows: int | None, ids: str, long: bool) -> Iterator[TableSource]:
    """A CSV file as several sources, of about `size` bytes of text or `rows` samples each, in a single pass.

    Rows of a sample, which a long table has several of, stay together if they stand together.
    """
    layout = csv_layout(checked_path(file, TEXT_SUFFIXES))

    def source(table: pa.Table) -> TableSource:
        return TableSource(file.name, layout.names, _columns_of(table), layout.notes)

    held: list[pa.Table] = []
    with parsing(file, CORRECT), pa.OSFile(str(file)) as opened:
        opened.seek(layout.start)
        for batch in opened_csv(opened, layout, min(BLOCK, size)):
            held.append(pa.Table.from_batches([batch]))
            while (found := pa.concat_tables(held).unify_dictionaries()).num_rows > 1:
                cut = _cut(found, ids, long, size, rows)
                if cut is None:
                    break
                yield source(found.slice(0, cut))
                held = [found.slice(cut)]
    if held and pa.concat_tables(held).num_rows:
        yield source(pa.concat_tables(held).unify_dictionaries())


def _cut(table: pa.Table, ids: str, long: bool, size: int, rows: int | None) -> int | None:
    """How many of the rows make a part; None: it takes more."""
    if not long:
        enough = table.nbytes > size if rows is None else table.num_rows >= rows
        return (rows or table.num_rows) if enough else None
    names = table.column(ids).combine_chunks().cast(pa.string())
    starts = np.flatnonzero(pc.not_equal(names[1:], names[:-1])) + 1  # of all samples but the first
    if rows is not None:
        return int(starts[rows - 1]) if len(starts) >= rows else None
    return int(starts[-1]) if len(starts) and table.nbytes > size else None
