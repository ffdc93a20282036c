"""What a method sees while many samples are in hands; what it does not see leaves its draws as they should be."""

from collections.abc import Callable, Iterator
from itertools import count

import numpy as np
import pytest

from adjudge.core.arrays import IntArray
from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Picker, draw_weighted, hand_out
from adjudge.decisions.rank import RankOptions, rank_checked
from adjudge.labeling.session import view
from adjudge.labeling.session.view import View
from adjudge.losses.loss import ZeroOne
from adjudge.methods.baselines.drawn import drawn_error
from adjudge.registry import selector
from adjudge.simulation.contract import example_pool

POOL, TRUTH = example_pool(models=5, samples=60, classes=3, seed=1)


class Recorded:
    """A picker that remembers how many labels and how many pending rows it was shown."""

    def __init__(self, picker: Picker) -> None:
        self.picker, self.shown = picker, list[tuple[int, int]]()

    def __call__(self, labels: Labels) -> Pick | None:
        self.shown.append((labels.labeled, int((~labels.answered).sum())))
        return self.picker(labels)


def started(seed: int = 0, pool: Predictions = POOL) -> Recorded:
    return Recorded(selector("pooled").start(pool, Labels.empty(len(pool.samples)), None, seed))


def answered(labels: Labels, rows: list[int], truth: IntArray = TRUTH) -> Labels:
    """With the right answer to these rows."""
    value, known = labels.value.copy(), labels.answered.copy()
    value[rows], known[rows] = truth[labels.sample[rows]], True
    return Labels(**(vars(labels) | {"value": value, "answered": known}))


def with_picks(labels: Labels, picks: list[Pick]) -> Labels:
    for pick in picks:
        labels = labels.hand_out(pick)
    return labels


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "IN_VIEW", 2)


def test_with_few_in_hand_the_method_sees_the_log_as_it_is() -> None:
    seen, plain = View(lambda: 0.0), Labels.empty(len(TRUTH))
    labels = plain
    for _ in range(3):
        labels = with_picks(labels, seen.picks(started(), labels, 3))
        plain = hand_out(started(), plain, 3)
        assert np.array_equal(labels.sample, plain.sample)
        labels, plain = (answered(each, [len(each) - 1]) for each in (labels, plain))


@pytest.mark.usefixtures("narrow")
def test_with_many_in_hand_it_sees_a_few_of_them_and_news_only_after_a_rest() -> None:
    now = iter(range(1000))  # each look at the clock takes a second
    seen, picker = View(lambda: float(next(now))), started()
    labels = with_picks(Labels.empty(len(TRUTH)), seen.picks(picker, Labels.empty(len(TRUTH)), 6))
    assert [pending for _, pending in picker.shown] == [0, 1, 2, 2, 2, 2]
    labels = answered(labels, [0, 5])
    picker.shown.clear()
    labels = with_picks(labels, seen.picks(picker, labels, 2))
    assert picker.shown == [(0, 2), (0, 2)]  # it has learned a moment ago
    while not any(count for count, _ in picker.shown):
        picker.shown.clear()
        labels = with_picks(labels, seen.picks(picker, labels, 1))
    assert picker.shown == [(2, 2)]
    assert len(labels) < len(TRUTH) / 2


@pytest.mark.usefixtures("narrow")
def test_rows_of_other_processes_are_never_picked_again() -> None:
    seen, picker = View(lambda: 0.0), started()
    labels = with_picks(Labels.empty(len(TRUTH)), seen.picks(picker, Labels.empty(len(TRUTH)), 5))
    theirs = hand_out(started(seed=7), labels, 3)
    added = with_picks(theirs, seen.picks(picker, theirs, 5))  # what was picked twice could not be added
    instead = hand_out(started(seed=8), labels.head(3), 4)  # another process was quicker than our last two
    assert len(with_picks(instead, seen.picks(picker, instead, 5))) == 12
    assert len(added) == 13


def following(seed: int, pool: Predictions) -> Picker:
    """Draws that depend heavily on labels: of samples on which two models differ while one class leads, else others."""
    differ = pool.values[0] != pool.values[1]

    def pick(labels: Labels) -> Pick | None:
        seen = labels.value[labels.usable].astype(np.int64)
        frequent = np.bincount(seen).argmax() if len(seen) else 0
        return draw_weighted(labels, np.where(differ == (frequent == 1), 1.0, 0.1), 0.2, seed)

    return pick


def team(picker: Picker, seed: int, rows: int, pool: Predictions, truth: IntArray) -> Iterator[Labels]:
    """The log of six people, of whom those who have a sample of the first class take longest."""
    now, rng, labels = count(), np.random.default_rng(seed), Labels.empty(len(truth))
    seen = View(lambda: float(next(now)))  # each look at the clock takes a second
    while len(labels) < rows or not labels.answered.all():
        labels = with_picks(labels, seen.picks(picker, labels, min(3, rows - len(labels))))
        waiting = np.flatnonzero(~labels.answered)
        slow = (truth[labels.sample[waiting]] == 0) & (rng.random(len(waiting)) < 0.8)
        ready = waiting[~slow] if len(labels) < rows else waiting
        labels = answered(labels, [int(row) for row in ready[: max(3, len(waiting) - 6)]], truth)
        yield labels


def worst_bias(runs: int, start: Callable[[int, Predictions], Picker]) -> float:
    """Of the mean that the draws give for each model, in standard errors."""
    pool, truth = example_pool()
    found = np.empty((runs, len(pool.models)))
    for seed in range(runs):
        *_, labels = team(start(seed, pool), seed, 12, pool, truth)
        found[seed] = drawn_error(pool, labels, ZeroOne())
    error = found.std(axis=0, ddof=1) / np.sqrt(runs)
    return float(np.max(np.abs(found.mean(axis=0) - (pool.values != truth).mean(axis=1)) / error))


@pytest.mark.usefixtures("narrow")
def test_draws_are_unbiased_whatever_the_method_did_not_see() -> None:
    assert worst_bias(600, following) < 4


@pytest.mark.honesty
@pytest.mark.usefixtures("narrow")
def test_draws_of_the_default_method_are_unbiased_whatever_it_did_not_see() -> None:
    assert worst_bias(600, lambda seed, pool: started(seed, pool).picker) < 4


@pytest.mark.honesty
@pytest.mark.usefixtures("narrow")
def test_intervals_of_such_a_team_hold_as_often_as_they_say() -> None:
    accuracy, covered = (POOL.values == TRUTH).mean(axis=1), []
    for seed in range(200):
        *_, labels = team(started(seed).picker, seed, 30, POOL, TRUTH)
        found = rank_checked(POOL, labels, RankOptions()).estimate
        covered.append(np.mean((found.low <= accuracy + 1e-9) & (accuracy <= found.high + 1e-9)))
    assert np.mean(covered) > 0.95 - 3 * np.std(covered) / np.sqrt(len(covered))


@pytest.mark.honesty
@pytest.mark.usefixtures("narrow")
def test_the_best_model_stays_in_its_set_at_every_look_of_such_a_team() -> None:
    right, runs, broken = (POOL.values == TRUTH).sum(axis=1), 300, 0
    for seed in range(runs):
        for labels in team(started(seed).picker, seed, 36, POOL, TRUTH):
            settled = labels.settled()
            found = rank_checked(POOL, settled, RankOptions()).guaranteed if settled.labeled >= 4 else None
            if found is not None and not found.may_be_best[right == right.max()].all():
                broken += 1
                break
    assert broken <= 0.05 * runs + 3 * np.sqrt(0.05 * 0.95 * runs)
