import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit, softmax
from scipy.stats import norm

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import MethodError
from adjudge.methods.ability import expectation_maximization
from adjudge.methods.peers.glad import GLAD
from adjudge.simulation.contract import example_pool
from tests.support.pools import pool_of, shuffled


def value_of(pool: Predictions, labels: Labels | None = None) -> FloatArray:
    return GLAD().rank(pool, labels or Labels.empty(pool.values.shape[1])).estimate.value


def by_the_book(values: Array, classes: int, truth: dict[int, int], steps: int) -> FloatArray:
    """One round with an array of models x samples x classes: slow, and close to the formulas."""
    models, samples = values.shape
    said = values[:, :, None] == np.arange(classes)

    def chances(point: FloatArray) -> FloatArray:
        product = np.outer(point[:models], np.exp(point[models:]))[:, :, None]
        return np.asarray(np.where(said, log_expit(product), log_expit(-product) - np.log(classes - 1)))

    def expect(point: FloatArray) -> FloatArray:
        posterior = softmax(chances(point).sum(axis=0), axis=1)
        posterior[list(truth)] = np.eye(classes)[list(truth.values())]
        return np.asarray(posterior)

    start = np.ones(models + samples)
    posterior = expect(start)

    def cost(point: FloatArray) -> tuple[float, FloatArray]:
        product, ease = np.outer(point[:models], np.exp(point[models:])), np.exp(point[models:])
        residual = ((said - expit(product)[:, :, None]) * posterior).sum(axis=2)
        value = (posterior * chances(point)).sum() + norm.logpdf(point - 1).sum()
        return -value, point - 1 - np.concatenate([residual @ ease, ease * (point[:models] @ residual)])

    found = minimize(cost, start, jac=True, method="CG", tol=0.01, options={"maxiter": steps})
    return np.asarray(np.take_along_axis(expect(found.x), values.T, axis=1).mean(axis=0))


@pytest.mark.parametrize("models", [3, 9])  # with 3 models, hundreds of samples fall into a few groups
def test_one_round_is_that_of_the_formulas(models: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pool, truth = example_pool(models=models, samples=300, classes=3, seed=1)
    monkeypatch.setattr(expectation_maximization, "MAX_ROUNDS", 1)
    monkeypatch.setattr(expectation_maximization, "MAX_STEPS", 8)
    known = {4: int(truth[4]), 9: int(truth[9])}
    found = value_of(pool, Labels.known(300, list(known), list(known.values())))
    assert found == pytest.approx(by_the_book(pool.values, 3, known, steps=8), abs=1e-6)


def test_a_healthy_pool_is_ranked_well() -> None:
    pool, truth = example_pool(models=12, samples=2000, classes=5, seed=4)
    value = value_of(pool)
    assert np.abs(np.argsort(-value) - np.arange(12)[::-1]).max() <= 2
    assert value == pytest.approx((pool.values == truth).mean(axis=1), abs=0.03)


def test_order_and_names_change_nothing_at_all() -> None:
    pool, truth = example_pool(models=15, samples=400, classes=4, seed=5)
    labels = Labels.known(400, np.arange(30), truth[:30])
    other, moved, seat = shuffled(pool, labels)
    assert value_of(other, moved).tolist() == value_of(pool, labels)[seat].tolist()


def test_all_labels_give_the_accuracy() -> None:
    pool, truth = example_pool(models=6, samples=90, classes=3, seed=4)
    gaps = np.random.default_rng(2).random(pool.values.shape) < 0.2
    values = np.where(gaps, -1, pool.values)
    value = value_of(pool_of(values), Labels.complete(truth))
    assert value == pytest.approx((values == truth).sum(axis=1) / (~gaps).sum(axis=1), abs=1e-9)


def test_labels_correct_a_crowd_that_is_wrong() -> None:
    rng = np.random.default_rng(7)
    truth = rng.integers(3, size=300)
    accuracy = np.array([0.05, 0.1, 0.1, 0.15, 0.9, 0.8])
    pool = pool_of(np.where(rng.random((6, 300)) < accuracy[:, None], truth, (truth + 1) % 3))
    assert GLAD().rank(pool, Labels.empty(300)).order[0] < 4
    labels = Labels.known(300, np.arange(150), truth[:150])
    assert GLAD().rank(pool, labels).order[:2].tolist() == [4, 5]


def test_tied_votes_are_split() -> None:
    assert value_of(pool_of([[0, 1], [1, 0]], classes=2)).tolist() == [0.5, 0.5]


def test_nothing_in_dispute_leaves_the_agreement() -> None:
    ranking = GLAD().rank(pool_of([[0, 1, 2], [0, 1, -1]]), Labels.known(3, [0], [2]))
    assert ranking.estimate.quantity == "agreement"
    assert ranking.estimate.value.tolist() == pytest.approx([2 / 3, 1 / 2])
    assert GLAD().rank(pool_of([[0], [0]], classes=1), Labels.empty(1)).rank.tolist() == [1, 1]


def test_what_nobody_said_plays_no_part() -> None:
    rows = np.array([[0, 1, 2, 0], [0, 1, 1, 1], [0, 0, 2, 1]])
    silent = np.vstack([np.hstack([rows, np.full((3, 1), -1)]), np.full((1, 5), -1)])
    value = value_of(pool_of(silent), Labels.known(5, [4], [1]))
    assert value[:3] == pytest.approx(value_of(pool_of(rows)), abs=1e-6)
    assert np.isnan(value[3])


@pytest.mark.parametrize(("models", "samples", "classes"), [(200, 60, 1000), (1100, 30, 2), (7, 50, 50_000)])
def test_any_size_gives_numbers(models: int, samples: int, classes: int) -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(classes, size=samples)
    right = rng.random((models, samples)) < np.linspace(0.1, 0.99, models)[:, None]
    value = value_of(pool_of(np.where(right, truth, rng.integers(classes, size=(models, samples))), classes))
    assert ((value >= 0) & (value <= 1)).all()
    assert value[models // 2 :].mean() >= value[: models // 2].mean()


def test_numbers_are_refused() -> None:
    pool = Predictions(np.array([[0.5, 0.2]]), ("a",), range(2), None)
    with pytest.raises(MethodError, match="votes need classes"):
        GLAD().rank(pool, Labels.empty(2))
