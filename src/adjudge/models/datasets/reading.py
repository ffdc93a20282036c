"""Raw data from any file, folder or array."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from adjudge.core.arrays import Array, locked
from adjudge.core.index import as_index
from adjudge.errors import InputError
from adjudge.io.files import PathLike, naming
from adjudge.io.idx import IDX_NAME, read_idx
from adjudge.io.predictions.arrays import load_npy
from adjudge.io.predictions.sources import open_source
from adjudge.models.datasets.columns import ids_of, inputs_of
from adjudge.models.datasets.data import Dataset, Kind
from adjudge.models.datasets.hashing import hash_array, hash_files, hash_texts
from adjudge.models.datasets.images import SUFFIXES, ImageFiles, find_images
from adjudge.models.datasets.stored import as_images, read_archive


def read_data(path: PathLike, *, id: str | None = None, columns: Sequence[str] = ()) -> Dataset:  # noqa: A002
    """Raw samples from a folder of PNG or JPEG images, an npy, npz or IDX file, or a CSV or Parquet table.

    Sample ids are file names (with their folders, where there are some inside), the array `sample_ids` of an npz file,
    or a column of a table; else numbers from 0 in the order of the file. A folder and an npy file stay on disk; other
    files are held in memory.

    Parameters
    ----------
    id
        The column of sample ids of a table, if it is neither `sample_id` nor `id`.
    columns
        The columns of a table that models are run on: one of text, or several of numbers.
    """
    file = Path(path)
    again = partial(read_data, file.absolute(), id=id, columns=tuple(columns))
    return replace(_read(file, id, columns), again=again)


def _read(file: Path, id: str | None, columns: Sequence[str]) -> Dataset:  # noqa: A002
    if not file.exists():
        raise InputError(f"{file} does not exist; check the path of the data")
    with naming(file):
        if file.is_dir():
            return _folder(file)
        if IDX_NAME.search(file.name):
            return _of(file.name, read_idx(file), None, lambda: hash_files([file]))
        suffix = file.suffix.lower()
        if suffix == ".npz":
            inputs, samples = read_archive(file)
            return _of(file.name, inputs, samples, lambda: hash_files([file]))
        if suffix == ".npy":
            return _of(file.name, load_npy(file), None, lambda: hash_files([file]))
        if suffix in SUFFIXES:
            raise InputError(f"{file.name} is one image; give the folder that it is in")
        return _table(file, id, columns)


def from_array(array: Array, samples: Iterable[object] | None = None, name: str = "the array") -> Dataset:
    """Data from an array whose first axis is the samples; bytes in the shape of images are images.

    >>> from_array(np.zeros((6, 28, 28), np.uint8))
    Dataset(the array: 6 samples of images)
    """
    values = np.asanyarray(array)
    return _of(name, values, samples, lambda: hash_array(values))


def from_texts(texts: Sequence[str], samples: Iterable[object] | None = None, name: str = "the texts") -> Dataset:
    """Data from plain strings.

    >>> from_texts(["good", "bad"])
    Dataset(the texts: 2 samples of text)
    """
    return _held(name, "text", np.array(texts, dtype=object), samples, lambda: hash_texts(texts))


def _folder(folder: Path) -> Dataset:
    files = find_images(folder)
    if not files:
        raise InputError(f"the folder {folder.name} holds no file that ends in {', '.join(SUFFIXES)}; give images")
    names = [file.relative_to(folder).as_posix() for file in files]
    images = ImageFiles(files)
    return Dataset(folder.name, "images", as_index(names), images.load, lambda: hash_files(files, names))


def _table(file: Path, id_column: str | None, columns: Sequence[str]) -> Dataset:
    source = open_source(file)
    named, samples = ids_of(source, id_column)
    names, values = inputs_of(source, named, columns)
    kind: Kind = "text" if values.ndim == 1 else "table"
    return _held(file.name, kind, values, samples, lambda: hash_files([file]), names)


def _of(name: str, array: Array, samples: Iterable[object] | None, digest: Callable[[], str]) -> Dataset:
    """An array as data, after a look at what it holds."""
    if array.dtype.kind in "US" and array.ndim == 1:
        return _held(name, "text", array.astype(str).astype(object), samples, digest)
    if array.dtype.kind not in "biuf" or not array.ndim:
        raise InputError(f"{name} holds values of type {array.dtype} in the shape {array.shape}; store rows of numbers")
    kind, rows = as_images(array)
    return _held(name, kind, rows, samples, digest)


def _held(
    name: str,
    kind: Kind,
    values: Array,
    samples: Iterable[object] | None,
    digest: Callable[[], str],
    columns: tuple[str, ...] = (),
) -> Dataset:
    fixed = locked(values)
    ids = range(len(fixed)) if samples is None else as_index(samples)
    if len(ids) != len(fixed):
        raise InputError(f"{len(fixed):,} samples are in {name} but {len(ids):,} sample ids; give one id to each")
    return Dataset(name, kind, ids, lambda first, last: fixed[first:last], digest, columns)
