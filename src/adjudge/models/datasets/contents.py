"""What there is to see of a sample: an image, a sound, a text, the fields of a row."""

import struct
import zlib
from dataclasses import dataclass, field
from mimetypes import guess_type
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa

from adjudge.core.arrays import Array, IntArray
from adjudge.core.index import Index, as_index, ids_at, positions_of
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.io.column_names import QUESTIONS
from adjudge.io.files import TABLE_SUFFIXES
from adjudge.io.predictions.sources import ID_NAMES, open_source
from adjudge.io.spreadsheets import as_meant
from adjudge.models.datasets.data import Dataset
from adjudge.models.datasets.reading import read_data

IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".svg")
SOUNDS = (".wav", ".mp3", ".ogg", ".oga", ".flac", ".m4a", ".opus")
TEXTS = (".txt", ".md")
FILE_NAME, METADATA = "file_name", "metadata.csv"  # as folders of Hugging Face datasets have them
MEDIA_COLUMNS = ("image", "audio", "file", "path", FILE_NAME)
TEXT = "text"
LONGEST_TEXT = 100_000  # characters of a text that are shown
MOST_NUMBERS = 200


@dataclass(frozen=True)
class Content:
    """What is shown of one sample; `media` says what kind of file `Samples.media` gives."""

    text: str | None = None
    fields: dict[str, str] = field(default_factory=dict)
    media: str | None = None  # "image", "audio" or nothing


@dataclass(frozen=True)
class Media:
    """An image or a sound: its bytes, or the file that holds them, which may be large."""

    type: str
    made: bytes = b""
    path: Path | None = None

    @property
    def content(self) -> bytes:
        return self.made if self.path is None else self.path.read_bytes()


class Data(Protocol):
    """Raw samples by position in their own index."""

    @property
    def samples(self) -> Index: ...

    def content(self, position: int) -> Content: ...

    def media(self, position: int) -> Media | None: ...


@dataclass(frozen=True, eq=False)
class Samples:
    """The samples of a pool: facts that stand beside the predictions, and raw data where there is some."""

    predictions: Predictions
    data: Data | None
    place: IntArray  # (samples,): the position in the data, -1 where it has no such sample

    @classmethod
    def of(cls, predictions: Predictions, path: Path | None) -> "Samples":
        if path is None:
            return cls(predictions, None, np.full(len(predictions.samples), -1))
        data = open_data(path)
        place = positions_of(data.samples, predictions.samples)
        if not (place >= 0).any():
            one, other = ids_at(predictions.samples, np.arange(1))[0], ids_at(data.samples, np.arange(1))[0]
            raise InputError(
                f"none of the samples is in {path.name}: the predictions have {one!r} and the like, the data "
                f"{other!r}; give the data of these samples, with the same ids"
            )
        return cls(predictions, data, place)

    def content(self, sample: int) -> Content:
        found = Content()
        if self.data is not None and self.place[sample] >= 0:
            found = self.data.content(int(self.place[sample]))
        fields = {} if self.predictions.columns is None else _row(self.predictions.columns, sample)
        asked = next((name for name in QUESTIONS if name in fields), TEXT)
        text = found.text if found.text is not None else fields.pop(asked, None)
        return Content(text, found.fields | fields, found.media)

    def media(self, sample: int) -> Media | None:
        if self.data is None or self.place[sample] < 0:
            return None
        return self.data.media(int(self.place[sample]))


def open_data(path: Path) -> Data:
    """A folder of files, a table, or arrays."""
    if path.is_dir():
        listed = path / METADATA
        return TableRows.of(listed) if listed.is_file() else Files.of(path)
    if path.suffix.lower() in TABLE_SUFFIXES:
        return TableRows.of(path)
    return Arrays(read_data(path))


@dataclass(frozen=True, eq=False)
class Files:
    """A folder whose files are the samples; their ids are their names, with or without suffix."""

    folder: Path
    paths: tuple[Path, ...]
    samples: Index

    @classmethod
    def of(cls, folder: Path) -> "Files":
        known = (*IMAGES, *SOUNDS, *TEXTS)
        paths = tuple(
            sorted(each for each in folder.rglob("*") if each.suffix.lower() in known and _inside(folder, each))
        )
        if not paths:
            raise InputError(f"the folder {folder.name} holds no image, sound or text; give one that does")
        by_name = {each.relative_to(folder).as_posix(): each for each in paths}
        bare = {name.rpartition(".")[0]: each for name, each in by_name.items()}
        if len(bare) == len(by_name):  # else a name without suffix would not say which file
            by_name = bare | by_name
        return cls(folder, tuple(by_name.values()), as_index(by_name))

    def content(self, position: int) -> Content:
        path = self.paths[position]
        if path.suffix.lower() in TEXTS:
            return Content(text=path.read_text(encoding="utf-8", errors="replace")[:LONGEST_TEXT])
        return Content(media=_media_kind(path))

    def media(self, position: int) -> Media | None:
        return _file(self.folder, self.paths[position])


