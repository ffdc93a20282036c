"""Notes at the head of a file: `# key: value` lines of a CSV file, metadata of a Parquet file."""

import re
from collections.abc import Iterable
from typing import TypeAlias
from urllib.parse import quote, unquote

Notes: TypeAlias = "tuple[tuple[str, str], ...]"  # pairs, since a key may stand several times

# All that a spreadsheet could take for a delimiter or a quote, or that ends a line, is written as %XX.
PLAIN = " !#$&'()*+-./<=>?@[]^_`{|}~"
METADATA = b"adjudge:"  # other writers leave metadata in Parquet files too


def note_line(key: str, value: str) -> str:
    """A note as a comment line of a CSV file.

    >>> note_line("parameter features", "last layer, flat")
    '# parameter features: last layer%2C flat'
    >>> parsed_note(note_line("parameter features", "last layer, flat"))
    ('parameter features', 'last layer, flat')
    """
    return f"# {_escaped(key)}: {_escaped(value, ':')}" if value else f"# {_escaped(key)}"


def parsed_note(line: str) -> tuple[str, str]:
    """A comment line taken apart, also after a spreadsheet quoted it or padded it with delimiters."""
    if cell := re.match(r'"((?:[^"]|"")*)"', line):
        line = cell[1].replace('""', '"')
    key, _, value = line.strip().rstrip(",;\t").removeprefix("#").partition(":")
    return unquote(key.strip()), unquote(value.strip())


def to_metadata(notes: Iterable[tuple[str, str]]) -> dict[bytes, bytes]:
    """Notes as metadata of an Arrow schema, whose keys must differ: they are numbered."""
    return {METADATA + f"{at}:{key}".encode(): value.encode() for at, (key, value) in enumerate(notes)}


def from_metadata(metadata: dict[bytes, bytes] | None) -> Notes:
    ours = {
        key.removeprefix(METADATA).decode(): value.decode()
        for key, value in (metadata or {}).items()
        if key.startswith(METADATA)
    }
    numbered = [(*key.partition(":")[::2], value) for key, value in ours.items()]
    return tuple((key, value) for at, key, value in sorted(numbered, key=lambda each: int(each[0])))


def values_of(notes: Notes, key: str) -> tuple[str, ...]:
    return tuple(value for found, value in notes if found == key)


def _escaped(text: str, also_plain: str = "") -> str:
    escaped = quote(text, safe=PLAIN + also_plain)
    inner = escaped.strip(" ")
    before = len(escaped) - len(escaped.lstrip(" "))
    return "%20" * before + inner + "%20" * (len(escaped) - len(inner) - before)
