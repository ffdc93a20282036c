"""Which models fail together: exact with all labels, unbiased by weights, honest with few."""

import numpy as np
import pytest

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.strata import disputed
from adjudge.decisions.shared_errors import AGREEMENT, CORRELATION, OVERLAP, shared_errors
from adjudge.registry import selector
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from tests.support.repeated import repeated

EVERY = np.arange(4)


def clones(samples: int = 800) -> tuple[Predictions, IntArray]:
    """Two models that fail on the same samples, and two that fail by themselves."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, samples)
    hard = rng.random(samples) < 0.3
    wrong = np.stack([hard, hard ^ (rng.random(samples) < 0.05), *(rng.random((2, samples)) < 0.3)])
    values = np.where(wrong, (truth + rng.integers(1, 3, (4, samples))) % 3, truth)
    return Predictions(values, tuple("abcd"), range(samples), ("x", "y", "z")), truth


def true_overlap(pool: Predictions, truth: FloatArray | IntArray) -> FloatArray:
    wrong = (pool.values != truth)[:, disputed(pool)]
    both = (wrong[:, None] & wrong).sum(axis=2)
    return np.asarray(both / (wrong[:, None] | wrong).sum(axis=2))


def test_with_all_labels_it_is_exact() -> None:
    pool, truth = clones()
    found = shared_errors(pool, Labels.known(800, list(range(800)), truth * 1.0), EVERY)
    assert found is not None
    assert (found.measure, found.labels) == (OVERLAP, int(disputed(pool).sum()))
    assert found.share == pytest.approx(true_overlap(pool, truth))
    assert found.share[0, 1] > 0.6
    assert found.share[0, 2] < 0.4


@repeated(12, 30)
@pytest.mark.parametrize("method", ["random", "pooled"])
def test_weights_make_it_true_on_average(method: str, repeats: int) -> None:
    pool, truth = clones()
    runs = []
    for seed in range(repeats):
        found = shared_errors(pool, bought(selector(method), pool, truth * 1.0, 200, seed=seed), EVERY)
        assert found is not None
        assert found.measure == OVERLAP
        runs.append(found.share)
    error = np.mean(runs, axis=0) - true_overlap(pool, truth)
    band = 4 * np.std(runs, axis=0) / np.sqrt(len(runs))
    assert (np.abs(error) <= band + 0.02).all()  # the ratio of two estimates has a small bias


def test_a_few_labels_are_not_enough_and_agreement_stands_in() -> None:
    pool, truth = clones()
    found = shared_errors(pool, bought(selector("random"), pool, truth * 1.0, 10, seed=0), EVERY)
    assert found is not None
    assert (found.measure, found.labels) == (AGREEMENT, 0)
    some = pool.values[:, disputed(pool)]
    assert found.share[0, 3] == pytest.approx((some[0] == some[3]).mean())
    given = shared_errors(pool, Labels.known(800, list(range(100)), truth[:100] * 1.0), EVERY)
    assert given is not None
    assert given.measure == AGREEMENT  # how these were chosen is not known


def test_where_a_prediction_is_missing_the_sample_does_not_count() -> None:
    pool, truth = clones(60)
    values = np.array(pool.values)
    values[0, :30] = MISSING
    gaps = Predictions(values, pool.models, pool.samples, pool.classes)
    found = shared_errors(gaps, Labels.known(60, list(range(60)), truth * 1.0), EVERY)
    assert found is not None
    rest = np.arange(60) >= 30
    some = disputed(gaps) & rest
    wrong = (values != truth)[:, some]
    assert found.share[0, 2] == pytest.approx((wrong[0] & wrong[2]).sum() / (wrong[0] | wrong[2]).sum())
    nobody = np.array(values)
    nobody[1] = MISSING
    alone = shared_errors(Predictions(nobody, pool.models, pool.samples, pool.classes), Labels.empty(60), EVERY)
    assert alone is not None
    assert np.isnan(alone.share[1]).all()


def test_numbers_have_correlated_errors_or_nothing() -> None:
    rng = np.random.default_rng(1)
    truth, shared = rng.normal(size=(2, 400))
    values = truth + np.stack([shared, shared + 0.1 * rng.normal(size=400), rng.normal(size=400)])
    pool = Predictions(values, tuple("abc"), range(400), None)
    found = shared_errors(pool, bought(selector("random"), pool, truth, 100, seed=0), EVERY[:3])
    assert found is not None
    assert found.measure == CORRELATION
    assert found.share[0, 1] > 0.95
    assert abs(found.share[0, 2]) < 0.4
    assert shared_errors(pool, bought(selector("random"), pool, truth, 5, seed=0), EVERY[:3]) is None


def test_models_are_those_that_were_asked_for() -> None:
    pool, truth = example_pool(models=6, samples=200, seed=1)
    found = shared_errors(pool, Labels.known(200, list(range(200)), truth * 1.0), np.array([4, 2]))
    assert found is not None
    assert found.share.shape == (2, 2)
    assert found.share[0, 1] == pytest.approx(true_overlap(pool, truth)[4, 2])
