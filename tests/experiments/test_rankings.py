"""Runs of methods, and which of several is kept."""

import numpy as np
import pytest

from adjudge.core.arrays import ranks_by_value
from adjudge.experiments.curves import average_panels
from adjudge.experiments.jobs import Job, Outcome
from adjudge.experiments.rankings import best_guide, better_of, rankings_of
from tests.support.method_runs import runs


def test_a_ranking_that_was_not_there_counts_as_missing_not_as_zero() -> None:
    assert runs([[0.5, np.nan], [0.5, 0.5]]).at(20) is None
    assert runs([[0.5, np.nan], [0.5, 0.5]]).at(30) is None


RIGHT, FAIR, WRONG = [0.4, 0.3, 0.2, 0.1], [0.4, 0.2, 0.3, 0.1], [0.1, 0.2, 0.3, 0.4]


def outcome(values: list[list[list[float]]], name: str = "CES", model: str | None = None) -> Outcome:
    """Four models, the first the best; by repetition and budget."""
    job = Job("t", "", name, "ces", tuple(range(10, 10 + len(values[0]))), len(values), model=model)
    return Outcome(job, ("a", "b", "c", "d"), np.array(RIGHT), np.array(values), ranks_by_value(np.array(values)), 1.0)


def test_one_guide_is_kept_for_all_budgets_the_best_by_its_mean() -> None:
    """In the first repetition the second guide, though the first is perfect once; in the second the other way."""
    first = outcome([[RIGHT, WRONG], [RIGHT, RIGHT]], model="a")
    second = outcome([[FAIR, FAIR], [FAIR, WRONG]], model="b")
    best = best_guide([first, second])
    assert best is not None
    assert best.values.tolist() == [[FAIR, FAIR], [RIGHT, RIGHT]]
    assert best.job.model is None
    assert best.seconds == 2.0
    assert best_guide([first]) is first
    assert best_guide([]) is None


def test_of_two_forms_one_is_kept_for_all_repetitions() -> None:
    """The second is the better one in the second repetition only, but there by more."""
    first = outcome([[RIGHT, RIGHT], [WRONG, WRONG]], "max")
    second = outcome([[FAIR, RIGHT], [FAIR, RIGHT]], "min")
    better = better_of([first, second])
    assert better.values.tolist() == second.values.tolist()
    assert (better.job.name, better.seconds) == ("min", 2.0)
    assert better_of([second, second]).job.name == "min"


def test_the_top_k_of_k_models_is_not_measured() -> None:
    found = {("t", "CES"): outcome([[RIGHT]]), ("t", "other"): outcome([[FAIR]])}
    assert rankings_of(found, ["CES"], "spearman")["t", "CES"].values.tolist() == [[1.0]]
    assert set(rankings_of(found, ["CES"], "jaccard_3")) == {("t", "CES")}
    assert rankings_of(found, ["CES", "other"], "jaccard_4") == {}


def test_averages_are_never_over_different_tasks() -> None:
    rankings = {
        ("t", "a"): runs([[0.2, 0.4]]),
        ("t", "b"): runs([[0.6, 0.8]]),
        ("u", "a"): runs([[0.4, 0.8]]),
        ("short", "a"): runs([[0.0]], (10,)),
        ("short", "b"): runs([[0.0]], (10,)),
    }
    both, common = average_panels("S", rankings, ("a", "b"))
    assert (both.title, [line.label for line in both.lines]) == ("S, 1 task", ["a", "b"])
    assert (common.title, [line.label for line in common.lines]) == ("S, mean of 2 tasks", ["a"])
    assert common.lines[0].y == pytest.approx([0.3, 0.6])
    assert len(average_panels("S", rankings, ("a",))) == 1
    assert average_panels("S", {}, ("a",)) == []
