"""What models said, as codes of classes or as numbers."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.arrays import Array, smallest_code_type
from adjudge.core.index import Index
from adjudge.core.predictions import MISSING
from adjudge.errors import PredictionsError
from adjudge.io.predictions.distinct import (
    NUMBER,
    Distinct,
    Numbers,
    Place,
    as_numbers,
    canonical,
    check_finite,
    distinct,
    in_order,
    looked_up,
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
    numbers = np.empty((len(models), len(samples)))  # takes up memory only where it is filled
    if regression:
        for row, (column, place) in zip(numbers, placed, strict=True):
            row[:] = numbers_of(column, place)
        return numbers, None
    if classes is not None or regression is False:
        return _as_classes([distinct(column, place) for column, place in placed], places, classes)
    parts = [as_numbers(distinct(*each), row) for row, each in zip(numbers, placed, strict=True)]
    fractional = any(isinstance(part, Numbers) for part in parts)
    if not fractional or not all(isinstance(part, Numbers) or part.numeric for part in parts):
        _refuse_words_among_numbers(parts, places)
        return _as_classes(parts, places, None)
    for row, part, place in zip(numbers, parts, places, strict=True):
        if isinstance(part, Distinct):
            row[:] = part.numbers()
        check_finite(row, place)
    return numbers, None


def decoded(values: Array, classes: tuple[str, ...] | None) -> pa.Array:
    """The predictions of a model as a column of a table."""
    if classes is None:
        return pa.array(values.astype(np.float64), mask=np.isnan(values))
    codes = pa.array(values, mask=values == MISSING)
    return pa.DictionaryArray.from_arrays(codes, pa.array(classes, pa.string()))


def _refuse_words_among_numbers(parts: list[Distinct | Numbers], places: list[Place]) -> None:
    """A word such as NA among fractions is a missing number by another name, not a class among many."""
    for part, place in zip(parts, places, strict=True):
        if isinstance(part, Numbers):
            continue
        number = np.asarray(pc.match_substring_regex(part.texts, NUMBER).to_numpy(zero_copy_only=False), dtype=bool)
        fraction = np.asarray(pc.match_substring(part.texts, ".").to_numpy(zero_copy_only=False), dtype=bool)
        if np.count_nonzero(number & fraction) > np.count_nonzero(~number) > 0:
            word = int(np.argmin(number))
            raise PredictionsError(
                f"{place.first(part.codes == word)} predicts {part.texts[word].as_py()!r} where other values are "
                "numbers; leave it blank if it is missing, or say --classification (regression=False in Python)"
            )


def class_table(classes: Sequence[str]) -> pa.LargeStringArray:
    """Class names as they are compared; refuses names that files cannot tell apart."""
    names = [str(name) for name in classes]
    compared = canonical(pa.array(names, pa.large_string()))
    if compared.null_count:
        blank = names[compared.is_null().to_pylist().index(True)]
        raise PredictionsError(f"a class is named {blank!r}, which in a file means a missing prediction; rename it")
    text, times = Counter(compared.to_pylist()).most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise PredictionsError(f"the class {text!r} is named more than once; name each class once")
    return compared


def _chunked(column: pa.ChunkedArray | pa.Array | Array) -> pa.ChunkedArray:
    if isinstance(column, pa.ChunkedArray):
        return column
    try:
        array = column if isinstance(column, pa.Array) else pa.array(column)
        return pa.chunked_array([array.cast(pa.string()) if pa.types.is_binary(array.type) else array])
    except pa.ArrowException as error:
        raise PredictionsError(
            f"predictions cannot be read as text or numbers ({error}); give each model values of one type"
        ) from error


def _as_classes(parts: list[Distinct | Numbers], places: list[Place], declared: Sequence[str] | None) -> Encoded:
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
                "not one of the declared classes; declare it, or correct the prediction"
            )
        row[:] = looked_up(codes.astype(values.dtype), part.codes)
    return values, classes
