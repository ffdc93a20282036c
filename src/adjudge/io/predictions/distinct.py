"""One column as codes and the distinct texts behind them: all later work is on what is distinct."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.arrays import Array, BoolArray, FloatArray, smallest_code_type
from adjudge.core.index import Index, ids_at
from adjudge.errors import InputError, PredictionsError

NUMBER = r"(?i)^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|^[+-]?inf(inity)?$"
INTEGER = r"^[+-]?\d{1,18}$"
WHOLE = r"^\+?(-?\d+)\.0*$"  # 3.0: an integer that went through a column of floats
ZERO = r"^[+-]?0+\.0*$"
COMMA = r"^([+-]?\d*),(\d+)$"
THOUSANDS = r"^[+-]?[1-9]\d{0,2},\d{3}$"  # 1,234: its comma may separate thousands as well as decimals
BYTES = 256
FIRST = 4096  # rows in which nearly all that occurs in a column has occurred
EXACT = 2.0**53  # beyond it floats are whole because they are coarse


@dataclass(frozen=True, eq=False)
class Distinct:
    """A column of classes: codes into texts, -1 where nothing was said."""

    codes: Array
    texts: pa.LargeStringArray

    @property
    def numeric(self) -> bool:
        return bool(pc.all(pc.match_substring_regex(self.texts, NUMBER), min_count=0).as_py())

    def numbers(self) -> FloatArray:
        """The column as numbers, for one whose texts all are."""
        return np.append(_parsed(self.texts), np.nan)[self.codes]


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of numbers, not all of them whole; nan where nothing was said."""

    values: FloatArray

    def distinct(self) -> Distinct:
        known = ~np.isnan(self.values)
        unique, codes = np.unique(self.values[known], return_inverse=True)
        texts = [repr(number).removesuffix(".0") for number in (unique + 0.0).tolist()]  # + 0.0: no "-0"
        spread = np.full(len(self.values), -1, dtype=smallest_code_type(len(texts)))
        spread[known] = codes
        return Distinct(spread, pa.array(texts, pa.large_string()))


@dataclass(frozen=True)
class Place:
    """Where a value stands, for messages: a model and the ids of its samples."""

    model: str
    samples: Index

    def first(self, found: Array) -> str:
        """The model and the first sample at which something was found."""
        sample = ids_at(self.samples, np.flatnonzero(found)[:1])[0]
        return f"model {self.model!r} at sample {sample!r}"


def canonical(texts: pa.Array) -> pa.LargeStringArray:
    """Texts as they are compared: stripped, whole floats as integers, null where blank or nan.

    >>> canonical(pa.array([" cat", "3.0", "3", "NaN", ""])).to_pylist()
    ['cat', '3', '3', None, None]
    """
    bare = pc.utf8_trim_whitespace(texts.cast(pa.large_string()))
    whole = pc.replace_substring_regex(pc.replace_substring_regex(bare, ZERO, "0"), WHOLE, r"\1")
    blank = pc.is_in(pc.utf8_lower(whole), value_set=pa.array(["", "nan"], pa.large_string()))
    return pc.if_else(blank, None, whole)


