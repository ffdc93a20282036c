"""Folders of Hugging Face `datasets` (`save_to_disk`), read with Arrow alone."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.io.files import parsing
from adjudge.io.predictions.align import Options
from adjudge.io.predictions.sources import TableSource, frame_source
from adjudge.io.predictions.tables import read_source

STATE, INFO, SPLITS = "state.json", "dataset_info.json", "dataset_dict.json"
FILES = "_data_files"


def is_dataset(folder: Path) -> bool:
    """Whether `Dataset.save_to_disk` wrote this folder, or `DatasetDict.save_to_disk` one with several in it."""
    return any((folder / name).is_file() for name in (STATE, SPLITS))


def read_dataset(folder: Path, options: Options) -> Predictions:
    """Predictions from the table of a folder."""
    return read_source(dataset_source(folder), options)


def dataset_source(folder: Path) -> TableSource:
    """The table of a folder; numbers of a ClassLabel become the names of the classes."""
    if (folder / SPLITS).is_file():
        splits = ", ".join(sorted(each.parent.name for each in folder.glob(f"*/{STATE}")))
        raise InputError(f"{folder.name} holds several datasets; give the folder of one of them: {splits}")
    told, about = _json(folder / STATE), _json(folder / INFO) if (folder / INFO).is_file() else {}
    with parsing(folder / STATE):
        names = [Path(each["filename"]).name for each in told[FILES]]
    tables = [_table(folder / name) for name in names]
    if not tables:
        raise InputError(f"{folder.name} names no files of data in {STATE}; write it again")
    table = pa.concat_tables(tables)
    for name, kind in (about.get("features") or {}).items():
        if isinstance(kind, Mapping) and kind.get("_type") == "ClassLabel" and name in table.column_names:
            table = _named(table, name, kind["names"])
    return replace(frame_source(table), name=folder.name)


def _json(file: Path) -> dict[str, Any]:
    with parsing(file):
        found: dict[str, Any] = dict(json.loads(file.read_text(encoding="utf-8")))
    return found


def _table(file: Path) -> pa.Table:
    if not file.is_file():
        raise InputError(f"{file.name} is missing in {file.parent.name}; copy the whole folder")
    with parsing(file), pa.OSFile(str(file)) as opened, pa.ipc.open_stream(opened) as stream:
        return stream.read_all()


def _named(table: pa.Table, name: str, names: list[str]) -> pa.Table:
    """A column of numbers as the names that they stand for; null, below zero or beyond the names: nothing."""
    numbers = table.column(name).to_numpy()
    known = (numbers >= 0) & (numbers < len(names))  # false for the nan that Arrow makes of a null
    codes = np.where(known, numbers, 0).astype(np.int64)
    texts = pa.array(np.array(names, dtype=object)[codes], pa.string(), mask=~known)
    return table.set_column(table.column_names.index(name), name, texts)
