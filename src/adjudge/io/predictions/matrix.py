"""A (models, samples) array of any type as codes of classes or as numbers, without needless copies."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.arrays import Array, IntArray, smallest_code_type
from adjudge.core.index import Index
from adjudge.core.predictions import MISSING
from adjudge.errors import PredictionsError
from adjudge.io.predictions.distinct import Place, canonical, check_finite
from adjudge.io.predictions.encode import Encoded, class_table, encode

SPAN = 1 << 16  # integers within such a range are counted, wider ones sorted
BLOCK = 1 << 20  # samples of a model looked at together
LARGEST = 1 << 62  # far above any code; keeps differences within 64 bits


def encode_array(
    values: Array,
    class_names: Sequence[str] | None = None,
    *,
    models: Sequence[str] | None = None,
    samples: "Index | None" = None,
    regression: bool | None = None,
) -> Encoded:
    """A (models, samples) array as codes and classes, or as numbers and None for a regression.

    Integers are positions in `class_names`, or without it the classes themselves; -1 is a missing
    prediction, unless the values are exactly -1 and 1. Numbers that are not whole are a regression.

    >>> values, classes = encode_array(np.array([[1, 5, -1], [5, 5, 1]]))
    >>> values.tolist(), classes
    ([[0, 1, -1], [1, 1, 0]], ('1', '5'))
    """
    if values.ndim != 2 or not values.size:
        raise PredictionsError(
            f"predictions have the shape {values.shape}; at least one model and one sample are needed, as "
            "(models, samples)"
        )
    names = tuple(models) if models is not None else numbered(len(values))
    places = [Place(name, samples if samples is not None else range(values.shape[1])) for name in names]
    if values.dtype.kind in "US":
        return encode(values, names, places[0].samples, classes=class_names, regression=regression)
    numbers = checked_numbers(values)
    if regression:
        return _as_regression(numbers, places), None
    if class_names is not None or values.dtype.kind == "b":
        named = ("False", "True") if class_names is None else tuple(map(str, class_names))
        return _positions(numbers, len(named), places), named
    if values.dtype.kind == "f" and not all(is_whole(row, place) for row, place in zip(numbers, places, strict=True)):
        if regression is False:
            return encode(numbers, names, places[0].samples, regression=False)
        return _as_regression(numbers, places), None
    return _own_names(numbers)


def numbered(models: int) -> tuple[str, ...]:
    """Names for models that have none."""
    return tuple(f"model_{each}" for each in range(models))


def redeclare(encoded: Encoded, classes: Sequence[str], places: Sequence[Place]) -> tuple[Array, IntArray]:
    """Codes in the order of another list of classes, and for each old class its place in that list."""
    values, found = encoded
    if found is None:
        raise PredictionsError("classes are declared for a regression; leave them out")
    names = canonical(pa.array(found, pa.large_string()))
    table = np.asarray(pc.fill_null(pc.index_in(names, value_set=class_table(classes)), MISSING))
    moved = np.empty(values.shape, dtype=smallest_code_type(len(classes)))
    for row, old, place in zip(moved, values, places, strict=True):
        row[:] = np.append(table, MISSING)[old]
        if ((row == MISSING) & (old != MISSING)).any():
            outside = (row == MISSING) & (old != MISSING)
            raise PredictionsError(
                f"{place.first(outside)} predicts {found[old[np.argmax(outside)]]!r}, which is none of the "
                "declared classes; declare it, or correct the prediction"
            )
    return moved, table.astype(np.int64)


def checked_numbers(values: Array) -> Array:
    """An array of booleans or numbers as numbers."""
    kind = values.dtype.kind
    if kind == "b":
        return values.view(np.uint8)
    if kind not in "iuf":
        raise PredictionsError(f"predictions are stored as {values.dtype}; give class codes, numbers or text")
    if kind == "u" and values.dtype.itemsize == 8 and values.max() > LARGEST:
        raise PredictionsError(f"predictions run up to {values.max()}; give class codes that count from 0")
    return values


def _as_regression(values: Array, places: Sequence[Place]) -> Array:
    numbers = values.astype(np.float64, copy=False)
    for row, place in zip(numbers, places, strict=True):
        check_finite(row, place)
    return numbers


def is_whole(row: Array, place: Place) -> bool:
    """Whether all numbers are whole or missing."""
    check_finite(row, place)
    return all(bool((np.isnan(block) | (block == np.trunc(block))).all()) for block in _blocks(row))


def _positions(values: Array, classes: int, places: Sequence[Place]) -> Array:
    for row, place in zip(values, places, strict=True):
        outside = (row < MISSING) | (row >= classes)
        if values.dtype.kind == "f":
            outside |= np.abs(row - np.trunc(row)) > 0  # false for nan, which is a missing prediction
        if outside.any():
            raise PredictionsError(
                f"{place.first(outside)} predicts the code {row[np.argmax(outside)]} but {classes} classes "
                "are named; codes count from 0, and -1 is a missing prediction"
            )
    return _narrowed(values, classes)


def _own_names(values: Array) -> Encoded:
    """Integers, or whole floats, that are the names of their classes."""
    known = named_by(present_in(values))
    return coded(values, known), tuple(map(str, known.tolist()))


def named_by(present: IntArray) -> IntArray:
    """Of the integers that occur, in order, those that are classes."""
    signs = present.tolist() == [-1, 1]
    if not signs and MISSING in present and present[0] < MISSING:
        raise PredictionsError(
            f"the predictions hold {present[0]} and -1, which may be a class or a missing prediction; "
            "store codes that count from 0, with class_names"
        )
    known = present if signs else present[present != MISSING]
    if not known.size:
        raise PredictionsError("no model predicts anything; every value is missing")
    return known


def coded(values: Array, known: IntArray) -> Array:
    """Each value as its place among the classes."""
    in_place = known[0] == 0 and known[-1] == len(known) - 1
    return _narrowed(values, len(known)) if in_place else _recoded(values, known)


def _blocks(row: Array) -> Iterator[Array]:
    return (row[start : start + BLOCK] for start in range(0, len(row), BLOCK))


def present_in(rows: Iterable[Array]) -> IntArray:
    """The integers that occur, in order."""
    found: set[int] = set()
    for row in rows:
        for block in _blocks(row):
            whole = block[~np.isnan(block)].astype(np.int64) if row.dtype.kind == "f" else block
            if not whole.size:
                continue
            low, high = int(whole.min()), int(whole.max())
            if high - low < SPAN and found.issuperset(range(low, high + 1)):
                continue  # as in nearly all blocks
            if high - low < SPAN:
                counts = np.bincount(np.subtract(whole, low, dtype=np.int64, casting="unsafe"))
                found.update((np.flatnonzero(counts) + low).tolist())
            else:
                found.update(np.unique(whole).tolist())
    return np.array(sorted(found), dtype=np.int64)


def _recoded(values: Array, known: IntArray) -> Array:
    """Each value as its place among the known ones; what is not among them is missing."""
    codes = np.empty(values.shape, dtype=smallest_code_type(len(known)))
    for row, target in zip(values, codes, strict=True):
        for block, part in zip(_blocks(row), _blocks(target), strict=True):
            place = np.searchsorted(known, block)
            hit = known[np.minimum(place, len(known) - 1)] == block  # nan equals nothing
            part[:] = np.where(hit, place, MISSING)
    return codes


def _narrowed(values: Array, classes: int) -> Array:
    """Codes in the smallest type; a view where the bytes are the same."""
    target = smallest_code_type(classes)
    if values.dtype == target:
        return values
    if values.dtype.kind == "u" and values.dtype.itemsize == target.itemsize and values.dtype.isnative:
        return values.view(target)
    if values.dtype.kind == "f":
        return np.where(np.isnan(values), MISSING, values).astype(target)
    return values.astype(target)
