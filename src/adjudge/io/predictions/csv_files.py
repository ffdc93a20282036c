"""How a CSV file is laid out, and its columns as text."""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.csv as arrow_csv

from adjudge.errors import InputError
from adjudge.io.column_names import LAYOUT, UNNAMED
from adjudge.io.files import parsing
from adjudge.io.notes import Notes, parsed_note, values_of

DELIMITERS = (",", ";", "\t")
BOM = b"\xef\xbb\xbf"
BLOCK = 1 << 22  # bytes parsed at a time; a row must fit
HEADER_LIMIT = 1 << 24  # a header longer than this is a quote that was never closed
CORRECT = "correct that row, or save the table again"
REPEATING_TEXT = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True)
class CsvLayout:
    """What stands above the rows of a CSV file."""

    start: int  # of the rows, in bytes
    size: int
    delimiter: str
    all_names: list[str]
    names: tuple[str, ...]  # without columns that only a spreadsheet knows of
    notes: Notes


def csv_layout(file: Path) -> CsvLayout:
    with parsing(file), file.open("rb") as opened:
        notes, header = _csv_head(file.name, opened)
        start = opened.tell()
        size = max(1, opened.seek(0, io.SEEK_END) - start)
        delimiter, written = _split_header(file.name, header)
    all_names = written if values_of(notes, LAYOUT) else [name.strip() for name in written]
    named = len(all_names)
    while named and not all_names[named - 1]:
        named -= 1  # a spreadsheet saves columns that once held something
        all_names[named] = f"\0{named}"
    if named and not all_names[0]:
        all_names[0] = UNNAMED
    check_header(file.name, all_names[:named])
    if named < len(all_names):
        _check_blank(file, start, delimiter, all_names, named)
    return CsvLayout(start, size, delimiter, all_names, tuple(all_names[:named]), notes)


def _check_blank(file: Path, start: int, delimiter: str, names: list[str], named: int) -> None:
    """Refuse columns that have values but no name."""
    with parsing(file, CORRECT), file.open("rb") as opened:
        opened.seek(start)
        table = parsed_csv(opened, delimiter, names, names[named:])
    for at, column in enumerate(table.columns, start=named + 1):
        if any(str(text or "").strip() for text in column.unique().to_pylist()):
            raise InputError(f"column {at} of {file.name} has values but no name; name it, or leave it out")


def parsed_csv(opened: pa.OSFile, delimiter: str, names: list[str], wanted: list[str]) -> pa.Table:
    """The wanted columns of the rows of a CSV file, all as text."""
    try:
        return arrow_csv.read_csv(opened, **_reader_arguments(delimiter, names, wanted))
    except pa.ArrowInvalid as error:
        if str(error) != "Empty CSV file":
            raise
        return pa.table({name: pa.array([], REPEATING_TEXT) for name in wanted})


def opened_csv(opened: pa.OSFile, layout: CsvLayout, block: int) -> Iterator[pa.RecordBatch]:
    """The rows of a CSV file, a block at a time."""
    try:
        yield from arrow_csv.open_csv(
            opened, **_reader_arguments(layout.delimiter, layout.all_names, list(layout.names), block)
        )
    except pa.ArrowInvalid as error:
        if str(error) != "Empty CSV file":
            raise


def _reader_arguments(delimiter: str, names: list[str], wanted: list[str], block: int = BLOCK) -> dict[str, object]:
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


def check_header(name: str, columns: Iterable[str]) -> None:
    seen = set[str]()
    for at, column in enumerate(columns):
        if not column.strip():
            raise InputError(f"column {at + 1} of {name} has no name; name it, or leave it out")
        if column in seen:
            raise InputError(f"the column {column!r} occurs more than once in {name}; give each its own name")
        seen.add(column)
