from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import entropy

from adjudge import registry
from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.errors import MethodError
from adjudge.methods.peers.model_selector import GRID, ModelSelector, expected_entropy, tuned
from adjudge.simulation import contract as checks
from adjudge.simulation.contract import example_pool


def plain_entropy(values: IntArray, right: IntArray, odds: float, classes: int) -> FloatArray:
    """The definition: update the posterior for every class that a label could be, and take the entropy."""
    posterior = odds ** right.astype(float)
    after = np.stack([posterior[:, None] * odds ** (values == code) for code in range(classes)])
    return np.asarray(entropy(after, axis=1).mean(axis=0))


def test_the_closed_form_is_the_definition() -> None:
    pool, _ = example_pool(models=9, samples=200, classes=4, seed=3)
    values = np.where(np.random.default_rng(0).random(pool.values.shape) < 0.1, -1, pool.values)
    right = np.arange(9) ** 2
    for odds in (1.0, 1.2, 3.0):
        found = expected_entropy(np.ascontiguousarray(values.T), np.arange(200), right, odds, 4)
        assert found == pytest.approx(plain_entropy(values, right, odds, 4), abs=1e-12)


def test_each_step_takes_the_lowest_expected_entropy() -> None:
    pool, truth = example_pool(models=6, samples=50, classes=3, seed=4)
    picker, labels = ModelSelector(epsilon=0.3).start(pool, Labels.empty(50), None, 0), Labels.empty(50)
    for _ in range(12):
        pick = picker(labels)
        assert pick is not None
        right = (pool.values[:, labels.sample] == truth[labels.sample]).sum(axis=1)
        score = plain_entropy(np.asarray(pool.values), right, 7 / 3, 3)
        disputed = (pool.values != pool.values[0]).any(axis=0)
        disputed[labels.sample] = False
        assert score[pick.sample] == pytest.approx(score[disputed].min(), abs=1e-9)
        labels = labels.add(pick, int(truth[pick.sample]))


def test_at_one_half_all_disputed_samples_are_equal() -> None:
    values = np.tile(np.array([[0, 0], [0, 1]]), (1, 20))  # every other sample is in dispute
    pool = Predictions(values, ("a", "b"), range(40), ("x", "y"))
    first = [
        ModelSelector(epsilon=0.5).start(pool, Labels.empty(40), None, seed)(Labels.empty(40)) for seed in range(60)
    ]
    assert {pick.sample % 2 for pick in first if pick} == {1}
    assert len({pick.sample for pick in first if pick}) > 15


def test_pending_and_skipped_rows_tell_nothing() -> None:
    pool, _ = example_pool()
    picker = ModelSelector().start(pool, Labels.empty(40), None, 1)
    pending = Labels.empty(40).hand_out(Pick(5))
    skipped = replace(pending, answered=np.array([True]))
    assert picker(pending) == picker(skipped)


@pytest.mark.slow
def test_epsilon_is_tuned_without_labels() -> None:
    pool, _ = example_pool(models=6, samples=80, classes=3, seed=1)
    assert tuned(pool) in GRID
    assert tuned(pool) == tuned(replace(pool))  # not remembered, but found again
    auto, same = (ModelSelector(epsilon=each).start(pool, Labels.empty(80), None, 2) for each in ("auto", tuned(pool)))
    log = Labels.empty(80).add(Pick(3), 1)
    assert auto(log) == same(log)


@pytest.mark.slow
def test_tuned_is_a_selector_like_any_other() -> None:
    checks.check_selector(lambda: ModelSelector(epsilon="auto"))


def test_options_as_text() -> None:
    assert registry.selector("model-selector", {"epsilon": "auto"}) == ModelSelector(epsilon="auto")
    assert registry.selector("model-selector", {"epsilon": "0.39"}) == ModelSelector(epsilon=0.39)
    for wrong in ("often", "0.6", "0"):
        with pytest.raises(MethodError, match=r"above 0 and up to 0.5, or 'auto'"):
            registry.selector("model-selector", {"epsilon": wrong})
