"""What a plan says about the labels that are there, and about itself."""

import numpy as np

from adjudge.core.labels import Labels
from adjudge.decisions.needed import NONE, Needed, PairPlan, Plan, known_labels
from tests.support.pools import uniform_log

PAIR = PairPlan("a", "b", 0.1, 0.05, Needed(50, 80, 90), None, None)


def test_labels_of_unknown_origin_are_counted_and_not_used() -> None:
    drawn = uniform_log(np.zeros(20), np.arange(7))
    assert known_labels(drawn) == (7, 7)
    assert known_labels(Labels.known(20, [1, 2, 3], [0, 1, 0])) == (3, 0)
    assert known_labels(None) == (0, 0)


def test_a_plan_tells_the_likely_number() -> None:
    plan = Plan(0.02, 0.95, 0.8, 1, 1000, None, 0, 0, (PAIR,), PAIR)
    assert repr(plan) == "Plan(0.02 with 80% power: 80 samples)"
    there = PairPlan("a", "b", 0.1, 0.05, Needed(50, 80, 90), NONE, Needed(5, 8, 9))
    told = repr(Plan(0.02, 0.95, 0.8, 1, 1000, 100, 0, 0, (there,), there))
    assert told == "Plan(0.02 with 80% power: 8 of the 100 samples on which two models differ, or 80 of all 1000)"
