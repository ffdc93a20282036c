"""The labels that belong to raw data."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from adjudge.core.arrays import Array
from adjudge.core.index import ids_at, positions_of
from adjudge.datasets.columns import ids_of
from adjudge.datasets.data import Dataset
from adjudge.datasets.stored import read_idx
from adjudge.errors import InputError
from adjudge.readers.arrays import load_npy, open_archive
from adjudge.readers.distinct import as_text
from adjudge.readers.files import naming
from adjudge.readers.sources import open_source
from adjudge.readers.tables import TRUTH


def labels_of(path: Path, data: Dataset) -> Array:
    """The label of each sample of the data: by id from a table, in order from an IDX, npy or npz file."""
    with naming(path):
        if not path.is_file():
            raise InputError(f"{path} is no file; give the labels of the data, as CSV, Parquet, npy, npz or IDX")
        suffix = path.suffix.lower()
        if suffix in (".csv", ".tsv", ".parquet"):
            return _from_table(path, data)
        if suffix == ".npz":
            with open_archive(path) as archive:
                labels = archive.need("labels")
        else:
            labels = load_npy(path) if suffix == ".npy" else read_idx(path)
        if labels.shape != (len(data),):
            raise InputError(f"labels of the shape {labels.shape} do not fit {len(data):,} samples; give one for each")
        return labels


def _from_table(path: Path, data: Dataset) -> Array:
    source = open_source(path)
    name = next((each for each in TRUTH if each in source.columns), TRUTH[0])
    source.need(name)
    _, ids = ids_of(source, None)
    place = positions_of(ids, data.samples)
    if (place < 0).any():
        lacking = ids_at(data.samples, np.flatnonzero(place < 0)[:1])[0]
        raise InputError(f"sample {lacking!r} has no label in {path.name}; add it")
    found = as_text(source.column(name).combine_chunks()).take(pa.array(place))
    return np.asarray(found.to_numpy(zero_copy_only=False)).astype(str)
