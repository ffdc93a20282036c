import math
from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.arrays import Array
from adjudge.core.votes import votes
from adjudge.decisions import screening
from adjudge.decisions.screening import screen
from adjudge.decisions.vote_of_others import vote_of_others, vote_without_a_backer
from adjudge.io import read, read_truth
from adjudge.reports.pool import sentences
from tests.support.pools import Task
from tests.support.screened import crowd, patient, pool, pools

NAN = float("nan")


def score(said: Array, voted: Array) -> float:
    counts = (np.bincount(codes, minlength=1 + max(said.max(), voted.max())) for codes in (said, voted))
    return screening._errors_above_chance(int(np.count_nonzero(said == voted)), *counts)


@patient
@given(pools)
def test_counts_and_shares(values: Array) -> None:
    found = screen(pool(values, classes=3))
    assert found.samples == values.shape[1]
    assert found.missing.tolist() == (values < 0).sum(axis=1).tolist()
    assert found.without_predictions == tuple(f"m{i}" for i, row in enumerate(values) if (row < 0).all())
    spoken = [column[column >= 0] for column in values.T if (column >= 0).any()]
    shares = [
        np.mean([a == b for i, a in enumerate(said) for j, b in enumerate(said) if i != j])
        for said in spoken
        if len(said) > 1
    ]
    speaking = values[(values >= 0).any(axis=1)]
    by_all = [column for column in speaking.T if len(column) and (column >= 0).all()]
    unanimous = np.mean([len(set(said.tolist())) == 1 for said in by_all]) if by_all else NAN
    assert found.complete == len(by_all)
    assert found.unanimous == pytest.approx(unanimous, nan_ok=True)
    assert found.agreement == pytest.approx(np.mean(shares) if shares else NAN, nan_ok=True)


@patient
@given(pools)
def test_constant_and_duplicate_models(values: Array) -> None:
    found = screen(pool(values, classes=3))
    said = {f"m{i}": row[row >= 0].tolist() for i, row in enumerate(values)}
    constant = {m: f"class {codes[0]}" for m, codes in said.items() if len(codes) > 1 == len(set(codes))}
    assert found.constant == constant
    rows = Counter(tuple(row) for row in values.tolist() if max(row) >= 0)
    assert sorted(len(group) for group in found.duplicates) == sorted(n for n in rows.values() if n > 1)
    for group in found.duplicates:
        assert len({tuple(values[int(name[1:])]) for name in group}) == 1
    assert not set(found.constant) & set(found.below_chance)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=5))
def test_standard_error_is_that_of_all_pairings(pairs: list[tuple[int, int]]) -> None:
    said, voted = np.array(pairs).T
    matches = [np.count_nonzero(said == np.array(order)) for order in permutations(voted)]
    spread = np.std(matches)
    found = score(said, voted)
    if spread == 0:
        assert found == 0.0
    else:
        expected = (np.count_nonzero(said == voted) - np.mean(matches)) / spread
        assert found == pytest.approx(expected, abs=1e-9)


