"""Predictions: what fits, what is refused, and classes that are added."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from adjudge.core.index import as_index, ids_at
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import vote_agreement
from adjudge.errors import LabelsError, PredictionsError

CODES = np.array([[0, 1, 1], [1, 1, 0]], dtype=np.int8)


def make(**changes: Any) -> Predictions:
    parts: dict[str, Any] = {"values": CODES, "models": ("a", "b"), "samples": range(3), "classes": ("x", "y")}
    return Predictions(**(parts | changes))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"values": np.zeros((0, 3), dtype=np.int8)}, r"shape \(0, 3\); at least one model and one sample"),
        ({"values": np.zeros(3, dtype=np.int8)}, r"shape \(3,\)"),
        ({"models": ("a",)}, "2 model rows are given but 1 model names"),
        ({"models": ("a", "a")}, "the model name 'a' occurs more than once"),
        ({"samples": range(4)}, "3 samples are predicted but 4 sample ids"),
        ({"samples": as_index(["u", "v", "u"])}, "1 sample id occurs more than once, 'u' among them"),
        ({"classes": ("x",)}, "codes run from 0 to 1 but 1 classes are named"),
        ({"values": CODES - 2}, "codes run from -2 to -1"),
        ({"values": np.array([[0.1, np.inf, 2], [1, 2, 3]]), "classes": None}, "'a' predicts an infinite value at"),
        ({"probabilities": np.ones((2, 3, 3)) / 3}, r"\(2, 3, 3\) but \(2, 3, 2\)"),
        ({"probabilities": np.ones((2, 3, 2))}, "'a' do not sum to 1"),
        ({"columns": pa.table({"text": ["only one"]})}, "facts have 1 rows for 3 samples"),
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PredictionsError, match=sentence):
        make(**changes)


@pytest.mark.parametrize("kind", [">i2", "uint8", "int64", "bool"])
def test_codes_of_any_integer_type_are_understood(kind: str) -> None:
    pool = make(values=CODES.astype(kind), models=["a", "b"], samples=["u", "v", "w"])
    assert pool.values.dtype.isnative
    assert pool.values.tolist() == CODES.tolist()
    assert vote_agreement(pool, Labels.empty(3)) == pytest.approx([2 / 3, 2 / 3])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"values": CODES.astype(float)}, "class codes are whole numbers, not float64"),
        ({"values": np.array([["x", "y"]]), "classes": None}, "numbers, not <U1"),
        ({"classes": ()}, "no class is named; give at least one"),
    ],
)
def test_other_types_are_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PredictionsError, match=sentence):
        make(**changes)


def test_labels_that_are_no_codes_are_refused() -> None:
    make().check_labels(np.array([0, 1, np.nan]))
    for label in (2.0, -1.0, 0.5):
        with pytest.raises(LabelsError, match=r"is not a valid class code \(0 to 1\)"):
            make().check_labels(np.array([0.0, label]))


def test_values_are_locked_but_not_copied() -> None:
    pool = make()
    assert np.shares_memory(pool.values, CODES)
    with pytest.raises(ValueError, match="read-only"):
        pool.values[0, 0] = 1


def test_said_counts_what_is_there() -> None:
    assert make(values=np.array([[0, -1, -1], [0, 1, 1]])).n_predicted.tolist() == [1, 3]
    assert make(values=np.array([[0.5, np.nan, 1], [0, 1, 1]]), classes=None).n_predicted.tolist() == [2, 3]


def test_a_class_can_be_added() -> None:
    pool = make(probabilities=np.full((2, 3, 2), 0.5)).with_classes(["z"])
    assert pool.classes == ("x", "y", "z")
    assert pool.probabilities is not None
    assert (pool.probabilities[:, :, 2] == 0).all()
    with pytest.raises(PredictionsError, match="cannot be added to a regression"):
        make(values=CODES / 2, classes=None).with_classes(["z"])


def test_a_declared_list_of_classes_is_closed() -> None:
    with pytest.raises(PredictionsError, match="'z' is not among the declared classes 'x', 'y'"):
        make(declared=True).with_classes(["z"])


def test_the_type_grows_with_the_classes() -> None:
    names = tuple(str(number) for number in range(128))
    assert make(classes=names).with_classes(["more"]).values.dtype == np.int16


def test_pickles() -> None:
    again = pickle.loads(pickle.dumps(make(samples=as_index(["u", "v", "w"]))))
    assert (again.values == CODES).all()
    assert ids_at(again.samples, np.array([2])) == ["w"]


def test_a_part_of_the_pool_has_no_numbers_about_all_samples() -> None:
    pool = Predictions(np.array([[0, 1, 1]]), ("a",), range(3), ("x", "y")).with_auxiliary("lsa", np.arange(3.0))
    part = replace(pool, values=pool.values[:, :2], samples=range(2))
    assert not part.auxiliary
    numbers = {name: each.at(np.arange(2)) for name, each in pool.auxiliary.items()}
    assert replace(part, auxiliary=numbers).auxiliary["lsa"].values.tolist() == [0, 1]
