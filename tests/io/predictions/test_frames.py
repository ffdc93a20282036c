"""Frames as people have them: ids in the index or nowhere, probabilities beside the predictions."""

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest

from adjudge import from_frame
from adjudge.core.index import all_ids
from adjudge.errors import InputError, PredictionsError

SAID = {"a": ["x", "y", "x"], "b": ["x", "x", "x"]}
CERTAIN = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]])


def ids(frame: Any, **options: Any) -> list[str]:
    found: list[str] = all_ids(from_frame(frame, **options).samples).to_pylist()
    return found


def test_an_index_is_the_ids() -> None:
    assert ids(pd.DataFrame(SAID, index=["p", "q", "r"])) == ["p", "q", "r"]
    assert ids(pd.DataFrame(SAID, index=pd.Index([7, 3, 5], name="image"))) == ["7", "3", "5"]
    assert ids(pd.DataFrame(SAID, index=pd.Index([7, 3, 5], name="image")), id="image") == ["7", "3", "5"]
    assert ids(pd.DataFrame(SAID)[1:]) == ["1", "2"]
    assert ids(pd.DataFrame(SAID | {"sample_id": ["p", "q", "r"]}).set_index("sample_id")) == ["p", "q", "r"]


def test_a_column_of_ids_comes_before_the_index() -> None:
    frame = pd.DataFrame(SAID | {"id": ["p", "q", "r"]}, index=[7, 8, 9])
    assert ids(frame) == ["p", "q", "r"]
    assert from_frame(frame).models == ("a", "b")


def test_a_filter_does_not_change_ids() -> None:
    frame = pd.DataFrame({"image": ["p", "q", "r"]} | SAID)
    assert ids(frame) == ["p", "q", "r"]
    assert ids(frame[1:]) == ids(frame[frame["image"] != "p"]) == ["q", "r"]
    assert from_frame(frame[[False, True, True]]).models == ("a", "b")
    assert ids(frame.set_axis(["s", "t", "u"])) == ["s", "t", "u"]


@pytest.mark.parametrize("frame", [pd.DataFrame(SAID), pl.DataFrame(SAID), pa.table(SAID), SAID])
def test_rows_without_ids_are_numbered(frame: Any) -> None:
    assert ids(frame) == ["0", "1", "2"]
    assert from_frame(frame).models == ("a", "b")


@pytest.mark.parametrize("library", [pd, pl])
def test_what_looks_like_ids_is_not_taken_for_a_model(library: Any) -> None:
    many = {"scan": [f"{number}.png" for number in range(30)], "a": ["x", "y", "x"] * 10}
    with pytest.raises(PredictionsError, match=r"the column 'scan' says something else in each row.*id='scan'"):
        from_frame(library.DataFrame(many))
    assert from_frame(library.DataFrame(many), id="scan").models == ("a",)
    several = {name: [f"{name} {number}" for number in range(30)] for name in "abc"}  # answers in words
    assert from_frame(library.DataFrame(several)).models == ("a", "b", "c")


def test_probabilities_stand_beside_predictions() -> None:
    stated = pd.DataFrame(CERTAIN, columns=["x", "y"])
    pool = from_frame(SAID, probabilities={"a": stated})
    assert pool.probabilities is not None
    np.testing.assert_allclose(pool.probabilities[0], CERTAIN, atol=1e-6)
    assert np.isnan(pool.probabilities[1]).all()
    swapped = from_frame(SAID, probabilities={"a": CERTAIN[:, ::-1], "b": CERTAIN}, classes=["y", "x"])
    assert swapped.probabilities is not None
    np.testing.assert_allclose(swapped.probabilities[0], CERTAIN[:, ::-1], atol=1e-6)


def test_rows_of_probabilities_are_found_by_their_ids() -> None:
    frame = pd.DataFrame(SAID, index=["p", "q", "r"])
    stated = pd.DataFrame(CERTAIN, columns=["x", "y"], index=["p", "q", "r"])
    one, other = (from_frame(frame, probabilities={"a": each}).probabilities for each in (stated, stated[::-1]))
    np.testing.assert_array_equal(one, other)


def test_a_class_may_have_a_name_that_ids_have() -> None:
    pool = from_frame(
        pd.DataFrame({"a": ["image", "text"]}, index=[5, 7]),
        probabilities={"a": pd.DataFrame({"image": [0.2, 0.9], "text": [0.8, 0.1]}, index=[7, 5])},
    )
    assert pool.probabilities is not None
    np.testing.assert_allclose(pool.probabilities, [[[0.9, 0.1], [0.2, 0.8]]], rtol=1e-6)


def test_probabilities_may_name_a_class_that_nobody_predicted() -> None:
    stated = pd.DataFrame({"x": [0.6, 0.2, 0.7], "y": [0.3, 0.8, 0.3], "z": [0.1, 0.0, 0.0]})
    pool = from_frame(SAID, probabilities={"a": stated})
    assert pool.classes == ("x", "y", "z")


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        ({"c": CERTAIN}, "there is no model 'c'"),
        ({"a": CERTAIN}, r"probabilities={'a': ...} is an array, whose columns have no names"),
        ({"a": pd.DataFrame(CERTAIN[:2], columns=["x", "y"])}, r"has the shape \(2, 2\), and \(3, 2\) is needed"),
        ({"a": pd.DataFrame({"x": ["?"] * 3, "y": ["?"] * 3})}, "holds .*string in 'x'; give numbers"),
        ({"a": pd.DataFrame(CERTAIN * 2, columns=["x", "y"])}, "the probabilities of model 'a' do not sum to 1"),
        ({"a": pd.DataFrame(CERTAIN, columns=["x", "y"], index=[1, 2, 3])}, "lacks samples of the frame"),
    ],
)
def test_wrong_probabilities_name_the_argument(stated: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        from_frame(SAID, probabilities=stated)
    with pytest.raises(PredictionsError, match="probabilities= are given, but the predictions are numbers"):
        from_frame({"a": [0.5, 1.5]}, probabilities={"a": CERTAIN})
