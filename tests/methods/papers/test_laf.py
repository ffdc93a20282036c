from typing import Literal

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logsumexp
from scipy.stats import norm

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import MethodError
from adjudge.methods.ability import expectation_maximization
from adjudge.methods.papers.laf import LaF
from adjudge.simulation.contract import check_ranker, example_pool
from tests.support.pools import pool_of, shuffled

Variant = Literal["code", "paper"]
VARIANTS: tuple[Variant, ...] = ("code", "paper")


def specialty(pool: Predictions, labels: Labels | None = None, variant: Variant = "code") -> FloatArray:
    return LaF(variant).rank(pool, labels or Labels.empty(pool.values.shape[1])).estimate.value


def by_the_book(values: Array, classes: int, steps: int) -> FloatArray:
    """One round of the authors' method with an array of models x samples x classes: slow, and close to the formulas."""
    values = values[:, (values != values[0]).any(axis=0)]
    models = len(values)
    said = values[:, :, None] == np.arange(classes)
    vote = said.sum(axis=0).argmax(axis=1)
    start = np.concatenate([(values == vote).mean(axis=1), (values == vote).mean(axis=0)])

    def chances(point: FloatArray) -> FloatArray:
        product = np.outer(point[:models], np.exp(point[models:]))[:, :, None]
        return np.asarray(np.where(said, log_expit(product), log_expit(-product) - np.log(classes - 1)))

    score = chances(start).sum(axis=0)
    posterior = np.exp(score - logsumexp(score, axis=1, keepdims=True))

    def cost(point: FloatArray) -> tuple[float, FloatArray]:
        product, ease = np.outer(point[:models], np.exp(point[models:])), np.exp(point[models:])
        residual = ((said - expit(product)[:, :, None]) * posterior).sum(axis=2)
        value = (posterior * chances(point)).sum() + norm.logpdf(point - start).sum() - np.log(classes) * len(vote)
        slope = np.concatenate([residual @ ease, ease * (point[:models] @ residual)]) - (point - start)
        return -value, -slope

    found = minimize(cost, start, jac=True, method="CG", tol=0.01, options={"maxiter": steps})
    return np.asarray(found.x)