@dataclass(frozen=True, eq=False)
class TableRows:
    """A table with a row for each sample; a column may name the files of images or sounds beside it."""

    folder: Path
    samples: Index
    table: pa.Table

    @classmethod
    def of(cls, path: Path) -> "TableRows":
        source = open_source(path)
        named = next((name for name in (*ID_NAMES, FILE_NAME) if name in source.columns), None)
        columns = {name: source.column(name) for name in source.columns if name not in ID_NAMES}
        ids = source.ids(named)
        if path.name == METADATA and ID_NAMES[0] in source.columns:  # written by `export folder`
            ids, columns = as_meant(ids), {name: as_meant(cells) for name, cells in columns.items()}
        return cls(path.parent, ids, pa.table(columns))

    def content(self, position: int) -> Content:
        fields = _row(self.table, position)
        path = self._path(fields)
        shown = {name: value for name, value in fields.items() if path is None or name not in MEDIA_COLUMNS}
        text = shown.pop(TEXT, None)
        return Content(text, shown, None if path is None else _media_kind(path))

    def media(self, position: int) -> Media | None:
        path = self._path(_row(self.table, position))
        return None if path is None else _file(self.folder, path)

    def _path(self, fields: dict[str, str]) -> Path | None:
        told = next((fields[name] for name in MEDIA_COLUMNS if fields.get(name)), None)
        path = None if told is None else self.folder / told
        return path if path is not None and _media_kind(path) and _inside(self.folder, path) else None


@dataclass(frozen=True, eq=False)
class Arrays:
    """Arrays of images, texts or numbers."""

    data: Dataset

    @property
    def samples(self) -> Index:
        return self.data.samples

    def content(self, position: int) -> Content:
        value = self._value(position)
        if isinstance(value, str):
            return Content(text=value[:LONGEST_TEXT])
        if _as_image(value) is not None:
            return Content(media="image")
        names = self.data.columns or tuple(map(str, range(value.size)))
        numbers = (f"{number:g}" for number in value.reshape(-1)[:MOST_NUMBERS].tolist())
        return Content(fields=dict(zip(names, numbers, strict=False)))

    def media(self, position: int) -> Media | None:
        value = self._value(position)
        image = None if isinstance(value, str) else _as_image(value)
        return None if image is None else Media("image/png", png(image))

    def _value(self, position: int) -> Array | str:
        value = self.data.load(position, position + 1)[0]
        return value if isinstance(value, str) else np.asarray(value)


def png(image: Array) -> bytes:
    """Bytes of (height, width, 1 or 3) as a PNG file.

    >>> png(np.zeros((2, 3, 1), np.uint8))[1:4]
    b'PNG'
    """
    height, width, channels = image.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), image.reshape(height, -1)], axis=1)  # 0: no filter

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 0 if channels == 1 else 2, 0, 0, 0)
    parts = chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _as_image(value: Array) -> Array | None:
    """Bytes of an image from an array that has the shape of one; its numbers are spread from black to white."""
    if value.ndim == 2 and min(value.shape) > 1:
        value = value[..., np.newaxis]
    if value.ndim != 3 or value.shape[2] not in (1, 3):
        return None
    if value.dtype == np.uint8:
        return value
    low, high = np.nanmin(value), np.nanmax(value)
    return np.asarray((np.nan_to_num(value) - low) * (255 / max(high - low, 1e-12))).astype(np.uint8)


def _row(table: pa.Table, position: int) -> dict[str, str]:
    row = table.slice(position, 1).to_pylist()[0]
    return {name: str(value)[:LONGEST_TEXT] for name, value in row.items() if value is not None}


def _media_kind(path: Path) -> str | None:
    suffix = path.suffix.lower()
    return "image" if suffix in IMAGES else "audio" if suffix in SOUNDS else None


def _inside(folder: Path, path: Path) -> bool:
    """Whether a path, with all links followed, is a file in the folder."""
    try:
        return path.resolve().is_relative_to(folder.resolve()) and path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _file(folder: Path, path: Path) -> Media | None:
    if _media_kind(path) is None or not _inside(folder, path):
        return None
    return Media(guess_type(path.name)[0] or "application/octet-stream", path=path)