def as_text(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Values of any Arrow type written out; a number so that it can be read back exactly."""
    kind = values.type
    try:
        if pa.types.is_boolean(kind):
            return pc.if_else(values, "True", "False").cast(pa.large_string())  # as Python and pandas do
        if pa.types.is_floating(kind):
            values = values.cast(pa.float64())  # 32 bits need fewer digits, which 64 bits read otherwise
        return values.cast(pa.large_string())
    except pa.ArrowException as error:
        raise InputError(
            f"a column holds values of type {kind}, which cannot be written out; give text or numbers"
        ) from error


def all_integers(texts: Sequence[str]) -> bool:
    found = pc.match_substring_regex(pa.array(texts, pa.string()), INTEGER)
    return bool(pc.all(found, min_count=0).as_py())


def like_numbers(classes: Sequence[str]) -> bool:
    """Whether a reader of the names would take them for numbers with fractions."""
    return all(re.match(NUMBER, name) for name in classes) and not all_integers(classes)


def in_order(texts: Sequence[str]) -> tuple[str, ...]:
    """Classes in their order: by value if all are integers, by letters otherwise.

    >>> in_order(["10", "9"]), in_order(["10", "9", "b"])
    (('9', '10'), ('10', '9', 'b'))
    """
    if all_integers(texts):
        return tuple(sorted(texts, key=lambda text: (int(text), text)))
    return tuple(sorted(texts))


def distinct(column: pa.ChunkedArray, place: Place) -> Distinct | Numbers:
    """A column of any Arrow type: classes where its values are texts or whole, numbers otherwise."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _of_floats(_as_float(column), place)
    encoded = column if pa.types.is_dictionary(column.type) else _plain(column).dictionary_encode()
    whole = encoded.unify_dictionaries().combine_chunks()
    return _used(canonical(as_text(whole.dictionary)), whole.indices)


def as_numbers(part: Distinct | Numbers, row: FloatArray) -> Distinct | Numbers:
    """A column of numbers that are not all whole moves into this row; any other stays as it is."""
    if isinstance(part, Numbers):
        row[:] = part.values
        return Numbers(row)
    if part.numeric:
        numbers = _parsed(part.texts)
        if (numbers != np.trunc(numbers)).any() or np.isinf(numbers).any():
            row[:] = part.numbers()
            return Numbers(row)
    return part


def numbers_of(column: pa.ChunkedArray, place: Place, probability_of: str | None = None) -> FloatArray:
    """A column that has to be numbers: predictions, or probabilities of a class; a decimal comma is a point."""
    part = distinct(column, place)
    if isinstance(part, Distinct):
        if probability_of is None and (found := unclear(part.texts)):
            where, said = place.first(part.codes == found[0]), repr(part.texts[found[0]].as_py())
            raise PredictionsError(f"{where} predicts {said}, which is {found[1]}")
        part = Distinct(part.codes, with_points(part.texts))
        text = pc.invert(pc.match_substring_regex(part.texts, NUMBER)).to_numpy(zero_copy_only=False)
        if text.any():
            code = int(np.argmax(text))
            where, said = place.first(part.codes == code), repr(part.texts[code].as_py())
            if probability_of is not None:
                raise PredictionsError(
                    f"{where} gives {probability_of!r} the probability {said}, which is not a number; correct it, or "
                    "leave it blank"
                )
            raise PredictionsError(
                f"{where} predicts {said}, which is not a number; regression and scores need numbers"
            )
        check_finite(part.numbers(), place)
        return part.numbers()
    return part.values


def with_points(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    """Numbers with a decimal comma, which spreadsheets write, get a point.

    >>> with_points(pa.array(["0,25", "1,000,000", "a,b", "3.5"], pa.large_string())).to_pylist()
    ['0.25', '1,000,000', 'a,b', '3.5']
    """
    return pc.replace_substring_regex(texts, COMMA, r"\1.\2")


def unclear(texts: pa.LargeStringArray) -> tuple[int, str] | None:
    """The first number whose comma may separate thousands, and what it means, where no other one tells.

    >>> unclear(pa.array(["987", "1,234"], pa.large_string()))
    (1, '1234 or 1.234, and no other number tells which; write all numbers without commas')
    >>> unclear(pa.array(["0,5", "1,234"], pa.large_string()))
    """
    thousands = pc.fill_null(pc.match_substring_regex(texts, THOUSANDS), False)
    with_comma = pc.fill_null(pc.match_substring_regex(texts, COMMA), False)
    if thousands.true_count == 0 or thousands.true_count < with_comma.true_count:
        return None
    first = thousands.index(True).as_py()
    text = texts[first].as_py()
    meanings = f"{text.replace(',', '')} or {text.replace(',', '.')}"
    return first, f"{meanings}, and no other number tells which; write all numbers without commas"


def check_finite(values: Array, place: Place) -> None:
    if np.isinf(values).any():
        raise PredictionsError(
            f"{place.first(np.isinf(values))} predicts an infinite value; leave it blank if it is missing"
        )


def _of_floats(values: FloatArray, place: Place) -> Distinct | Numbers:
    check_finite(values, place)
    numbers = Numbers(values)
    whole = np.isnan(values) | ((values == np.trunc(values)) & (np.abs(values) <= EXACT))
    return numbers.distinct() if whole.all() else numbers


def _as_float(column: pa.ChunkedArray) -> FloatArray:
    return np.asarray(column.cast(pa.float64()).to_numpy(), dtype=np.float64)


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Types that Arrow may not be able to put into a dictionary, as text."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return column
    return as_text(column)


def _used(texts: pa.LargeStringArray, indices: pa.Array) -> Distinct:
    """Without texts that are null, and without those that no row holds: a dictionary may have more."""
    low, high = pc.min_max(indices).as_py().values()
    if low is not None and (low < 0 or high >= len(texts)):  # which Arrow does not look at
        raise InputError("a column points at values that its dictionary does not have; the file may be damaged")
    filled = pc.fill_null(indices.cast(pa.int64()), len(texts)) if indices.null_count else indices
    places = np.asarray(filled).astype(np.uint8 if len(texts) < BYTES else np.int64)
    kept = _held(places, len(texts)) & texts.is_valid().to_numpy(zero_copy_only=False)
    table = np.where(kept, np.cumsum(kept) - 1, -1).astype(smallest_code_type(int(kept.sum())))
    return Distinct(looked_up(table, places), texts.filter(pa.array(kept)))


def _held(places: Array, count: int) -> BoolArray:
    """Which of so many places occur; a look at the first rows is nearly always enough."""
    held = np.zeros(count + 1, dtype=bool)
    held[places[:FIRST]] = True
    if places.dtype != np.uint8:
        held |= np.bincount(places, minlength=count + 1) > 0
    for place in np.flatnonzero(~held[:-1]).tolist() if places.dtype == np.uint8 else ():
        held[place] = (places == place).any()
    return held[:-1]


def looked_up(table: Array, places: Array) -> Array:
    """What stands in the table at these places; -1 beyond its end, and for a place of -1."""
    missing = table.dtype.type(-1)
    in_place = table.itemsize == places.itemsize and np.array_equal(table, np.arange(len(table)))
    if in_place and len(places) and places.max() < len(table):
        return places.view(table.dtype)
    if table.itemsize == places.itemsize == 1:  # bytes are translated ten times as fast
        bytewise = np.full(BYTES, missing)
        bytewise[: len(table)] = table
        return np.frombuffer(places.tobytes().translate(bytewise.tobytes()), dtype=table.dtype)
    return np.asarray(np.append(table, missing)[places])


def _parsed(texts: pa.LargeStringArray) -> FloatArray:
    return np.asarray(texts.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
