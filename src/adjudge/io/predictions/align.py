"""Predictions from rows in any order: which row of a table says what a model said about a sample."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypedDict

import numpy as np
import pyarrow as pa

from adjudge.core.arrays import Array, IntArray
from adjudge.core.index import Index
from adjudge.core.normalization import Normalization
from adjudge.core.predictions import Predictions
from adjudge.errors import PredictionsError
from adjudge.io.predictions.distinct import Place, in_order, numbers_of
from adjudge.io.predictions.encode import class_table, encode

JOINS = (None, "inner", "outer")
JOIN_ADVICE = (
    "pass the same samples to every model, or keep the common ones (--join inner) or all of them (--join outer); "
    "that is join= in Python"
)
PROBABILITY = "p_"
Normalize: TypeAlias = str | Callable[[str], str] | Normalization | None  # as told, or as a file remembers it


class ReadOptions(TypedDict, total=False):
    """What the caller of `read` or `from_frame` may say about predictions."""

    id: str | None
    join: str | None
    columns: Sequence[str]
    classes: Sequence[str] | None
    regression: bool | None
    normalize: Normalize
    scores: bool | None
    abstain: Sequence[str]


@dataclass(frozen=True)
class Options:
    """What is known about predictions before they are read: what the caller said, and notes in the file."""

    id: str | None = None
    join: str | None = None
    columns: Sequence[str] = ()
    classes: Sequence[str] | None = None
    regression: bool | None = None
    normalize: Normalize = None
    scores: bool | None = None
    abstain: Sequence[str] = ()
    declared: bool = True  # whether `classes` are all there can be

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "abstain", (self.abstain,) if isinstance(self.abstain, str) else tuple(self.abstain))
        object.__setattr__(self, "classes", None if self.classes is None else tuple(map(str, self.classes)))
        if self.join not in JOINS:
            raise PredictionsError(f"join={self.join!r} is not known; use 'inner', 'outer' or None")


Column = Callable[[str], Iterator[pa.ChunkedArray]]  # a column's name to its values, one array a model


def assembled(
    column: Column, names: Sequence[str], models: Sequence[str], samples: Index, options: Options
) -> Predictions:
    """Predictions, with probabilities where `names` has columns of them."""
    stated = [name for name in names if name.startswith(PROBABILITY) and name != PROBABILITY]
    classes = options.classes
    if stated and classes is None:
        classes = in_order([name.removeprefix(PROBABILITY) for name in stated])
    values, found = encode(column("prediction"), models, samples, classes=classes, regression=options.regression)
    probabilities = None
    if stated and found is not None:
        probabilities = _probabilities(column, stated, found, models, samples)
    declared = options.declared and found is not None and classes is not None
    return Predictions(values, tuple(models), samples, found, probabilities, declared=declared)


def taken(column: pa.ChunkedArray, rows: IntArray) -> pa.ChunkedArray:
    """The column at these rows; null where the row is -1."""
    return column.take(pa.array(rows, mask=rows < 0))


def _probabilities(
    column: Column, stated: Sequence[str], classes: Sequence[str], models: Sequence[str], samples: Index
) -> Array:
    wanted = class_table(classes).to_pylist()
    given = class_table([name.removeprefix(PROBABILITY) for name in stated]).to_pylist()
    if set(wanted) != set(given):
        other = sorted(set(wanted) ^ set(given))[0]
        raise PredictionsError(
            f"the columns of probabilities do not fit the classes: {other!r} is on one side only; "
            f"give one column {PROBABILITY}<class> for each class"
        )
    probabilities = np.empty((len(models), len(samples), len(wanted)), dtype=np.float32)
    for name, text in zip(stated, given, strict=True):
        for model, values in enumerate(column(name)):
            probabilities[model, :, wanted.index(text)] = numbers_of(values, Place(models[model], samples))
    return probabilities
