import warnings
from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import vote_agreement
from adjudge.errors import AdjudgeWarning, MethodError
from adjudge.methods.peers import confusions
from adjudge.methods.peers.dawid_skene import DawidSkene
from adjudge.simulation.contract import example_pool
from tests.support.pools import pool_of, shuffled


def value_of(pool: Predictions, labels: Labels | None = None) -> FloatArray:
    return DawidSkene().rank(pool, labels or Labels.empty(pool.values.shape[1])).estimate.value


def by_the_book(values: Array, classes: int, rounds: int, truth: dict[int, int]) -> FloatArray:
    """The chances of all classes with arrays of models x classes x classes: slow, and close to the formulas."""
    said = (values[:, :, None] == np.arange(classes)).astype(float)

    def clamped(chances: FloatArray) -> FloatArray:
        chances[list(truth)] = np.eye(classes)[list(truth.values())]
        return chances

    chances = clamped(said.sum(axis=0) / said.sum(axis=(0, 2))[:, None])
    for _ in range(rounds):
        used = said.any(axis=1)[:, None, :]
        confusion = np.where(used, np.maximum(np.einsum("ic,jik->jck", chances, said), 1e-10), 0)
        confusion /= confusion.sum(axis=2, keepdims=True)
        prior = np.maximum(chances.mean(axis=0), 1e-10)
        score = np.log(prior) + np.einsum("jck,jik->ic", np.log(np.where(used, confusion, 1)), said)
        chances = np.exp(score - score.max(axis=1, keepdims=True))
        chances = clamped(chances / chances.sum(axis=1, keepdims=True))
    return chances


def inverted_crowd() -> tuple[Predictions, IntArray]:
    """Most models nearly always say one class, and the others, which do not, tell the classes apart the wrong way."""
    rng = np.random.default_rng(1)
    truth = (np.arange(71) < 31).astype(np.int64)
    idle = rng.random((45, 71)) < np.linspace(0, 0.3, 45)[:, None]
    right = rng.random((15, 71)) < rng.uniform(0.1, 0.45, size=(15, 1))
    return pool_of(np.vstack([idle, np.where(right, truth, 1 - truth)]).astype(np.int64), classes=2), truth


@pytest.mark.parametrize("rounds", [1, 4, 12])
@pytest.mark.parametrize("scores", [1 << 24, 150])  # all at once, and in parts of 50 groups
@pytest.mark.parametrize("tables", [1 << 20, 0])  # with all confusions in memory, and answer by answer
def test_the_chances_are_those_of_the_formulas(
    rounds: int, scores: int, tables: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confusions, "SCORES", scores)
    monkeypatch.setattr(confusions, "TABLES", tables)
    pool, truth = example_pool(models=4, samples=300, classes=3, seed=1)
    gaps = np.random.default_rng(2).random(pool.values.shape) < 0.15
    values = np.where(gaps, -1, pool.values)
    values[0, (values < 0).all(axis=0)] = 0  # the formulas know no sample about which nobody spoke
    labels = Labels.known(300, [3, 50, 51], truth[[3, 50, 51]])
    found = DawidSkene(rounds, tolerance=-np.inf).posterior(pool_of(values), labels)
    known = dict(zip([3, 50, 51], truth[[3, 50, 51]].tolist(), strict=True))
    assert found == pytest.approx(by_the_book(values, 3, rounds, known), abs=1e-8)


def test_the_value_is_the_mean_chance_of_what_was_said() -> None:
    pool, truth = example_pool(models=5, samples=80, classes=4, seed=3)
    labels = Labels.known(80, [0, 1], truth[:2])
    chances = DawidSkene().posterior(pool, labels)
    expected = np.take_along_axis(chances, pool.values.T, axis=1).mean(axis=0)
    assert value_of(pool, labels) == pytest.approx(expected, abs=1e-9)
    assert chances.sum(axis=1) == pytest.approx(1, abs=1e-9)
    assert chances[[0, 1], truth[:2]].tolist() == [1, 1]


