"""Columns and arrays to codes: what is a class, what a number, what is missing."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from adjudge.errors import InputError, PredictionsError
from adjudge.io import encode, encode_array


def columns_encoded(*columns: Any, **options: Any) -> tuple[list[list[float]], tuple[str, ...] | None]:
    models = [f"m{each}" for each in range(len(columns))]
    values, classes = encode(columns, models, range(len(columns[0])), **options)
    return values.tolist(), classes


def test_text_is_stripped_and_classes_are_in_alphabetical_order() -> None:
    assert columns_encoded(["dog", " cat"], ["cat ", "dog"]) == ([[1, 0], [0, 1]], ("cat", "dog"))


def test_integers_are_compared_by_value_and_ordered_by_it() -> None:
    values, classes = columns_encoded(pa.array([10, 9]), ["9", "10"], pa.array([9.0, None]))
    assert (values, classes) == ([[1, 0], [0, 1], [0, -1]], ("9", "10"))


@pytest.mark.parametrize("text", ["3.0", "3.", "+3.0", " 3.00 "])
def test_a_whole_float_is_the_class_of_its_integer(text: str) -> None:
    assert columns_encoded([text, "4"], ["3", "4"])[1] == ("3", "4")


def test_minus_zero_is_zero() -> None:
    assert columns_encoded(["-0.0", "1"], pa.array([-0.0, 1.0]), ["0", "1"])[1] == ("0", "1")


def test_codes_with_leading_zeros_stay_text() -> None:
    assert columns_encoded(["007", "7"])[1] == ("007", "7")


@pytest.mark.parametrize("blank", ["", "  ", "nan", "NaN", None])
def test_blank_is_missing(blank: str | None) -> None:
    assert columns_encoded([blank, "cat"]) == ([[-1, 0]], ("cat",))


def test_fractions_make_a_regression_with_nan_for_missing() -> None:
    values, classes = encode([["0.5", ""], pa.array([1, 2])], ("a", "b"), range(2))
    assert classes is None
    assert values.dtype == np.float64
    np.testing.assert_array_equal(values, [[0.5, np.nan], [1, 2]])


def test_numbers_among_names_are_names() -> None:
    assert columns_encoded(["0.5", "1e3"], ["high", "0.5"])[1] == ("0.5", "1000", "high")


def test_regression_can_be_forced_either_way() -> None:
    assert columns_encoded([1, 2], regression=True) == ([[1.0, 2.0]], None)
    assert columns_encoded([0.5, 1.5], regression=False) == ([[0, 1]], ("0.5", "1.5"))
    assert columns_encoded(["0.50", "1"], regression=False)[1] == ("0.50", "1")


def test_scientific_notation_and_signs_are_numbers() -> None:
    values, classes = columns_encoded(["1e-3", "+.5", "-2.", "1E2"])
    assert classes is None
    assert values == [[0.001, 0.5, -2.0, 100.0]]


@pytest.mark.parametrize("column", [["1", "inf"], ["0.5", "-Infinity"], ["0.5", "1e999"], [1.0, np.inf]])
def test_an_infinite_prediction_is_refused(column: Sequence[object]) -> None:
    with pytest.raises(PredictionsError, match=r"model 'm0' at sample '1' predicts an infinite value; leave"):
        columns_encoded(pa.array(column))


def test_an_infinite_prediction_of_a_forced_regression_is_refused() -> None:
    with pytest.raises(PredictionsError, match="infinite"):
        columns_encoded(["1", "inf"], regression=True)


def test_inf_among_names_is_a_name() -> None:
    assert columns_encoded(["inf", "verb"])[1] == ("inf", "verb")


def test_text_in_a_regression_is_refused_with_its_place() -> None:
    with pytest.raises(PredictionsError, match="model 'm0' at sample '1' predicts 'cat', which is not a number"):
        columns_encoded(["1", "cat"], regression=True)


def test_declared_classes_keep_their_order_and_names() -> None:
    values, classes = columns_encoded(["b", "a"], ["c", "1.0"], classes=["c", "b", "a", "1.0"])
    assert (values, classes) == ([[1, 2], [0, 3]], ("c", "b", "a", "1.0"))


def test_a_prediction_outside_the_declared_classes_is_refused_with_its_place() -> None:
    with pytest.raises(
        PredictionsError, match="model 'm1' at sample '1' predicts 'd', which is not one of the declared"
    ):
        columns_encoded(["a", "b"], ["a", "d"], classes=("a", "b"))


def test_declared_classes_must_differ_and_must_not_be_blank() -> None:
    with pytest.raises(PredictionsError, match="the class '3' is named more than once"):
        columns_encoded(["3"], classes=("3", "3.0"))
    with pytest.raises(PredictionsError, match="a class is named 'nan'"):
        columns_encoded(["a"], classes=("a", "nan"))


def test_a_comma_is_a_decimal_one_only_where_a_number_shows_it() -> None:
    values, _ = encode([["1,234", "987", "0,5"], ["1,5", "-12,500", None]], ("a", "b"), range(3), regression=True)
    np.testing.assert_array_equal(values, [[1.234, 987, 0.5], [1.5, -12.5, np.nan]])
    refused = "^model 'b' at sample '1' predicts '12,500', which is 12500 or 12.500, and no other number tells which; "
    with pytest.raises(PredictionsError, match=refused):
        encode([["0,5", "1", "2"], ["987", "12,500", "2,000"]], ("a", "b"), range(3), regression=True)


def test_classes_and_regression_exclude_each_other() -> None:
    with pytest.raises(PredictionsError, match="leave out one"):
        columns_encoded(["1"], classes=("1",), regression=True)


def test_no_prediction_at_all_is_refused() -> None:
    with pytest.raises(PredictionsError, match="no model predicts anything"):
        columns_encoded(["", "nan"], pa.nulls(2))


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


@pytest.mark.parametrize(("count", "kind"), [(128, np.int8), (129, np.int16), (40_000, np.int32)])
def test_the_smallest_code_type_is_used(count: int, kind: type) -> None:
    values, _ = encode([np.arange(count)], ("m",), range(count))
    assert values.dtype == kind
    assert values[0, -1] == count - 1


def test_array_codes_index_class_names() -> None:
    values, classes = encode_array(np.array([[0, 1], [-1, 0]]), ("cat", "dog"))
    assert (values.tolist(), classes) == ([[0, 1], [-1, 0]], ("cat", "dog"))
    assert values.dtype == np.int8


@pytest.mark.parametrize("wrong", [2, -2])
def test_array_code_out_of_range_is_refused_with_its_place(wrong: int) -> None:
    with pytest.raises(PredictionsError, match=f"'model_1' at sample '0' predicts the code {wrong} but 2 classes"):
        encode_array(np.array([[0, 1], [wrong, 0]]), ("cat", "dog"))


def test_array_fraction_is_no_code() -> None:
    with pytest.raises(PredictionsError, match=r"'b' at sample 's2' predicts the code 0.5 but 2 classes are named"):
        encode_array(np.array([[0, 1], [1, 0.5]]), ("cat", "dog"), models=("a", "b"), samples=pa.array(["s1", "s2"]))


def test_array_integers_are_their_own_names() -> None:
    values, classes = encode_array(np.array([[0, 7], [-1, 300]]))
    assert (values.tolist(), classes) == ([[0, 1], [-1, 2]], ("0", "7", "300"))


def test_array_of_minus_one_and_one_has_two_classes() -> None:
    assert encode_array(np.array([[-1, 1]]))[1] == ("-1", "1")
    assert encode_array(np.array([[-1.0, 1.0, np.nan]]))[0].tolist() == [[0, 1, -1]]
    assert encode_array(np.array([[-1, 0, 1]]))[1] == ("0", "1")


def test_array_where_minus_one_may_mean_two_things_is_refused() -> None:
    with pytest.raises(PredictionsError, match="hold -2 and -1, which may be a class or a missing prediction"):
        encode_array(np.array([[-2, -1, 0, 1]]))


def test_array_views_instead_of_copies() -> None:
    narrow = np.array([[0, 1, 2]], dtype=np.uint8)
    signed = np.array([[0, 1, -1]], dtype=np.int8)
    for array in (narrow, signed):
        assert np.shares_memory(encode_array(array)[0], array)
        assert np.shares_memory(encode_array(array, ("a", "b", "c"))[0], array)
    wide, _ = encode_array(np.array([[0, 200]], dtype=np.uint8), [str(each) for each in range(201)])
    assert wide.tolist() == [[0, 200]]
    assert wide.dtype == np.int16


def test_array_integers_far_apart_and_unsigned() -> None:
    assert encode_array(np.array([[10**12, 5]]))[1] == ("5", "1000000000000")
    assert encode_array(np.array([[5, 6]], dtype=np.uint64))[0].tolist() == [[0, 1]]
    with pytest.raises(PredictionsError, match="count from 0"):
        encode_array(np.array([[2**63]], dtype=np.uint64))


def test_array_of_floats() -> None:
    values, classes = encode_array(np.array([[1, np.nan], [3, 1]], dtype=np.float32))
    assert (values.tolist(), classes) == ([[0, -1], [1, 0]], ("1", "3"))
    assert encode_array(np.array([[0.0, np.nan, 1.0]]))[0].tolist() == [[0, -1, 1]]
    assert encode_array(np.array([[0.5, 1]]))[1] is None
    assert encode_array(np.array([[0.5, 1]]), regression=False)[1] == ("0.5", "1")
    assert encode_array(np.array([[2, -1]]), regression=True)[0].tolist() == [[2.0, -1.0]]
    with pytest.raises(PredictionsError, match="'model_0' at sample '1' predicts an infinite value"):
        encode_array(np.array([[0.5, np.inf]]))


def test_array_of_text_and_of_truth_values() -> None:
    assert encode_array(np.array([["b", "a"]]))[1] == ("a", "b")
    assert encode_array(np.array([["b", "a"]]), ("b", "a"))[0].tolist() == [[0, 1]]
    assert encode_array(np.array([[True, False]]))[1] == ("False", "True")


@pytest.mark.parametrize("array", [np.array([1, 2]), np.zeros((0, 3)), np.array([[1j]]), np.array([[-1, -1]])])
def test_array_that_is_no_predictions_is_refused(array: np.ndarray[Any, Any]) -> None:
    with pytest.raises(PredictionsError, match=r"shape|stored as complex|no model predicts"):
        encode_array(array)


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
