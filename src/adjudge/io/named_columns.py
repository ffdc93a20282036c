"""Tables of other tools: rows of any kind of file, and columns that are found by usual names."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from adjudge.core.index import listed
from adjudge.errors import InputError
from adjudge.io.column_names import simplified
from adjudge.io.files import TABLE_SUFFIXES
from adjudge.io.predictions.sources import open_source
from adjudge.io.runs.records import read_json, read_json_lines

LINES = (".jsonl", ".ndjson")
TABLE = ("columns", "data")  # what MLflow and Weights & Biases write as JSON: names, and rows of cells


def rows_of(path: Path, one_for: str) -> list[dict[str, Any]]:
    """The rows of a CSV, JSONL or Parquet file, or of a JSON table; `one_for` says what a row is for."""
    if path.suffix.lower() in LINES:
        return list(read_json_lines(path))
    if path.suffix.lower() == ".json":
        return _json_rows(path, one_for)
    if path.suffix.lower() not in TABLE_SUFFIXES and path.exists():
        raise InputError(f"{path.name} is not a table; give a file that ends in .csv, .tsv, .parquet, .jsonl or .json")
    source = open_source(path)
    columns = [source.column(name).to_pylist() for name in source.columns]
    rows = [dict(zip(source.columns, cells, strict=True)) for cells in zip(*columns, strict=True)]
    if not rows:
        raise InputError(f"{path.name} has column names but no rows; add one for each {one_for}")
    return rows


def _json_rows(path: Path, one_for: str) -> list[dict[str, Any]]:
    told = read_json(path)
    if not is_json_table(told):
        raise InputError(
            f"{path.name} is not a table; give JSON as MLflow and Weights & Biases write tables: an object with "
            f"{TABLE[0]!r} and {TABLE[1]!r}"
        )
    if not told["data"]:
        raise InputError(f"{path.name} has column names but no rows; add one for each {one_for}")
    names = list(map(str, told["columns"]))
    if any(not isinstance(row, list) or len(row) != len(names) for row in told["data"]):
        raise InputError(f"a row of {path.name} does not have {len(names)} cells, one for each column; write it again")
    return [dict(zip(names, row, strict=True)) for row in told["data"]]


def is_json_table(told: object) -> bool:
    """Whether this is a table as MLflow's `log_table` and Weights & Biases have it."""
    return isinstance(told, dict) and all(isinstance(told.get(name), list) for name in TABLE)


def named_columns(
    file: str,
    rows: Sequence[Mapping[str, Any]],
    told: Mapping[str, str],
    usual: Mapping[str, Sequence[str]],
    needed: Sequence[str],
) -> dict[str, str]:
    """Which column holds what: as told, or by one of the usual names, whatever its capitals."""
    there = list(dict.fromkeys(name for row in rows for name in row))
    if unknown := [meaning for meaning in told if meaning not in usual]:
        raise InputError(f"--column {unknown[0]}=... is not known; the names are {', '.join(usual)}")
    if lacking := [name for name in told.values() if name not in there]:
        raise InputError(f"the column {lacking[0]!r} is missing in {file}, which has {listed(there, 8)}; name another")
    plain = {simplified(name): name for name in reversed(there)}
    names = dict(told)
    for meaning, each in usual.items():
        free = (plain[name] for name in each if name in plain and plain[name] not in names.values())
        if meaning not in names and (found := next(free, None)) is not None:
            names[meaning] = found
    for meaning in needed:
        if meaning not in names:
            raise InputError(
                f"{file} has no column that is known to hold the {meaning}, only {listed(there, 8)}; name it with "
                f"--column {meaning}=NAME"
            )
    return names