@pytest.mark.parametrize("models", [3, 9])  # with 3 models, hundreds of samples fall into four groups
def test_one_round_is_that_of_the_formulas(models: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pool, _ = example_pool(models=models, samples=300, classes=3, seed=1)
    monkeypatch.setattr(expectation_maximization, "MAX_ROUNDS", 1)
    monkeypatch.setattr(expectation_maximization, "MAX_STEPS", 8)
    found, expected = LaF(lowest_code=True), by_the_book(pool.values, 3, steps=8)
    assert found.rank(pool, Labels.empty(300)).estimate.value == pytest.approx(expected[:models], abs=1e-6)
    difficulty = found.difficulty(pool)
    assert np.isnan(difficulty).tolist() == (pool.values == pool.values[0]).all(axis=0).tolist()
    assert difficulty[~np.isnan(difficulty)] == pytest.approx(-expected[models:], abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_contract_holds(variant: Variant) -> None:
    check_ranker(lambda: LaF(variant))


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_healthy_pool_is_ranked_well(variant: Variant) -> None:
    pool, _ = example_pool(models=12, samples=2000, classes=5, seed=4)
    order = LaF(variant).rank(pool, Labels.empty(2000)).order
    assert np.abs(order - np.arange(12)[::-1]).max() <= 2


@pytest.mark.parametrize("variant", VARIANTS)
def test_order_and_names_change_nothing_at_all(variant: Variant) -> None:
    pool, truth = example_pool(models=15, samples=400, classes=4, seed=5)
    labels = Labels.known(400, np.arange(30), truth[:30])
    other, moved, seat = shuffled(pool, labels)
    # 25 steps multiply a rounding error by up to 10^13, so that anything but equality would show
    assert specialty(other, moved, variant).tolist() == specialty(pool, labels, variant)[seat].tolist()


def test_nothing_in_dispute_leaves_the_agreement() -> None:
    labels = Labels.known(3, [0], [2])
    ranking = LaF().rank(pool_of([[0, 1, 2], [0, 1, -1]]), labels)
    assert ranking.estimate.quantity == "agreement"
    assert ranking.estimate.value.tolist() == pytest.approx([2 / 3, 1 / 2])
    assert LaF().rank(pool_of([[0, 1, 2]], classes=3), Labels.empty(3)).rank.tolist() == [1]
    assert LaF().rank(pool_of([[0], [0]], classes=1), Labels.empty(1)).rank.tolist() == [1, 1]


def test_one_disputed_sample() -> None:
    assert LaF().rank(pool_of([[0], [0], [1]]), Labels.empty(1)).rank.tolist() == [1, 1, 3]
    assert LaF().rank(pool_of([[0], [0], [1]]), Labels.known(1, [0], [1])).rank.tolist() == [2, 2, 1]


def test_a_silent_model_has_no_specialty() -> None:
    value = specialty(pool_of([[0, 1, 2, 0], [0, 1, 1, 1], [0, 0, 2, 1], [-1, -1, -1, -1]]))
    assert np.isfinite(value[:3]).all()
    assert np.isnan(value[3])


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_missing_prediction_contributes_nothing(variant: Variant, monkeypatch: pytest.MonkeyPatch) -> None:
    # a further row is an earlier or later term of sums over models; later rounds show its rounding
    monkeypatch.setattr(expectation_maximization, "MAX_ROUNDS", 1)
    monkeypatch.setattr(expectation_maximization, "MAX_STEPS", 8)
    pool, _ = example_pool(models=6, samples=150, classes=3, seed=6)
    silent = pool_of(np.vstack([pool.values, np.full(150, -1)]))
    assert specialty(silent, variant=variant)[:6] == pytest.approx(specialty(pool, variant=variant), abs=1e-6)


@pytest.mark.parametrize("variant", VARIANTS)
def test_labels_correct_a_crowd_that_is_wrong(variant: Variant) -> None:
    rng = np.random.default_rng(7)
    truth = rng.integers(3, size=300)
    lie = (truth + 1) % 3
    accuracy = np.array([0.05, 0.1, 0.1, 0.15, 0.9, 0.8])
    pool = pool_of(np.where(rng.random((6, 300)) < accuracy[:, None], truth, lie))
    assert LaF(variant).rank(pool, Labels.empty(300)).order[0] < 4
    labels = Labels.complete(truth)
    assert LaF(variant).rank(pool, labels).order[:2].tolist() == [4, 5]


def test_a_label_that_no_model_gave() -> None:
    rows = [[0, 1, 2, 0], [0, 1, 1, 1], [0, 0, 2, 1]]
    value = specialty(pool_of(rows, classes=4), Labels.known(4, [2, 3], [3, 3]))
    assert np.isfinite(value).all()
    assert value[0] < specialty(pool_of(rows, classes=4))[0]


@pytest.mark.parametrize(
    ("models", "samples", "classes"), [(200, 60, 1000), (1100, 30, 2), (2, 40, 2), (7, 50, 50_000)]
)
@pytest.mark.parametrize("variant", VARIANTS)
def test_any_size_gives_numbers(models: int, samples: int, classes: int, variant: Variant) -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(classes, size=samples)
    right = rng.random((models, samples)) < np.linspace(0.1, 0.99, models)[:, None]
    values = np.where(right, truth, rng.integers(classes, size=(models, samples)))
    value = specialty(pool_of(values, classes), variant=variant)
    assert np.isfinite(value).all()
    assert value[models // 2 :].mean() >= value[: models // 2].mean()


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(MethodError, match="LaF has no variant 'text'; use 'code' or 'paper'"):
        LaF("text")  # type: ignore[arg-type]


@pytest.mark.parametrize("variant", VARIANTS)
def test_hard_samples_have_a_high_difficulty(variant: Variant) -> None:
    rng = np.random.default_rng(3)
    truth, hard = rng.integers(4, size=400), np.arange(400) % 4 == 0
    chance = np.where(hard, 0.4, np.linspace(0.75, 0.95, 10)[:, None])
    pool = pool_of(np.where(rng.random((10, 400)) < chance, truth, rng.integers(4, size=(10, 400))), 4)
    difficulty = LaF(variant).difficulty(pool)
    assert np.nanmean(difficulty[hard]) > np.nanmean(difficulty[~hard]) + 0.1


def test_where_nothing_is_in_dispute_no_difficulty_is_known() -> None:
    assert np.isnan(LaF().difficulty(pool_of([[0, 1, -1], [0, 1, -1]]))).all()


def test_order_and_names_do_not_change_the_difficulty() -> None:
    pool, truth = example_pool(models=9, samples=200, classes=4, seed=5)
    labels = Labels.known(200, np.arange(200), truth)
    other, moved, _ = shuffled(pool, labels)
    here, there = LaF().difficulty(pool, labels), LaF().difficulty(other, moved)
    assert sorted(np.nan_to_num(here, nan=99)) == sorted(np.nan_to_num(there, nan=99))
