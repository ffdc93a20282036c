"""Losses of probabilities, as scikit-learn has them."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss, top_k_accuracy_score

import adjudge
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import MethodError
from tests.support.pools import uniform_log

RNG = np.random.default_rng(0)


def probable_pool(classes: int, samples: int = 200) -> tuple[Predictions, np.ndarray]:
    truth = RNG.integers(0, classes, samples)
    sure = np.array([[[2.0]], [[1.0]], [[0.5]]]) * np.eye(classes)[truth] + RNG.normal(size=(3, samples, classes)) / 2
    chances = np.exp(sure) / np.exp(sure).sum(axis=2, keepdims=True)
    names = tuple(f"c{code}" for code in range(classes))
    return Predictions(chances.argmax(axis=2), tuple("abc"), range(samples), names, chances), truth.astype(float)


@pytest.mark.parametrize("classes", [2, 4])
def test_all_labels_give_the_textbook_value(classes: int) -> None:
    pool, truth = probable_pool(classes)
    codes, each = truth.astype(int), np.asarray(pool.probabilities)
    half = {} if classes == 2 else {"scale_by_half": False}
    expected = {
        "log-loss": [log_loss(codes, row, labels=range(classes)) for row in each],
        "brier": [brier_score_loss(codes, row[:, 1] if classes == 2 else row, **half) for row in each],
    }
    if classes > 2:
        expected["top-2"] = [top_k_accuracy_score(codes, row, k=2) for row in each]
    for name, value in expected.items():
        found = adjudge.rank(pool, Labels.complete(truth), metric=name)
        assert found.estimate.value == pytest.approx(value)
        assert found.best == "a"
        assert found.estimate.lower_is_better == (name != "top-2")


def test_models_that_name_the_same_class_can_be_told_apart() -> None:
    truth = np.zeros(300)
    sure = np.tile([0.9, 0.1], (300, 1))
    chances = np.array([sure, 0.7 * sure + 0.3 * 0.5])
    pool = Predictions(np.zeros((2, 300), dtype=int), ("sure", "unsure"), range(300), ("x", "y"), chances)
    log = uniform_log(truth, np.arange(300)[::5])
    found = adjudge.compare(pool, "sure", "unsure", log, metric="log-loss")
    assert found.differing == 300
    assert found.difference == pytest.approx(np.log(0.78 / 0.9))
    assert found.low < found.difference < found.high < 0
    assert adjudge.until(pool, log, "within 0.2", metric="brier").ranking is not None


def test_predictions_without_probabilities_are_refused() -> None:
    pool, truth = probable_pool(2)
    plain = Predictions(pool.values, pool.models, pool.samples, pool.classes)
    with pytest.raises(MethodError, match="log-loss needs the probabilities of each class"):
        adjudge.rank(plain, Labels.complete(truth), metric="log-loss")


@pytest.mark.filterwarnings("ignore:all models say the same")
def test_a_mistake_that_was_not_drawn_is_inside_the_interval() -> None:
    """Of models that are sure and seldom wrong, many logs of 50 labels have no mistake."""
    rng, samples, held = np.random.default_rng(3), 1000, []
    sure = rng.uniform(0.95, 0.999, (2, samples))
    chances, truth = np.stack([sure, 1 - sure], axis=2), (rng.random(samples) < 0.02).astype(float)
    pool = Predictions(np.zeros((2, samples), dtype=int), ("a", "b"), range(samples), ("x", "y"), chances)
    actual = {name: adjudge.rank(pool, Labels.complete(truth), metric=name) for name in ("log-loss", "brier")}
    for _ in range(15):
        log = uniform_log(truth, rng.permutation(samples)[:50])
        for name, exact in actual.items():
            found = adjudge.rank(pool, log, metric=name).estimate
            held.append((found.low <= exact.estimate.value) & (exact.estimate.value <= found.high))
    assert np.mean(held) > 0.9  # half of them without the guard
