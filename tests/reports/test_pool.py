"""What is said about a pool that was screened."""

import numpy as np
import pytest

from adjudge.core.predictions import Predictions
from adjudge.decisions.screening import Screening, screen
from adjudge.reports.pool import sentences
from tests.support.screened import pool


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([[0, 1, 0]], ["There is only one model, so there is nothing to rank."]),
        (
            [[0], [1]],
            [
                "There is only one sample, too little to rank models by.",
                "There is no sample on which all models agree; two models agree on 0.0% on average.",
            ],
        ),
        ([[0, 1], [0, 1], [0, 1]], ["All models agree on everything, so nothing can be ranked."]),
        (
            [[0, 1, 0], [0, 1, 0], [-1, -1, -1]],
            [
                "1 model has no prediction at all: 'm2'.",
                "All models agree on everything, so nothing can be ranked.",
            ],
        ),
        (
            [[0, 1, -1], [-1, 1, 0]],
            [
                "2 models lack 33.3% of their predictions: 'm0', 'm1'.",
                "All models agree wherever they have a prediction; only what they leave out tells them apart.",
            ],
        ),
        (
            [[0, 1, -1, -1], [-1, -1, 1, 0]],
            [
                "2 models lack 50.0% of their predictions: 'm0', 'm1'.",
                "No two models have a prediction for the same sample, so no two can be compared.",
            ],
        ),
        (
            [[0, 1, 0, 1], [0, 1, 0, -1], [0, -1, -1, -1]],
            [
                "2 models lack 25.0% to 75.0% of their predictions: 'm1', 'm2'.",
                "All models agree wherever they have a prediction; only what they leave out tells them apart.",
            ],
        ),
        (
            [[0, 1, -1, -1], [0, -1, 1, -1], [-1, 1, 0, 0]],
            [
                "3 models lack 25.0% to 50.0% of their predictions: 'm0', 'm1', 'm2'.",
                "No sample has a prediction of all models; two models agree on 66.7% on average.",
            ],
        ),
        (
            [[-1, -1], [-1, -1]],
            ["2 models have no prediction at all: 'm0', 'm1'."],
        ),
        (
            [[0, 1, 0, 1], [0, 1, 0, -1], [1, 1, 1, 1]],
            [
                "1 model lacks 25.0% of its predictions: 'm1'.",
                "All models agree on 33.3% of the 3 samples that all predict, which cannot change the ranking; "
                "two models agree on 66.7% on average.",
                "1 model always says the same: 'm2' says 'class 1'.",
            ],
        ),
    ],
)
def test_sentences(values: list[list[int]], expected: list[str]) -> None:
    assert sentences(screen(pool(values))) == expected


def test_a_column_that_is_no_model_is_named() -> None:
    values = [[0, 1, 0, 1], [0, 1, 1, 1], [0, 0, 1, 1], [2, 3, 2, -1]]
    seen = screen(pool(values, classes=4))
    assert seen.disjoint_classes == ("m3",)
    assert sentences(seen)[-1].endswith("if this is not a model but a fact about the samples: --columns m3.")
    assert screen(pool([*values[:2], [0, 2, 2, 3]], classes=4)).disjoint_classes == ()  # it shares a class
    assert screen(pool([[0, 0], [1, 1]])).disjoint_classes == ()  # who of the two is the stranger?
    assert screen(pool([[0, 0], [0, 0], [-1, -1]])).disjoint_classes == ()


def test_probabilities_in_place_of_classes_are_noticed() -> None:
    numbers = np.array([[0.1, np.nan, 1.0], [0.0, 0.5, 0.7]])
    seen = screen(Predictions(numbers, ("a", "b"), range(3), None))
    assert "columns p_<class>" in sentences(seen)[-1]
    assert not screen(Predictions(numbers + 0.5, ("a", "b"), range(3), None)).in_unit_interval
    assert not screen(Predictions(numbers * np.nan, ("a", "b"), range(3), None)).in_unit_interval
    assert not screen(pool([[0, 1], [1, 1]])).in_unit_interval


def found(**facts: object) -> Screening:
    plain: dict[str, object] = {
        "models": tuple(f"m{model}" for model in range(30)),
        "samples": 4000,
        "classes": ("cat", "dog"),
        "probabilities": False,
        "missing": np.zeros(30, dtype=np.int64),
        "unanimous": 0.25,
        "agreement": 0.75,
        "duplicates": (),
        "constant": {},
        "below_chance": (),
        "inverted": (),
    }
    return Screening(**(plain | facts))  # type: ignore[arg-type]


def test_models_that_leave_the_crowd_are_named_with_a_caution() -> None:
    caution = "The crowd may be wrong itself: get some labels before you drop a model that disagrees with it."
    assert sentences(found(below_chance=("m7", "m8"), inverted=("m7",)))[1:] == [
        "'m7' contradicts the vote of the others more often than chance; "
        "if the crowd is right, its classes look swapped.",
        "'m8' agrees with the vote of the others less often than chance.",
        caution,
    ]
    assert sentences(found(below_chance=("m1", "m2", "m7", "m8"), inverted=("m1", "m2")))[1:] == [
        "'m1', 'm2' contradict the vote of the others more often than chance; "
        "if the crowd is right, their classes look swapped.",
        "'m7', 'm8' agree with the vote of the others less often than chance.",
        caution,
    ]
    assert len(sentences(found())) == 1


def test_long_lists_are_cut() -> None:
    names = tuple(f"m{model}" for model in range(17))
    facts = found(constant=dict.fromkeys(names, "cat"), duplicates=(names, *[("m20", "m21")] * 6))
    _, constant, duplicates = sentences(facts)
    assert constant == (
        "17 models always say the same: 'm0' says 'cat', 'm1' says 'cat', 'm2' says 'cat', "
        "'m3' says 'cat', 'm4' says 'cat' and 12 more."
    )
    assert duplicates == (
        "Some models made exactly the same predictions and will always tie: "
        "'m0' = 'm1' = 'm2' = 'm3' = 'm4' and 12 more; " + "; ".join(["'m20' = 'm21'"] * 4) + " and 2 more."
    )


def test_nearly_all_is_not_called_all() -> None:
    (sentence,) = sentences(found(unanimous=0.00001, agreement=0.99999))
    assert "less than 0.1% of the samples" in sentence
    assert "more than 99.9% on average" in sentence
