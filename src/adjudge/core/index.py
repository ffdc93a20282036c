"""Sample ids: a range where samples are only numbered, an Arrow string array otherwise; names in sentences."""

import hashlib
from collections.abc import Iterable, Sequence
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
    if isinstance(index, range):
        return pa.array(np.arange(index.start, index.stop, index.step)).cast(type_of_ids)
    return index


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


def label_text(label: float, classes: Sequence[str] | None) -> str:
    """A label as text: the name of a class, or a number with all its digits."""
    return repr(label) if classes is None else classes[int(label)]


def counted(amount: int, one: str, many: str = "") -> str:
    """A number and its noun.

    >>> counted(1, "label"), counted(1200, "label"), counted(2, "class", "classes")
    ('1 label', '1,200 labels', '2 classes')
    """
    return f"{amount:,} {one if amount == 1 else many or one + 's'}"


def all_left(left: int) -> str:
    """All samples that are left, where it may take them all.

    >>> all_left(1), all_left(1200)
    ('the one sample that is left', 'all 1,200 samples that are left')
    """
    return "the one sample that is left" if left == 1 else f"all {left:,} samples that are left"


def shortened(items: Sequence[str], most: int, separator: str = ", ") -> str:
    """The first items, and how many more there are.

    >>> shortened(["a", "b", "c"], 3), shortened(["a", "b", "c"], 2)
    ('a, b, c', 'a, b and 1 more')
    """
    shown = separator.join(items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most:,} more"


def listed(names: Sequence[str], most: int = 10, separator: str = ", ") -> str:
    """The first names in quotes, since a name may hold a comma."""
    return shortened([repr(name) for name in names], most, separator)


def named(names: Sequence[str], most: int = 3) -> str:
    """Names joined for a sentence, shortened to `most` items.

    >>> named(["a"]), named(["a", "b", "c"]), named(["a", "b", "c", "d"])
    ('a', 'a, b and c', 'a, b and 2 more')
    """
    shown = [*names] if len(names) <= most else [*names[: most - 1], f"{len(names) - most + 1:,} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
