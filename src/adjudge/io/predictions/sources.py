"""Tables of any origin, read a few columns at a time."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv
from pyarrow import parquet

from adjudge.core.index import listed
from adjudge.errors import InputError
from adjudge.io.files import TABLE_SUFFIXES, TEXT_SUFFIXES, checked_path, parsing
from adjudge.io.notes import Notes, from_metadata, parsed_note
from adjudge.io.predictions.distinct import as_text
from adjudge.io.predictions.pandas_index import with_index
from adjudge.io.storage import StoredFile, stored_file

ID_NAMES = ("sample_id", "id")
DELIMITERS = (",", ";", "\t")
BOM = b"\xef\xbb\xbf"
BLOCK = 1 << 22  # bytes parsed at a time; a row must fit
AT_ONCE = 1 << 28  # bytes of text whose columns are held at a time; a larger file is parsed several times
HEADER_LIMIT = 1 << 24  # a header longer than this is a quote that was never closed
CORRECT = "correct that row, or save the table again"
REPEATING_TEXT = pa.dictionary(pa.int32(), pa.string())


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
        names = ID_NAMES if name is None else (name, *ID_NAMES) if or_usual else (name,)
        for candidate in names:
            if candidate in self.columns:
                return candidate
        wanted = " or ".join(map(repr, names))
        raise InputError(
            f"no column of sample ids named {wanted} is in {self.name}, only {self.listed()}; "
            "add one, or name the column that holds the ids (--id, or id= in Python)"
        )

    def ids(self, name: str | None = None, *, or_usual: bool = False) -> pa.LargeStringArray:
        """The sample ids as text, in the order of the rows."""
        column = self.id_column(name, or_usual=or_usual)
        ids = as_text(self.column(column).combine_chunks())
        blank = pc.index(pc.fill_null(pc.equal(ids, ""), True), True).as_py()
        if blank >= 0:
            raise InputError(f"row {blank + 1} of {self.name} has no sample id in column {column!r}; give each one")
        return ids

    def renamed(self, old: str, new: str) -> "TableSource":
        """The table with a column under another name, in place of the column that has it."""

        def load(names: Sequence[str]) -> Iterator[pa.ChunkedArray]:
            return self.load([old if name == new else name for name in names])

        columns = tuple(new if name == old else name for name in self.columns if name != new)
        return replace(self, columns=columns, load=load)

    def need(self, *names: str) -> None:
        for name in names:
            if name not in self.columns:
                raise InputError(f"the column {name!r} is missing in {self.name}, which has {self.listed()}; add it")

    def listed(self) -> str:
        return listed(self.columns, 8)


def open_source(path: Path) -> TableSource:
    """A CSV or Parquet file as a source."""
    file = checked_path(path, TABLE_SUFFIXES)
    return _csv_source(file) if file.suffix.lower() in TEXT_SUFFIXES else parquet_source(stored_file(file))


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
    table = with_index(table, id_name)
    _check_header("the frame", table.column_names)
    return TableSource("the frame", tuple(table.column_names), _columns_of(table), from_metadata(table.schema.metadata))


def _columns_of(table: pa.Table) -> Callable[[Sequence[str]], Iterator[pa.ChunkedArray]]:
    return lambda names: (table.column(name) for name in names)


def parquet_source(file: StoredFile, groups: Sequence[int] | None = None, samples: range | None = None) -> TableSource:
    """A Parquet file as a source, or some of its row groups."""
    with file.parsed() as opened, parquet.ParquetFile(opened) as table:
        schema = table.schema_arrow
    names = [name for name in schema.names if not name.startswith("__index_level_")]  # an index of pandas
    _check_header(file.name, names)
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
    layout = _csv_layout(file)

    def load(wanted: Sequence[str]) -> Iterator[pa.ChunkedArray]:
        together = max(1, AT_ONCE * len(layout.all_names) // layout.size)
        for first in range(0, len(wanted), together):
            part = list(wanted[first : first + together])
            with parsing(file, CORRECT), pa.OSFile(str(file)) as opened:
                opened.seek(layout.start)
                yield from _parse(opened, layout.delimiter, layout.all_names, part).columns

    return TableSource(file.name, layout.names, load, layout.notes)


def csv_batches(file: Path, size: int, rows: int | None, id_name: str | None) -> Iterator[TableSource]:
    """A CSV file as several sources, of about `size` bytes of text or `rows` samples each, in a single pass.

    Rows of a sample, which a long table has several of, stay together if they stand together.
    """
    layout = _csv_layout(checked_path(file, TEXT_SUFFIXES))

    def source(table: pa.Table) -> TableSource:
        return TableSource(file.name, layout.names, _columns_of(table), layout.notes)

    ids = source(pa.table({name: [] for name in layout.names})).id_column(id_name)
    long = "model" in layout.names and not {"prediction", "score"}.isdisjoint(layout.names)
    held: list[pa.Table] = []
    with parsing(file, CORRECT), pa.OSFile(str(file)) as opened:
        opened.seek(layout.start)
        for batch in _opened_csv(opened, layout, min(BLOCK, size)):
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


@dataclass(frozen=True)
class _CsvLayout:
    """What stands above the rows of a CSV file."""

    start: int  # of the rows, in bytes
    size: int
    delimiter: str
    all_names: list[str]
    names: tuple[str, ...]  # without columns that only a spreadsheet knows of
    notes: Notes


def _csv_layout(file: Path) -> _CsvLayout:
    with parsing(file), file.open("rb") as opened:
        notes, header = _csv_head(file.name, opened)
        start = opened.tell()
        size = max(1, opened.seek(0, io.SEEK_END) - start)
        delimiter, all_names = _split_header(file.name, header)
    named = len(all_names)
    while named and not all_names[named - 1]:
        named -= 1  # a spreadsheet saves columns that once held something
        all_names[named] = f"\0{named}"
    _check_header(file.name, all_names[:named])
    if named < len(all_names):
        _check_blank(file, start, delimiter, all_names, named)
    return _CsvLayout(start, size, delimiter, all_names, tuple(all_names[:named]), notes)


def _check_blank(file: Path, start: int, delimiter: str, names: list[str], named: int) -> None:
    """Refuse columns that have values but no name."""
    with parsing(file, CORRECT), file.open("rb") as opened:
        opened.seek(start)
        table = _parse(opened, delimiter, names, names[named:])
    for at, column in enumerate(table.columns, start=named + 1):
        if any(str(text or "").strip() for text in column.unique().to_pylist()):
            raise InputError(f"column {at} of {file.name} has values but no name; name it, or leave it out")


def _parse(opened: pa.OSFile, delimiter: str, names: list[str], wanted: list[str]) -> pa.Table:
    """The wanted columns of the rows of a CSV file, all as text."""
    try:
        return arrow_csv.read_csv(opened, **_how(delimiter, names, wanted))
    except pa.ArrowInvalid as error:
        if str(error) != "Empty CSV file":
            raise
        return pa.table({name: pa.array([], REPEATING_TEXT) for name in wanted})


def _opened_csv(opened: pa.OSFile, layout: _CsvLayout, block: int) -> Iterator[pa.RecordBatch]:
    """The rows of a CSV file, a block at a time."""
    try:
        yield from arrow_csv.open_csv(opened, **_how(layout.delimiter, layout.all_names, list(layout.names), block))
    except pa.ArrowInvalid as error:
        if str(error) != "Empty CSV file":
            raise


def _how(delimiter: str, names: list[str], wanted: list[str], block: int = BLOCK) -> dict[str, object]:
    return {
        # without threads: with them Arrow reads ahead of the parser, and the whole file is in memory
        "read_options": arrow_csv.ReadOptions(column_names=names, block_size=block, use_threads=False),
        "parse_options": arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        "convert_options": arrow_csv.ConvertOptions(
            include_columns=wanted, column_types=dict.fromkeys(names, REPEATING_TEXT)
        ),
    }


def _csv_head(name: str, opened: BinaryIO) -> tuple[Notes, str]:
    """The notes above the header, and the header, which may hold line breaks between quotes."""
    if opened.read(len(BOM)) != BOM:
        opened.seek(0)
    notes = []
    line = opened.readline(HEADER_LIMIT)
    while line.startswith((b"#", b'"#')) or (line and not line.strip()):
        if line.strip():
            notes.append(parsed_note(line.decode()))
        line = opened.readline(HEADER_LIMIT)
    while line.count(b'"') % 2 and len(line) < HEADER_LIMIT and (more := opened.readline(HEADER_LIMIT)):
        line += more
    if not line.strip() or b"\0" in line or len(line) >= HEADER_LIMIT or line.count(b'"') % 2:
        wrong = InputError(f"{name} has no row of column names; begin it with one, such as sample_id,net,forest")
        raise UnicodeError if b"\0" in line else wrong
    return tuple(notes), line.decode()


def _split_header(name: str, header: str) -> tuple[str, list[str]]:
    split = {each: _rows(header, each) for each in DELIMITERS}
    delimiter = max(DELIMITERS, key=lambda each: len(split[each][0]))
    if len(split[delimiter]) > 1 or not split[delimiter][0]:  # lines that end as they did on old Macs
        raise InputError(f"the column names of {name} are not on a line of their own; save it as CSV UTF-8")
    return delimiter, split[delimiter][0]


def _rows(header: str, delimiter: str) -> list[list[str]]:
    lines = io.StringIO(header, newline="")
    try:
        return list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True))
    except csv.Error:  # text right after a closing quote: another delimiter
        return [[]]


def _check_header(name: str, columns: Iterable[str]) -> None:
    seen = set[str]()
    for at, column in enumerate(columns):
        if not column.strip():
            advice = "name it, or leave it out (pandas writes its index so unless told index=False)"
            raise InputError(f"column {at + 1} of {name} has no name; {advice}")
        if column in seen:
            raise InputError(f"the column {column!r} occurs more than once in {name}; give each its own name")
        seen.add(column)
