"""The manifest of a pool in parts: what a pass over them found, beside them, so that the next read needs no pass."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from adjudge.core.index import Index
from adjudge.errors import InputError
from adjudge.io.files import PathLike, atomic_write
from adjudge.io.predictions.align import Options
from adjudge.io.predictions.parts import Facts
from adjudge.io.storage import StoredFile, is_folder, local_path, read_text, url_of

NAME = "_adjudge.json"  # readers of Parquet folders pass over names that begin so
FORMAT = 1


@dataclass(frozen=True)
class Noted:
    """What one part holds."""

    models: tuple[str, ...]
    classes: tuple[str, ...] | None
    declared: bool
    samples: Index
    probabilities: bool
    columns: tuple[str, ...]
    abstain: tuple[str, ...] = ()


class StoredPart(Protocol):
    """A part that is some row groups of a file."""

    @property
    def file(self) -> StoredFile: ...

    @property
    def groups(self) -> tuple[int, ...]: ...

    @property
    def rows(self) -> int: ...


@dataclass(frozen=True)
class Manifest:
    """Where it is, and for which options of reading it holds."""

    path: str
    options: str

    @classmethod
    def beside(cls, path: PathLike, options: Options) -> "Manifest":
        place = url_of(path) or str(local_path(path))
        where = f"{place.rstrip('/')}/{NAME}" if is_folder(path) else f"{place}{NAME}"
        told = [options.id, options.join, options.columns, options.classes, options.regression, options.abstain]
        told += [options.prediction_column, options.label_column, options.model_column]
        return cls(where, json.dumps(told))

    def read(self, parts: Sequence[StoredPart]) -> Facts | None:
        """What it says about the pool; None if there is none, or if it is about other files than these."""
        try:
            told = json.loads(read_text(self.path) or "{}")
            about = {each["name"]: each for each in told["files"]}
            names = {part.file.name for part in parts}
            if told["format"] != FORMAT or told["options"] != self.options or names != set(about):
                return None
            if not all(_is_same(about[part.file.name], part.file) for part in parts):
                return None
            facts: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value for name, value in told["facts"].items()
            }
            if told["wide"]:  # a row is a sample, however the parts are cut
                return Facts(**{**facts, "rows": tuple(part.rows for part in parts)})
            return Facts(**facts) if told["cut"] == _cut(parts) else None
        except (ValueError, KeyError, TypeError):
            return None

    def write(self, parts: Sequence[StoredPart], facts: Facts) -> None:
        """Note what was found; where that cannot be written, the next read makes the pass again."""
        if url_of(self.path) is not None:
            return
        files = {part.file.name: part.file for part in parts}.values()
        told = {
            "format": FORMAT,
            "options": self.options,
            "wide": facts.rows == tuple(part.rows for part in parts),
            "facts": asdict(facts),
            "cut": _cut(parts),
            "files": [
                {"name": file.name, "size": file.size, "changed": file.changed, "sha256": file.digest()}
                for file in files
            ],
        }
        with suppress(InputError), atomic_write(Path(self.path)) as opened:
            opened.write(json.dumps(told, ensure_ascii=False).encode())


def _cut(parts: Sequence[StoredPart]) -> list[Any]:
    return [[part.file.name, list(part.groups)] for part in parts]


def _is_same(told: dict[str, Any], file: StoredFile) -> bool:
    """By size and time; one that only its time tells apart, such as a copy, by its hash."""
    if told["size"] != file.size:
        return False
    return bool(told["changed"] == file.changed or told["sha256"] == file.digest())
