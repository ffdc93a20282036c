"""Columns to codes: what is a class, what a number, what is missing."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from adjudge.errors import PredictionsError
from adjudge.io import encode
from tests.support.encoded import columns_encoded


def test_text_is_stripped_and_classes_are_in_alphabetical_order() -> None:
    assert columns_encoded(["dog", " cat"], ["cat ", "dog"]) == ([[1, 0], [0, 1]], ("cat", "dog"))


@pytest.mark.parametrize("text", ["3.0", "3.", "+3.0", " 3.00 "])
def test_a_whole_float_is_the_class_of_its_integer(text: str) -> None:
    assert columns_encoded([text, "4"], ["3", "4"])[1] == ("3", "4")


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


@pytest.mark.parametrize(("count", "kind"), [(128, np.int8), (129, np.int16), (40_000, np.int32)])
def test_the_smallest_code_type_is_used(count: int, kind: type) -> None:
    values, _ = encode([np.arange(count)], ("m",), range(count))
    assert values.dtype == kind
    assert values[0, -1] == count - 1
