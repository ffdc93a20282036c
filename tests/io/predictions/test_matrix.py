"""Arrays of any type as codes or numbers."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from adjudge.errors import PredictionsError
from adjudge.io import encode_array


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
