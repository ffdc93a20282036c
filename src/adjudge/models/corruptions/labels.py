"""Shift in labels: other shares of the classes, and labels that changed places."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from adjudge.core.arrays import Array, IntArray
from adjudge.core.index import all_ids
from adjudge.errors import InputError
from adjudge.io.files import atomic_write
from adjudge.models.datasets import Dataset

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
    if "" in classes.astype(str):
        raise InputError("some samples have no label; label shift needs the label of every sample")
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


def write_labels(data: Dataset, labels: Array, out: Path) -> None:
    """The labels of data by its sample ids."""
    table = pa.table({"sample_id": all_ids(data.samples), "label": pa.array(labels)})
    with atomic_write(out) as file:
        arrow_csv.write_csv(table, file)
