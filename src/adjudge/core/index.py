"""Sample ids: a range where samples are only numbered, an Arrow string array otherwise."""

import hashlib
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.arrays import Array, IntArray

type_of_ids = pa.large_string()
Index: TypeAlias = "range | pa.LargeStringArray"


def as_index(ids: Iterable[object]) -> Index:
    """Ids as text, so that 7 in one file and "7" in another are the same sample."""
    if isinstance(ids, range):
        return ids
    if isinstance(ids, pa.ChunkedArray):
        ids = ids.combine_chunks()
    if isinstance(ids, pa.Array):
        return ids.cast(type_of_ids)
    return pa.array([str(each) for each in ids], type_of_ids)


def ids_at(index: Index, positions: Array) -> list[str]:
    if isinstance(index, range):
        return [str(index[int(position)]) for position in positions]
    ids: list[str] = index.take(pa.array(positions)).to_pylist()
    return ids


def all_ids(index: Index) -> pa.LargeStringArray:
    return pa.array(index).cast(type_of_ids) if isinstance(index, range) else index


def positions_of(index: Index, wanted: Index) -> IntArray:
    """Where each wanted id stands in the index; -1 for an id that is not there."""
    found = pc.index_in(all_ids(wanted), value_set=all_ids(index))
    return np.asarray(pc.fill_null(found, -1), dtype=np.int64)


def repeated(index: Index) -> list[str]:
    """The ids that occur more than once."""
    if isinstance(index, range):
        return []
    counts = index.value_counts()
    twice: list[str] = counts.field("values").filter(pc.greater(counts.field("counts"), 1)).to_pylist()
    return twice


def fingerprint(index: Index) -> str:
    """A hash of the ids that does not depend on their order: two pools of the same samples share it."""
    ids = all_ids(index)
    ordered = ids.take(pc.array_sort_indices(ids))
    _, starts, texts = ordered.buffers()  # where each id starts, and all of them in one row
    digest = hashlib.sha256(starts)
    digest.update(texts or b"")
    return digest.hexdigest()[:16]
