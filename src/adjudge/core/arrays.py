"""Arrays and frames: names for their types, the lock of shared arrays, ranks of values, and numbers about samples."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, PredictionsError

Array = NDArray[Any]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
LIBRARIES = ("pandas", "polars")  # of frames
TIE_DIGITS = 12  # values that agree to this many decimals are tied: sums of floats differ in the last bits


class ArrowFrame(Protocol):
    """A frame of pandas or polars, or an Arrow table: what Arrow can read."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Frame: TypeAlias = Mapping[str, Any] | ArrowFrame  # a mapping holds one list for each column


def locked(array: Array) -> Array:
    """A read-only view: no copy, so that memory maps stay on disk."""
    view = array.view()
    view.flags.writeable = False
    return view


def frame_of(columns: Mapping[str, Sequence[object]]) -> Any:
    """A frame of the library that is imported already, or else of the one that is installed; pandas comes first.

    >>> frame_of({"model": ["net"], "rank": [1]}).shape
    (1, 2)
    """
    for library in (*(name for name in LIBRARIES if name in sys.modules), *LIBRARIES):
        if find_spec(library) is not None:
            return import_module(library).DataFrame(dict(columns))
    raise InputError("a frame needs pandas or polars, and neither is installed; get one: pip install pandas")


def competition_rank(value: FloatArray) -> IntArray:
    """1 for the best; ties share the better rank; an unknown value (nan) comes last.

    >>> competition_rank(np.array([0.5, 0.9, 0.5, np.nan]))
    array([2, 1, 2, 4])
    """
    rounded = np.where(np.isnan(value), -np.inf, np.round(value, TIE_DIGITS))
    ascending = np.sort(rounded)
    return len(value) - np.searchsorted(ascending, rounded, side="right") + 1


def ranks_by_value(values: FloatArray) -> FloatArray:
    """(..., models): `competition_rank` along the last axis; nan where no model has a value.

    >>> ranks_by_value(np.array([[0.5, 0.9], [np.nan, np.nan]]))
    array([[ 2.,  1.],
           [nan, nan]])
    """
    ranks = np.apply_along_axis(competition_rank, -1, values).astype(np.float64)
    ranks[np.isnan(values).all(axis=-1)] = np.nan
    return ranks


def running_sums(rows: Array) -> Array:
    """(rows, columns + 1): sums over the first so many columns.

    >>> running_sums(np.array([[1.0, 2.0]]))
    array([[0., 1., 3.]])
    """
    sums = np.cumsum(rows, axis=1)
    found = np.zeros_like(sums, shape=(len(rows), rows.shape[1] + 1))
    found[:, 1:] = sums
    return found


def stating(probabilities: Array | None) -> int:
    """How many models state probabilities; of a pool in parts, which are not looked at, all if any.

    >>> stating(np.array([[[0.5, 0.5]], [[np.nan, np.nan]]]))
    1
    """
    if not isinstance(probabilities, np.ndarray):
        return 0 if probabilities is None else probabilities.shape[0]
    return sum(not np.isnan(rows).all() for rows in probabilities)


def smallest_code_type(classes: int, lowest: int = -1) -> np.dtype[Any]:
    """The smallest signed integer type that holds the codes `lowest` .. classes - 1."""
    most = max(classes, -lowest)
    return np.dtype(np.int8 if most <= 2**7 else np.int16 if most <= 2**15 else np.int32)


def one_code_a_row(values: Array, first: int, classes: int) -> Array:
    """The same codes, but those from `first` down are `first` less the place of their row.

    >>> one_code_a_row(np.array([[0, -2], [-2, 1]]), -2, classes=2).tolist()
    [[0, -2], [-3, 1]]
    """
    own = first - np.arange(len(values))[:, None]
    lower = values <= first
    if not (lower & (values != own)).any():
        return values
    return np.where(lower, own, values).astype(smallest_code_type(classes, int(own[-1, 0])))


def native(values: Array, *, classes: bool) -> Array:
    """Codes as integers and numbers as floats, in native byte order, which the kernels need."""
    if classes and values.dtype.kind not in "iub":
        raise PredictionsError(f"class codes are whole numbers, not {values.dtype}; read names with `from_frame`")
    if not classes and values.dtype.kind not in "iuf":
        raise PredictionsError(f"predictions of a regression are numbers, not {values.dtype}")
    kind = np.dtype(np.int8) if values.dtype.kind == "b" else values.dtype.newbyteorder("=")
    if not classes and kind.kind != "f":
        kind = np.dtype(np.float64)
    return values.astype(kind, copy=False)


def check_names(kind: str, names: tuple[str, ...], expected: int) -> None:
    """Refuse names that are missing, too many, or not different."""
    if not names:
        raise PredictionsError(f"no {kind} is named; give at least one")
    if len(names) != expected:
        raise PredictionsError(f"{expected} {kind} rows are given but {len(names)} {kind} names")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise PredictionsError(f"the {kind} name {twice!r} occurs more than once; give each its own")


@dataclass(frozen=True, eq=False)
class Auxiliary:
    """One number for each sample, or one for each model and sample; missing ones are nan.

    The columns of a pool are for people: shown, sliced by and written to tables. These numbers are for methods that ask
    for them by name. Rows are found by the names of models, so that they stay valid in a pool of fewer models.
    """

    values: Array  # (samples,), or (models, samples)
    models: tuple[str, ...] = ()  # whose rows they are; none: the same numbers for all models

    def of(self, model: str) -> Array | None:
        """(samples,): the numbers of one model, if there are any."""
        if not self.models:
            return self.values
        return self.values[self.models.index(model)] if model in self.models else None

    def at(self, samples: Array) -> "Auxiliary":
        """The numbers of some samples, by their positions."""
        return Auxiliary(self.values[..., samples], self.models)

    def among(self, models: tuple[str, ...]) -> Array:
        """(samples,), or (models, samples) for these models, nan for those without a row."""
        if not self.models or models == self.models:
            return self.values
        unknown = np.full(self.values.shape[-1], np.nan)
        rows = [self.of(name) for name in models]
        return np.stack([unknown if row is None else row for row in rows])


@dataclass(frozen=True, eq=False)
class Grades:
    """The grade of each distinct answer to each sample; higher is better.

    The values of a pool with grades are the numbers of these answers: two models that gave the same answer to a sample
    have the same number there, and so the same grade. Scores are grades of answers that nobody knows: each model has an
    answer of its own.
    """

    given: FloatArray  # (answers,): nan where nobody gave one yet
    span: tuple[float, float] | None = None  # the lowest and highest possible grade, if that was stated
    texts: Any = None  # (answers,): Arrow text; None: answers are not known, and stand under the names of models
    quantity: str = "mean grade"