def test_a_confusion_of_its_own_is_seen_through() -> None:
    """Three of five models call most of class 2 class 1: the vote follows them, Bayes' rule does not."""
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=3000)
    values = np.where(rng.random((5, 3000)) < 0.85, truth, rng.integers(3, size=(5, 3000)))
    values[:3] = np.where((values[:3] == 2) & (rng.random((3, 3000)) < 0.6), 1, values[:3])
    chances = DawidSkene().posterior(pool_of(values), Labels.empty(3000))
    vote = np.stack([(values == code).sum(axis=0) for code in range(3)]).argmax(axis=0)
    assert (chances.argmax(axis=1) == truth).mean() > (vote == truth).mean() + 0.03
    assert value_of(pool_of(values)) == pytest.approx((values == truth).mean(axis=1), abs=0.02)


def test_tied_votes_are_split() -> None:
    assert value_of(pool_of([[0, 1], [1, 0]])).tolist() == [0.5, 0.5]
    assert value_of(pool_of([[2], [1], [0]])) == pytest.approx([1 / 3] * 3)


def test_all_labels_give_the_accuracy() -> None:
    pool, truth = example_pool(models=6, samples=90, classes=3, seed=4)
    value = value_of(pool, Labels.complete(truth))
    assert value == pytest.approx((pool.values == truth).mean(axis=1))


def test_a_label_that_no_model_gave() -> None:
    value = value_of(pool_of([[0, 1, 2, 0], [0, 1, 1, 1], [0, 0, 2, 1]], classes=4), Labels.known(4, [2, 3], [3, 3]))
    assert np.isfinite(value).all()
    assert value[0] <= 0.5


def test_what_nobody_said_has_no_chances() -> None:
    pool = pool_of([[0, 1, -1, 2], [0, 1, -1, 1], [-1, -1, -1, -1]])
    chances = DawidSkene().posterior(pool, Labels.empty(4))
    assert np.isnan(chances[2]).all()
    assert np.isfinite(chances[[0, 1, 3]]).all()
    assert np.isnan(value_of(pool)).tolist() == [False, False, True]


def test_order_and_names_change_nothing() -> None:
    pool, truth = example_pool(models=15, samples=400, classes=4, seed=5)
    labels = Labels.known(400, np.arange(30), truth[:30])
    other, moved, seat = shuffled(pool, labels)
    assert value_of(other, moved) == pytest.approx(value_of(pool, labels)[seat], abs=2e-9)


def test_labels_set_right_a_solution_that_was_turned() -> None:
    pool, truth = inverted_crowd()
    accuracy = (pool.values == truth).mean(axis=1)
    with pytest.warns(AdjudgeWarning, match=r"turned the vote upside down: .* \d+ of 60 models would be worse than"):
        value = value_of(pool)
    assert np.corrcoef(value, accuracy)[0, 1] < -0.8
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value = value_of(pool, Labels.complete(truth))
    assert value == pytest.approx(accuracy)


@pytest.mark.parametrize(("constant", "below", "against"), [(4, 4, False), (6, 0, True)])
def test_a_weak_pool_is_no_alarm(constant: int, below: int, against: bool) -> None:
    """Neither many models below chance alone, nor an order that runs against the vote alone."""
    pool, truth = example_pool(models=10, samples=500, classes=4, seed=6)
    weak = replace(pool, values=np.where(np.arange(10)[:, None] < constant, 0, pool.values))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value = value_of(weak)
    assert np.count_nonzero(value < 1 / 4) == below
    assert (np.corrcoef(value, vote_agreement(weak, Labels.empty(500)))[0, 1] < 0) == against
    assert value == pytest.approx((weak.values == truth).mean(axis=1), abs=0.03)


@pytest.mark.parametrize(("models", "samples", "classes"), [(20, 300, 1000), (300, 30, 2), (1, 40, 2), (5, 50, 50_000)])
def test_any_size_gives_numbers(models: int, samples: int, classes: int) -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(classes, size=samples)
    right = rng.random((models, samples)) < np.linspace(0.3, 0.99, models)[:, None]
    values = np.where(right, truth, rng.integers(classes, size=(models, samples)))
    value = value_of(pool_of(values, classes))
    assert np.isfinite(value).all()
    assert ((value >= 0) & (value <= 1)).all()


def test_bad_options_and_numbers_are_refused() -> None:
    with pytest.raises(MethodError, match="`rounds` of dawid-skene is 0; give 1 or more"):
        DawidSkene(rounds=0)
    pool = Predictions(np.array([[0.5, 0.2]]), ("a",), range(2), None)
    with pytest.raises(MethodError, match="votes need classes"):
        DawidSkene().rank(pool, Labels.empty(2))
