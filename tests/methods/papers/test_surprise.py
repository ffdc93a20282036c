"""Surprise: numbers of a pool by name, and the density of a reference set at the features of a sample."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import gaussian_kde

from adjudge.core.predictions import Predictions
from adjudge.errors import MethodError, PredictionsError
from adjudge.experiments.tasks import load
from adjudge.methods.papers.surprise import FEWEST, likelihood_surprise, surprise_of
from tests.support.pools import Task

RNG = np.random.default_rng(7)
MIXED = RNG.normal(size=(4, 4))  # makes units depend on each other
REFERENCE, FEATURES = RNG.normal(size=(120, 4)) @ MIXED, 2 * RNG.normal(size=(50, 4)) @ MIXED


def test_it_is_scipy_s_density_for_numbers() -> None:
    expected = -gaussian_kde(REFERENCE.T).logpdf(FEATURES.T)
    assert likelihood_surprise(FEATURES, REFERENCE) == pytest.approx(expected, abs=1e-9)


def test_it_is_scipy_s_density_of_the_predicted_class() -> None:
    said, known = np.arange(50) % 2, np.arange(120) % 2
    found = likelihood_surprise(FEATURES, REFERENCE, said, known)
    for each in (0, 1):
        expected = -gaussian_kde(REFERENCE[known == each].T).logpdf(FEATURES[said == each].T)
        assert found[said == each] == pytest.approx(expected, abs=1e-9)


def test_a_class_with_few_samples_and_a_missing_one_are_compared_with_all() -> None:
    said = np.array([0, 1, -1] + [0] * 47)
    known = np.where(np.arange(120) < FEWEST - 1, 1, 0)
    found = likelihood_surprise(FEATURES, REFERENCE, said, known)
    assert found[1:3] == pytest.approx(likelihood_surprise(FEATURES, REFERENCE)[1:3], abs=1e-9)
    assert found[0] == pytest.approx(likelihood_surprise(FEATURES[:1], REFERENCE[FEWEST - 1 :])[0], abs=1e-9)


def test_units_that_hardly_change_do_not_matter() -> None:
    dead = np.column_stack([REFERENCE, np.zeros(120), np.full(120, 3.0) + 1e-7 * RNG.normal(size=120)])
    here = np.column_stack([FEATURES, np.full(50, 9.0), np.zeros(50)])
    assert likelihood_surprise(here, dead) == pytest.approx(likelihood_surprise(FEATURES, REFERENCE), abs=1e-9)


def test_units_that_repeat_each_other_and_fewer_samples_than_units_give_numbers() -> None:
    twice = likelihood_surprise(FEATURES @ np.ones((4, 9)), REFERENCE @ np.ones((4, 9)))
    assert np.isfinite(twice).all()
    wide = RNG.normal(size=(40, 300))
    found = likelihood_surprise(np.vstack([wide[:5], wide[:5] + 4]), wide)
    assert np.isfinite(found).all()
    assert found[:5].max() < found[5:].min()


def test_what_lies_far_away_is_more_surprising_and_never_infinite() -> None:
    far = np.array([[0.0] * 4, [50.0] * 4, [1e6] * 4])
    found = likelihood_surprise(far, REFERENCE)
    assert np.isfinite(found).all()
    assert found[0] < found[1] < found[2]


def test_the_scale_of_the_units_does_not_change_the_order() -> None:
    found = [likelihood_surprise(FEATURES * scale, REFERENCE * scale) for scale in (1.0, 1000.0)]
    assert found[1] - found[0] == pytest.approx(np.full(50, 4 * np.log(1000)), abs=1e-7)


def test_features_that_are_not_numbers_have_no_surprise() -> None:
    holes, known = FEATURES.copy(), np.vstack([REFERENCE, np.full((1, 4), np.inf)])
    holes[3, 1] = np.nan
    found = likelihood_surprise(holes, known)
    assert np.flatnonzero(np.isnan(found)).tolist() == [3]
    assert np.delete(found, 3) == pytest.approx(np.delete(likelihood_surprise(FEATURES, REFERENCE), 3), abs=1e-9)


def test_blocks_of_samples_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = likelihood_surprise(FEATURES, REFERENCE)
    monkeypatch.setattr("adjudge.methods.papers.surprise.MAX_CELLS", 700)
    assert likelihood_surprise(FEATURES, REFERENCE) == pytest.approx(whole, abs=1e-9)


def test_what_cannot_be_compared_is_said_in_a_sentence() -> None:
    with pytest.raises(MethodError, match=r"4 units and the reference 3; give the same layer"):
        likelihood_surprise(FEATURES, REFERENCE[:, :3])
    with pytest.raises(MethodError, match=r"features are numbers, as .samples, units., not .* of the shape .50,."):
        likelihood_surprise(FEATURES[:, 0], REFERENCE)
    with pytest.raises(MethodError, match="1 reference samples have finite features; a density needs at least 2"):
        likelihood_surprise(FEATURES, REFERENCE[:1])
    with pytest.raises(MethodError, match="no unit of the reference changes"):
        likelihood_surprise(FEATURES, np.ones((40, 4)))


@pytest.mark.slow
def test_real_layers_are_surprised_by_what_they_get_wrong(task: Task) -> None:
    pool = load(task("mnist_ces"))
    features, said = pool.features("LeNet-5"), pool.predictions.values[2]
    found = likelihood_surprise(features[5000:], features[:5000], said[5000:], said[:5000])
    wrong = said[5000:] != pool.truth[5000:]
    assert np.isfinite(found).all()
    assert np.mean(found[wrong][:, None] > found[~wrong][None]) > 0.75  # area under the curve


def pool_with(**auxiliary: np.ndarray) -> Predictions:
    facts = pa.table(
        {
            "doubt": pa.array([0.5, None, 2.0]),
            "count": pa.array(["1", " 2.5 ", ""]),
            "domain": pa.array(["art", "photo", "art"]),
            "blank": pa.array([None, "", None], pa.string()),
        }
    )
    pool = Predictions(np.array([[0, 1, 1], [0, 0, 1]]), ("a", "b"), range(3), ("x", "y"), columns=facts)
    for name, numbers in auxiliary.items():
        pool = pool.with_auxiliary(name, numbers)
    return pool


def test_numbers_are_found_by_name() -> None:
    pool = pool_with(lsa=np.array([[1, 2, 3], [4, 5, 6]]), vae=np.array([7.0, np.nan, 9.0], dtype=np.float32))
    for name in ("lsa", "auxiliary_lsa"):
        assert surprise_of(pool, name, "a").tolist() == [1, 2, 3]
        assert surprise_of(pool, name, "b").tolist() == [4, 5, 6]
    assert surprise_of(pool, "vae", "b") == pytest.approx([7, np.nan, 9], nan_ok=True)
    assert surprise_of(pool, "doubt", "a") == pytest.approx([0.5, np.nan, 2], nan_ok=True)
    assert surprise_of(pool, "count", "a") == pytest.approx([1, 2.5, np.nan], nan_ok=True)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("vea", r"there are no numbers 'vea' about these samples; there are 'doubt', .*'auxiliary_vae'"),
        ("domain", r"the column 'domain' holds 'art', which is not a number; .*'doubt'"),
        ("blank", r"the column 'blank' holds no finite number; .*'doubt'"),
        ("surprise", r"'surprise' is computed from features, so give those of a reference set with --reference"),
    ],
)
def test_other_columns_are_refused(name: str, why: str) -> None:
    with pytest.raises(MethodError, match=why):
        surprise_of(pool_with(vae=np.arange(3.0)), name, "a")
    bare = Predictions(np.array([[0, 1, 1]]), ("a",), range(3), ("x", "y"))
    with pytest.raises(MethodError, match=r"there are none: name columns of a table with --columns"):
        surprise_of(bare, "lsa", "a")


def test_auxiliary_numbers_have_a_row_for_each_sample() -> None:
    with pytest.raises(
        PredictionsError, match=r"the numbers 'lsa' have the shape .4,. and the type float64; give .3,., or .2, 3."
    ):
        pool_with(lsa=np.arange(4.0))
    with pytest.raises(PredictionsError, match="there is a column 'doubt' already"):
        pool_with(doubt=np.arange(3.0))


def test_numbers_of_a_real_pool(task: Task) -> None:
    path: Path = task("driving_dave")
    stored, pool = np.load(path), load(path).predictions
    assert surprise_of(pool, "auxiliary_lsa", "Dave-dropout") == pytest.approx(stored["auxiliary_lsa"][1])
    assert surprise_of(pool, "auxiliary_vae", "Dave-dropout") == pytest.approx(stored["auxiliary_vae"])
