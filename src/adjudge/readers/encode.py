"""What models said, as codes of classes or as numbers."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.arrays import Array, FloatArray, smallest_code_type
from adjudge.core.index import Index
from adjudge.core.predictions import MISSING
from adjudge.errors import PredictionsError
from adjudge.readers.distinct import (
    Distinct,
    Numbers,
    Place,
    as_numbers,
    canonical,
    check_finite,
    distinct,
    in_order,
    numbers_of,
)

Encoded = tuple[Array, tuple[str, ...] | None]


def encode(
    columns: Iterable[pa.ChunkedArray | pa.Array | Array],
    models: Sequence[str],
    samples: Index,
    *,
    classes: Sequence[str] | None = None,
    regression: bool | None = None,
) -> Encoded:
    """One column a model as a (models, samples) array, and its classes; None for a regression.

    >>> values, classes = encode([["cat", " dog "], ["dog", None]], ("a", "b"), range(2))
    >>> values.tolist(), classes
    ([[0, 1], [1, -1]], ('cat', 'dog'))
    """
    if regression and classes is not None:
        raise PredictionsError("classes are declared for a regression; leave out one of the two")
    places = [Place(model, samples) for model in models]
    placed = zip(map(_chunked, columns), places, strict=True)
    if regression:
        return _stacked((numbers_of(column, place) for column, place in placed), len(models), len(samples)), None
    if classes is not None or regression is False:
        return _as_classes([distinct(column, place) for column, place in placed], places, classes)
    parts = [as_numbers(distinct(column, place)) for column, place in placed]
    fractional = any(isinstance(part, Numbers) for part in parts)
    if fractional and all(isinstance(part, Numbers) or part.numeric for part in parts):
        return _as_regression(parts, places), None
    return _as_classes(parts, places, None)


def class_table(classes: Sequence[str]) -> pa.LargeStringArray:
    """Class names as they are compared; refuses names that files cannot tell apart."""
    names = [str(name) for name in classes]
    compared = canonical(pa.array(names, pa.large_string()))
    if compared.null_count:
        blank = names[compared.is_null().to_pylist().index(True)]
        raise PredictionsError(
            f"a class is named {blank!r}, which in a file means that nothing was said; rename it"
        )
    text, times = Counter(compared.to_pylist()).most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise PredictionsError(f"the class {text!r} is named more than once; name each class once")
    return compared


def _chunked(column: pa.ChunkedArray | pa.Array | Array) -> pa.ChunkedArray:
    if isinstance(column, pa.ChunkedArray):
        return column
    array = column if isinstance(column, pa.Array) else pa.array(column)
    if pa.types.is_binary(array.type):
        array = array.cast(pa.string())
    return pa.chunked_array([array])


def _stacked(rows: Iterable[Array], models: int, samples: int) -> FloatArray:
    values = np.empty((models, samples))
    for model, row in enumerate(rows):
        values[model] = row
    return values


def _as_regression(parts: list[Distinct | Numbers], places: list[Place]) -> FloatArray:
    samples = len(places[0].samples)
    values = np.empty((len(parts), samples))
    parts.reverse()
    for model, place in enumerate(places):
        part = parts.pop()  # given back at once, so that the pool never stands in memory twice
        values[model] = part.values if isinstance(part, Numbers) else part.numbers()
        check_finite(values[model], place)
    return values


def _as_classes(
    parts: list[Distinct | Numbers], places: list[Place], declared: Sequence[str] | None
) -> Encoded:
    whole = [part.distinct() if isinstance(part, Numbers) else part for part in parts]
    if declared is None:
        texts = pa.chunked_array([part.texts for part in whole], pa.large_string()).unique().to_pylist()
        classes = in_order(texts)
        table = pa.array(classes, pa.large_string())
    else:
        classes, table = tuple(map(str, declared)), class_table(declared)
    if not classes:
        raise PredictionsError("no model predicts anything; every value is blank")
    values = np.empty((len(whole), len(places[0].samples)), dtype=smallest_code_type(len(classes)))
    for row, part, place in zip(values, whole, places, strict=True):
        codes = np.asarray(pc.fill_null(pc.index_in(part.texts, value_set=table), MISSING))
        if (codes == MISSING).any():
            outside = int(np.argmax(codes == MISSING))
            raise PredictionsError(
                f"{place.first(part.codes == outside)} predicts {part.texts[outside].as_py()!r}, which is "
                "none of the declared classes; declare it, or correct the prediction"
            )
        row[:] = np.append(codes.astype(values.dtype), values.dtype.type(MISSING))[part.codes]
    return values, classes
