"""One column as codes and distinct texts."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from adjudge.errors import InputError
from adjudge.io import encode
from tests.support.encoded import columns_encoded


def test_integers_are_compared_by_value_and_ordered_by_it() -> None:
    values, classes = columns_encoded(pa.array([10, 9]), ["9", "10"], pa.array([9.0, None]))
    assert (values, classes) == ([[1, 0], [0, 1], [0, -1]], ("9", "10"))


def test_minus_zero_is_zero() -> None:
    assert columns_encoded(["-0.0", "1"], pa.array([-0.0, 1.0]), ["0", "1"])[1] == ("0", "1")


def test_codes_with_leading_zeros_stay_text() -> None:
    assert columns_encoded(["007", "7"])[1] == ("007", "7")


def test_scientific_notation_and_signs_are_numbers() -> None:
    values, classes = columns_encoded(["1e-3", "+.5", "-2.", "1E2"])
    assert classes is None
    assert values == [[0.001, 0.5, -2.0, 100.0]]


def test_dictionaries_of_chunks_are_unified_and_unused_entries_left_out() -> None:
    parts = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", "a"]).dictionary_encode()]
    unused = pa.DictionaryArray.from_arrays(pa.array([1, 1, None, 1]), pa.array(["x", "a", "nan"]))
    values, classes = columns_encoded(pa.chunked_array(parts[:1] + parts[1:]), unused)
    assert (values, classes) == ([[0, 1, 2, 0], [0, 0, -1, 0]], ("a", "b", "c"))


def test_other_types_of_arrow() -> None:
    assert columns_encoded(pa.array([True, None, False]))[1] == ("False", "True")
    assert columns_encoded(pa.array(["a", "b"], pa.string_view()))[1] == ("a", "b")
    assert columns_encoded(pa.array([1.5, 2], pa.float32()))[1] is None
    assert columns_encoded(np.array([b"a", b"b"]))[1] == ("a", "b")


@pytest.mark.parametrize("column", [pa.array([[1], [2]]), np.array([b"\xff", b"a"]), [1, "a"]])
def test_types_that_are_no_predictions_are_refused(column: Any) -> None:
    with pytest.raises(InputError, match=r"text or numbers|of one type"):
        columns_encoded(column)


@pytest.mark.parametrize("count", [2, 254, 255, 256, 300])
def test_codes_of_a_dictionary_in_any_order_and_with_blanks(count: int) -> None:
    names = [f"c{each:03}" for each in reversed(range(count))]
    said = [None, *names[: count - 1], None, names[0]]  # the last name is never said
    column = pa.array(said).dictionary_encode()
    wide = pa.DictionaryArray.from_arrays(column.indices, pa.array(names))
    values, classes = encode([wide, wide], ("a", "b"), range(len(said)), regression=False)
    assert classes == tuple(sorted(names[:-1]))
    assert classes is not None
    assert [None if code < 0 else classes[code] for code in values[1].tolist()] == said


def test_a_dictionary_that_lacks_values_is_refused() -> None:
    broken = pa.DictionaryArray.from_arrays(pa.array([0, 2], pa.int8()), pa.array(["x", "y"]), safe=False)
    with pytest.raises(InputError, match="points at values that its dictionary does not have"):
        encode([broken], ("a",), range(2))
