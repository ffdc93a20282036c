"""Answers that are merged while labels come in: predictions, labels and draws, and how often intervals hold."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels, RunHeader
from adjudge.core.normalization import Normalization
from adjudge.core.predictions import Predictions
from adjudge.core.strata import disputed
from adjudge.decisions.rank import RankOptions, rank_checked
from adjudge.errors import InputError
from adjudge.io.labels.values import as_written, parse_labels
from adjudge.io.predictions.normalize import merges_of, with_merges
from adjudge.registry import selector
from tests.support.repeated import repeated

SAMPLES, ANSWERS = 200, 60
SKILL = (0.9, 0.85, 0.8, 0.7, 0.85)


def test_labels_follow_merges_and_earlier_equivalences() -> None:
    by = Normalization(("punctuation",), {"a half": "1/2"})
    before = Predictions(np.array([[0, 2], [1, 2]]), ("a", "b"), range(2), ("1/2", "0.5", "7"), normalization=by)
    after = with_merges(before, {"1/2": "0.5"})
    parsed = parse_labels(as_written(["1/2", "a half", "1/2.", "0.5", "7"]), after)
    assert [after.text_of(each) for each in parsed.value.tolist()] == ["0.5"] * 4 + ["7"]
    assert merges_of(after) == {"1/2": "0.5"}
    assert merges_of(before) == {}
    assert merges_of(after.only(["a"])) == {"1/2": "0.5"}


def test_strata_are_those_of_the_pool_before() -> None:
    before = Predictions(np.array([[0, 2], [1, 2]]), ("a", "b"), range(2), ("1/2", "0.5", "7"))
    after = with_merges(before, {"1/2": "0.5"})
    assert disputed(after).tolist() == disputed(before).tolist() == [True, False]
    assert after.values[:, 0].tolist() == [0, 0]


def test_missing_answers_and_abstentions_stay_what_they_are() -> None:
    said = np.array([[-1, 0], [-2, 1]])
    pool = Predictions(said, ("a", "b"), range(2), ("1/2", "0.5"), abstain=("(none)",))
    assert with_merges(pool, {"1/2": "0.5"}).values.tolist() == [[-1, 0], [-3, 0]]


def test_nothing_to_merge_changes_nothing() -> None:
    pool = Predictions(np.array([[0, 1]]), ("a",), range(2), ("x", "y"), declared=True)
    assert with_merges(pool, {"z": "x"}) is pool
    with pytest.raises(InputError, match="the classes are declared"):
        with_merges(pool, {"x": "y"})


def test_probabilities_are_added() -> None:
    stated = np.array([[[0.2, 0.3, 0.5]]])
    pool = Predictions(np.array([[2]]), ("a",), range(1), ("x", "y", "z"), probabilities=stated)
    assert with_merges(pool, {"x": "y"}).probabilities.tolist() == [[[0.5, 0.5]]]  # type: ignore[union-attr]


def pool_with_units(run: int) -> tuple[Predictions, FloatArray]:
    """Models that write a unit now and then, one of them half of the time; and their accuracies without units."""
    rng = np.random.default_rng([7, run])
    right = rng.random((len(SKILL), SAMPLES)) < np.array(SKILL)[:, None]
    wrong = rng.integers(1000, 1040, right.shape)
    unit = rng.random(right.shape) < np.array([0.05, 0.05, 0.05, 0.05, 0.5])[:, None]
    numbers = np.where(right, np.arange(SAMPLES) % ANSWERS, wrong)
    said = np.where(unit, np.char.add(numbers.astype(str), " u"), numbers.astype(str))
    classes, values = np.unique(np.append(said, np.arange(ANSWERS).astype(str)), return_inverse=True)
    codes = values[: said.size].reshape(said.shape)
    return Predictions(codes, tuple("abcde"), range(SAMPLES), tuple(classes.tolist())), right.mean(axis=1)


def labeled_with_merges(pool: Predictions, budget: int, seed: int) -> tuple[Predictions, Labels]:
    """Labels as people give them, who merge a right answer with its unit when they first see both."""
    log, now, merges = Labels.empty(SAMPLES, RunHeader(models=pool.models)), pool, dict[str, str]()
    picker, said = selector("pooled").start(now, log, None, seed), list[str]()
    for _ in range(budget):
        pick = picker(log)
        assert pick is not None
        said.append(right := str(pick.sample % ANSWERS))
        given = {(now.classes or ())[code] for code in now.values[:, pick.sample]}
        if f"{right} u" in given:
            merges[f"{right} u"] = right
            now = with_merges(pool, merges)
            picker = selector("pooled").start(now, log.head(0), None, seed)
        codes = {name: code for code, name in enumerate(now.classes or ())}
        log = replace(log.add(pick, 0), value=np.array([float(codes[each]) for each in said]))
    return now, log


@pytest.mark.slow
@repeated(20, 200)
def test_intervals_hold_when_answers_are_merged_on_the_way(repeats: int) -> None:
    """They are about what people take for right, though answers to other samples are not merged yet."""
    held = []
    for run in range(repeats):
        pool, accuracy = pool_with_units(run)
        found = rank_checked(*labeled_with_merges(pool, 50, run), RankOptions()).estimate
        held.append(((found.low <= accuracy + 1e-12) & (accuracy <= found.high + 1e-12)).mean())
    error = max(np.std(held), 0.1) / np.sqrt(repeats)
    assert np.mean(held) > 0.95 - 3 * error
