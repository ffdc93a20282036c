"""How likely each model is the best, and what missing predictions and identical models do to the consensus."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.strata import disputed
from adjudge.methods.pooled.candidates import unlabeled_count
from adjudge.methods.pooled.consensus import consensus
from adjudge.methods.pooled.expected_accuracy import expected_accuracy
from adjudge.methods.pooled.patterns import prediction_patterns
from adjudge.methods.pooled.posterior import fit_posterior
from adjudge.simulation.contract import example_pool
from tests.support.pools import chance_of_best, known_labels


@pytest.mark.slow
def test_the_chance_of_being_best_counts_the_noise_of_unknown_labels() -> None:
    """Three models are equally good but for label noise; the consensus alone would be sure too often."""
    said, right = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        truth = rng.integers(3, size=300)
        wrong = (truth + rng.integers(1, 3, size=(3, 300))) % 3
        values = np.where(rng.random((3, 300)) < 0.75, truth, wrong)
        pool = Predictions(values, ("a", "b", "c"), range(300), ("x", "y", "z"))
        chance, accuracy = chance_of_best(pool, known_labels(truth, list(range(100)))), (values == truth).mean(axis=1)
        said.append(chance.max())
        right.append(accuracy[chance.argmax()] == accuracy.max())
    assert abs(np.mean(said) - np.mean(right)) < 0.04


def test_the_best_model_is_certain_once_all_samples_in_dispute_have_a_label() -> None:
    pool, truth = example_pool(models=4, samples=200)
    every = chance_of_best(pool, known_labels(truth, np.flatnonzero(disputed(pool)).tolist()))
    assert every.tolist() == (np.arange(4) == (pool.values == truth).mean(axis=1).argmax()).tolist()


def test_models_that_say_the_same_are_as_likely_the_best() -> None:
    pool, truth = example_pool(models=6, samples=200)
    twins = Predictions(pool.values[[4, 5, 5, 5, 3] * 12], tuple(map(str, range(60))), range(200), pool.classes)
    best = chance_of_best(twins, known_labels(truth, list(range(10))))
    assert np.ptp(best[np.arange(60) % 5 == 2]) < 1e-12
    assert np.ptp(best[np.isin(np.arange(60) % 5, (1, 2, 3))]) < 1e-12


def test_models_that_are_exactly_as_good_are_all_the_best() -> None:
    """They contradict each other twice, and each is right once."""
    values = np.array([[0, 1, 0, 1], [1, 0, 0, 1], [1, 1, 1, 1]])
    pool, truth = Predictions(values, ("a", "b", "c"), range(4), ("no", "yes")), np.array([0, 0, 0, 1])
    assert chance_of_best(pool, known_labels(truth, [0, 1, 2, 3])).tolist() == [1, 1, 0]


def test_models_that_differ_on_one_open_sample_cannot_both_be_the_best() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=60)
    good = np.where(rng.random(60) < 0.9, truth, 1 - truth)
    other, worse = good.copy(), np.where(rng.random(60) < 0.6, truth, 1 - truth)
    other[50] = 1 - other[50]
    pool = Predictions(np.array([good, other, worse]), ("a", "b", "c"), range(60), ("no", "yes"))
    for rows in (0, 10, 30):
        assert chance_of_best(pool, known_labels(truth, list(range(rows)))).sum() == pytest.approx(1)


def test_candidates_stand_for_all_open_samples_though_labels_went_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.methods.pooled.candidates.CANDIDATES", 20)
    pool, truth = example_pool(models=4, samples=400)
    asked = fit_posterior(pool, Labels.empty(400)).pattern  # with probabilities, each sample is a pattern of its own
    labels = known_labels(truth, asked[:18].tolist())
    assert unlabeled_count(pool, labels).sum() == pytest.approx(disputed(pool).sum() - 18)


@pytest.mark.parametrize("silent", [1, 12])
def test_models_that_said_nothing_leave_the_consensus_as_it_is(silent: int) -> None:
    pool, truth = example_pool(models=20, samples=200, classes=10)
    pool, labels = replace(pool, probabilities=None), known_labels(truth, list(range(10)))
    values = np.vstack([pool.values, np.full((silent, 200), -1)])
    more = Predictions(values, tuple(map(str, range(20 + silent))), range(200), pool.classes)
    assert np.allclose(expected_accuracy(more, labels)[:20], expected_accuracy(pool, labels), atol=1e-5)


def test_a_model_that_predicts_one_rare_class_only_has_the_weight_of_a_guess() -> None:
    rng = np.random.default_rng(0)
    truth = (rng.random(1000) < 0.05).astype(int)
    values = np.where(rng.random((4, 1000)) < 0.9, truth, 1 - truth)
    values[3] = np.where(rng.random(1000) < 0.05, 1, -1)
    pool = Predictions(values, tuple("abcd"), range(1000), ("fine", "fraud"))
    weight = consensus(pool, Labels.empty(1000)).modes[1]
    assert np.allclose(weight[3], 0, atol=1e-6)
    assert (weight[:3] > 0.1).all()


def test_models_with_predictions_of_different_samples_cannot_be_told_apart_by_a_few_labels() -> None:
    """They never disagree, and yet the unknown labels decide which of them is the better one."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=100)
    values = np.where(rng.random((2, 100)) < 0.8, truth, 1 - truth)
    values[0, 50:] = values[1, :50] = -1
    pool = Predictions(values, ("a", "b"), range(100), ("no", "yes"))
    best = chance_of_best(pool, known_labels(truth, list(range(45, 55))))
    assert best.min() > 0.02
    assert best.sum() == pytest.approx(1)
    every = chance_of_best(pool, known_labels(truth, list(range(100))))
    assert every.min() > 0.02  # what they would have said about the other half is not known


def test_contradictions_are_candidates_before_samples_of_few_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.methods.pooled.candidates.CANDIDATES", 8)
    pool, _ = example_pool(models=4, samples=400)
    values = np.array(pool.values)
    values[0, ::2] = -1
    pool = replace(pool, values=values, probabilities=None)
    first, _, _ = prediction_patterns(pool)
    assert disputed(pool)[first[fit_posterior(pool, Labels.empty(400)).pattern]].all()
