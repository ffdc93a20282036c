"""How sure a recommendation is, and how many labels it asks for next."""

from dataclasses import replace

from adjudge.core.recommendation import (
    EXACT,
    FIRST_LABELS,
    GUARANTEED,
    LIKELY,
    MORE_LABELS,
    NOT_ENOUGH,
    UNPREDICTED,
    NextStep,
    Recommendation,
)

OPEN = Recommendation(
    model="a",
    ties=(),
    chance_of_best=0.6,
    expected_loss=0.01,
    likely_loss=0.03,
    guaranteed_loss=0.2,
    may_be_best=("a", "b"),
    level=0.95,
    margin=0.01,
    stop=False,
    exact=False,
    future=None,
    future_rivals=(),
    refuted=False,
    next=NextStep(labels_likely=50, labels_guaranteed=300, left=400),
    samples=500,
)


def test_the_verdict_is_the_strongest_that_holds() -> None:
    assert OPEN.verdict == NOT_ENOUGH
    assert replace(OPEN, stop=True).verdict == LIKELY
    assert replace(OPEN, stop=True, guaranteed_loss=0.01).verdict == GUARANTEED
    assert replace(OPEN, may_be_best=("b", "a"), ties=("b",)).verdict == GUARANTEED
    assert replace(OPEN, exact=True, stop=True).verdict == EXACT
    assert replace(OPEN, lacking={"b": 3}, next=NextStep(None, None)).verdict == UNPREDICTED


def test_labels_are_asked_for_in_small_portions_and_never_more_than_are_left() -> None:
    assert OPEN.budget(0) == FIRST_LABELS
    assert OPEN.budget(60) == MORE_LABELS
    assert replace(OPEN, next=replace(OPEN.next, labels_likely=7)).budget(60) == 7
    assert replace(OPEN, next=replace(OPEN.next, left=5)).budget(60) == 5
    assert replace(OPEN, stop=True).budget(60) == 300
    assert replace(OPEN, next=replace(OPEN.next, waiting=2)).budget(60) is None
    assert replace(OPEN, exact=True).budget(60) is None


def test_a_model_without_any_prediction_is_silent() -> None:
    assert replace(OPEN, lacking={"b": 500, "c": 499}).silent == ("b",)
