"""The one type that all raw data becomes."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.index import Index, all_ids, repeated
from adjudge.errors import InputError
from adjudge.models.datasets.images import resized

Kind: TypeAlias = Literal["images", "arrays", "text", "table"]
Transform: TypeAlias = Callable[[Array, int], Array]  # raw rows and the position of the first, to changed rows
Load: TypeAlias = Callable[[int, int], "Array | list[Array]"]


class Batch(NamedTuple):
    """Rows of raw data, and the position of the first."""

    first: int
    values: Array


@dataclass(frozen=True, eq=False)
class Dataset:
    """Raw samples that are loaded a few at a time.

    Rows of `images` are (height, width, channels) in whole numbers from 0 to 255 with one or three channels; those of
    `arrays` have the shape and type in which they are stored; `text` is one string each; a `table` has one float
    for each of its `columns`, nan where blank. `load` may return images of different sizes as a list.

    Examples
    --------
    >>> data = Dataset("ramp", "arrays", range(5), lambda first, last: np.arange(first, last), lambda: "0")
    >>> [batch.values.tolist() for batch in data.batches(2)]
    [[0, 1], [2, 3], [4]]
    >>> doubled = data.transformed(lambda rows, first: rows * 2, "doubled")
    >>> [batch.values.tolist() for batch in doubled.batches(3)], doubled.digest == data.digest
    ([[0, 2, 4], [6, 8]], False)
    """

    name: str
    kind: Kind
    samples: Index
    load: Load  # the rows from a position up to another
    hash_content: Callable[[], str]  # called when the digest is first asked for, since large data take a while
    columns: tuple[str, ...] = ()
    transforms: tuple[tuple[str, Transform], ...] = ()
    again: Callable[[], "Dataset"] | None = None  # reads the same data on another machine, before any transform

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Workers of a cluster read files themselves; other data is sent to them."""
        return super().__reduce_ex__(protocol) if self.again is None else (_read_again, (self.again, self.transforms))

    def __post_init__(self) -> None:
        if not len(self.samples):
            raise InputError(f"{self.name} holds no samples; give data with at least one")
        if twice := repeated(self.samples):
            raise InputError(f"the sample id {twice[0]!r} occurs more than once in {self.name}; give each its own id")

    def __len__(self) -> int:
        return len(self.samples)

    def __repr__(self) -> str:
        changed = "".join(f", {name}" for name, _ in self.transforms)
        return f"Dataset({self.name}: {len(self):,} samples of {self.kind}{changed})"

    @cached_property
    def digest(self) -> str:
        """A hash of the content, the sample ids and the names of the transforms."""
        told = hashlib.sha256(f"{self.kind} {self.columns} {[name for name, _ in self.transforms]}".encode())
        told.update(self.hash_content().encode())
        _, starts, texts = all_ids(self.samples).buffers()
        told.update(starts)
        told.update(texts or b"")
        return told.hexdigest()

    def batches(self, size: int, first: int = 0, shape: tuple[int, int] | None = None) -> Iterator[Batch]:
        """The rows from `first` on, at most `size` at a time; images of different sizes are brought to `shape`."""
        for start in range(first, len(self), size):
            yield Batch(start, self.rows(start, min(start + size, len(self)), shape))

    def rows(self, first: int, last: int, shape: tuple[int, int] | None = None) -> Array:
        """The rows from one position up to another, transformed."""
        loaded = self.load(first, last)
        values = self._alike(loaded, shape) if isinstance(loaded, list) else loaded
        for name, transform in self.transforms:
            changed = transform(values, first)
            if len(changed) != len(values):
                raise InputError(f"the transform {name!r} turned {len(values)} samples into {len(changed)}")
            values = changed
        return values

    def transformed(self, transform: Transform, name: str) -> "Dataset":
        """The same samples, changed when they are loaded; the name says how, and is part of the digest."""
        return replace(self, transforms=(*self.transforms, (name, transform)))

    def _alike(self, images: Sequence[Array], shape: tuple[int, int] | None) -> Array:
        if shape is None:
            raise InputError(
                f"the images of {self.name} have different sizes, {images[0].shape[1]} x {images[0].shape[0]} for one; "
                "say the size that the model takes: size = [height, width] in its TOML file"
            )
        return np.concatenate([resized(each[np.newaxis], shape) for each in images])


def _read_again(again: Callable[[], Dataset], transforms: tuple[tuple[str, Transform], ...]) -> Dataset:
    return replace(again(), transforms=transforms)