@patient
@given(st.integers(2, 6), st.integers(0, 100))
def test_names_of_classes_and_order_of_samples_change_nothing(classes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = crowd(rng, rng.uniform(0.0, 1.0, 6), samples=80, classes=classes)
    renamed = rng.permutation(classes)[values][:, rng.permutation(80)]
    first, second = screen(pool(values, classes)), screen(pool(renamed, classes))
    assert first.below_chance == second.below_chance
    assert first.inverted == second.inverted


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_swapped_classes_are_found(classes: int) -> None:
    rng = np.random.default_rng(classes)
    values = crowd(rng, np.full(8, 0.8), samples=500, classes=classes)
    values[3] = (values[3] + 1) % classes
    found = screen(pool(values, classes))
    assert found.below_chance == found.inverted == ("m3",)


def test_a_model_that_is_only_wrong_is_not_inverted() -> None:
    rng = np.random.default_rng(0)
    accuracy = np.array([0.9, 0.85, 0.8, 0.9, 0.0])
    found = screen(pool(crowd(rng, accuracy, samples=1000, classes=10), classes=10))
    assert found.below_chance == ("m4",)
    assert found.inverted == ()


def test_too_many_classes_to_swap_are_not_tabled(monkeypatch: pytest.MonkeyPatch) -> None:
    values = crowd(np.random.default_rng(0), np.full(8, 0.9), samples=500, classes=4)
    values[0] = (values[0] + 1) % 4
    assert screen(pool(values, 4)).inverted == ("m0",)
    monkeypatch.setattr(screening, "RELABELED", 3)
    found = screen(pool(values, 4))
    assert found.below_chance == ("m0",)
    assert found.inverted == ()


def test_rare_classes_are_not_mistaken_for_contradiction() -> None:
    """A model that says the rare class too often agrees less than half the time, but not by contradiction."""
    rng = np.random.default_rng(0)
    truth = (rng.random(2000) < 0.1).astype(np.int8)
    wrong = rng.random((6, 2000)) < 0.05
    values = np.where(wrong, 1 - truth, truth).astype(np.int8)
    values[0] = np.where(rng.random(2000) < 0.7, 1, truth)
    assert (values[0] == truth).mean() < 0.5
    assert screen(pool(values)).below_chance == ()


def test_a_crowd_without_agreement_accuses_nobody() -> None:
    """One good model among others a little below chance: the vote of the others is wrong."""
    accuracy = np.array([0.41, 0.81, 0.44, 0.42, 0.45])
    values = crowd(np.random.default_rng(0), accuracy, samples=20_000, classes=2)
    predictions = pool(values)
    left = vote_without_a_backer(predictions, votes(predictions))
    vote = vote_of_others(values[1], votes(predictions).majority, votes(predictions).tied, left)
    assert score(values[1][vote >= 0].astype(np.int64), vote[vote >= 0].astype(np.int64)) < -5
    assert screen(predictions).below_chance == ()


@pytest.mark.parametrize("classes", [2, 3, 10])
@pytest.mark.parametrize("models", [5, 30, 100])
def test_models_above_chance_are_left_alone(classes: int, models: int) -> None:
    """No false alarm in 99% of pools: at most 4 of 100, which a rate of 1% passes in 99.7% of runs."""
    rng = np.random.default_rng([classes, models])
    alarms = 0
    for _ in range(100):
        accuracy = rng.uniform(0.4, 0.95, models)
        found = screen(pool(crowd(rng, accuracy, 400, classes), classes))
        alarms += any(accuracy[int(name[1:])] > 1 / classes for name in found.below_chance)
    assert alarms <= 4


def test_alarms_are_shared_between_the_models_of_a_pool() -> None:
    """45 models that guess: 3 standard errors would name one of them in 6% of pools, 1% is promised."""
    rng = np.random.default_rng(0)
    accuracy = np.repeat([0.9, 0.5], [55, 45])
    alarms = [bool(screen(pool(crowd(rng, accuracy, samples=300, classes=2))).below_chance) for _ in range(300)]
    assert sum(alarms) <= 6


def test_guesses_seldom_score_below_chance() -> None:
    """The share of guessing models beyond 3 standard errors is about the 1 in 741 of a normal tail."""
    rng = np.random.default_rng(0)
    scores = [score(*rng.integers(5, size=(2, 300))) for _ in range(20_000)]
    assert np.std(scores) == pytest.approx(1, abs=0.02)
    assert np.mean(np.array(scores) < -3) < 2 / 741


def test_regression_has_no_votes() -> None:
    values = [[0.5, 0.5, NAN], [0.1, 0.2, NAN], [0.1, 0.2, NAN], [-0.0, NAN, 1], [0.0, NAN, 1], [0.1, 0.2, 3.5]]
    found = screen(pool(values, classes=None))
    assert found.constant == {"m0": 0.5}
    assert found.duplicates == (("m1", "m2"), ("m3", "m4"))
    assert found.missing.tolist() == [1, 1, 1, 1, 1, 0]
    assert math.isnan(found.unanimous)
    assert math.isnan(found.agreement)
    assert found.below_chance == found.inverted == ()
    assert sentences(found) == [
        "5 models lack 33.3% of their predictions: 'm0', 'm1', 'm2', 'm3', 'm4'.",
        "1 model always says the same: 'm0' says 0.5.",
        "Some models made exactly the same predictions and will always tie: 'm1' = 'm2'; 'm3' = 'm4'.",
    ]


def test_equal_hashes_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screening, "hash", lambda row: 0, raising=False)
    assert screen(pool([[0, 1], [1, 0], [0, 1]])).duplicates == (("m0", "m2"),)


def test_probabilities_are_noticed() -> None:
    values = np.array([[0, 1], [0, 0]])
    assert not screen(pool(values)).probabilities
    assert screen(pool(values, probabilities=np.full((2, 2, 2), 0.5))).probabilities


def test_facts_are_locked() -> None:
    with pytest.raises(ValueError, match="read-only"):
        screen(pool([[0, 1]])).missing[0] = 7


def test_cola_has_constant_duplicate_and_inverted_models(task: Task) -> None:
    path = task("glue_cola")
    predictions, labels = read_truth(path, read(path))
    facts = screen(predictions)
    assert Counter(facts.constant.values()) == {"acceptable": 9, "unacceptable": 1}
    assert sorted(map(len, facts.duplicates)) == [2, 2, 3, 9]
    accuracy = dict(zip(predictions.models, (predictions.values == labels).mean(axis=1), strict=True))
    assert facts.inverted == (min(accuracy, key=lambda name: accuracy[name]),)
    assert facts.inverted == facts.below_chance


@pytest.mark.parametrize("name", ["fashion_zoo25", "fashion_zoo25_brightness5", "pacs", "domain_drift"])
def test_healthy_and_shifted_models_are_left_alone(task: Task, name: str) -> None:
    facts = screen(read(task(name)))
    assert not facts.constant
    assert not facts.duplicates
    assert facts.below_chance == ()


@pytest.mark.parametrize(("name", "share"), [("fashion_zoo25", 0.677), ("pacs", 0.474)])
def test_share_of_unanimous_samples(task: Task, name: str, share: float) -> None:
    assert screen(read(task(name))).unanimous == pytest.approx(share, abs=0.0005)
