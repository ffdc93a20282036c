"""Shift in labels: other shares of the classes, and labels that changed places."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from adjudge.core.arrays import Array, IntArray
from adjudge.core.index import all_ids, ids_at, positions_of
from adjudge.datasets import Dataset, read_data, read_idx
from adjudge.datasets.columns import ids_of
from adjudge.errors import InputError
from adjudge.readers.arrays import load_npy, open_archive
from adjudge.readers.distinct import as_text
from adjudge.readers.files import atomic_write, naming
from adjudge.readers.sources import open_source
from adjudge.readers.tables import TRUTH

RATIO = (2.0, 4.0, 8.0, 16.0, 32.0)  # of the most frequent class to the rarest
SWAPS = ((8, 0), (7, 1), (9, 3))  # the three mutants of Li et al. 2019 (CES), Table 1


def label_shift(labels: Array, severity: int, seed: int = 0) -> IntArray:
    """The samples of a smaller pool whose classes have other shares: as many as there can be, none twice.

    Shares fall evenly from the first class to the last, in an order that the seed decides.

    >>> kept = label_shift(np.repeat([0, 1], 300), severity=2)
    >>> np.bincount(np.repeat([0, 1], 300)[kept]).tolist()
    [300, 75]
    """
    classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if len(classes) < 2:
        raise InputError("label shift needs labels of two classes or more; these have only one")
    chance = np.random.default_rng([seed, severity])
    shares = np.geomspace(1, 1 / RATIO[severity - 1], len(classes))[chance.permutation(len(classes))]
    wanted = np.maximum(1, np.floor(shares * (counts / shares).min() + 1e-9)).astype(np.int64)
    kept = [chance.permutation(np.flatnonzero(codes == code))[:count] for code, count in enumerate(wanted)]
    return np.sort(np.concatenate(kept))


def swapped(labels: Array, one: int, other: int) -> Array:
    """Labels of two classes exchanged: a model trained on them is a mutant that mistakes one for the other.

    >>> swapped(np.array([0, 8, 3]), 8, 0).tolist()
    [8, 0, 3]
    """
    return np.where(labels == one, other, np.where(labels == other, one, labels)).astype(labels.dtype)


def write_labels(path: Path, labels: Array, out: Path) -> None:
    """The labels of data that was just written, by the ids that it has when it is read again."""
    table = pa.table({"sample_id": all_ids(read_data(path).samples), "label": pa.array(labels)})
    with atomic_write(out) as file:
        arrow_csv.write_csv(table, file)


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
