"""The features of the log-linear model, and how their weights are found."""

import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.methods.pooled import patterns
from adjudge.methods.pooled.acquisition import information_gain_best, information_gain_parameters
from adjudge.methods.pooled.consensus import KEPT, class_probabilities, consensus
from adjudge.methods.pooled.design_matrix import design_matrix
from adjudge.methods.pooled.expected_accuracy import expected_accuracy
from adjudge.methods.pooled.newton import newton
from adjudge.methods.pooled.posterior import fit_posterior
from adjudge.methods.pooled.slots import slots_of, softmax
from adjudge.simulation.contract import example_pool


def two_models() -> Predictions:
    probabilities = np.array([[[0.9, 0.1, 0.0]], [[0.02, 0.28, 0.7]]])
    return Predictions(np.array([[0], [2]]), ("a", "b"), range(1), ("x", "y", "z"), probabilities)


def test_a_probability_is_a_feature_of_every_class_that_was_predicted() -> None:
    design = design_matrix(two_models(), np.array([0]))
    assert design.slots.code.tolist() == [0, 2]
    by_hand = 1 + np.log([[0.9, 0.02], [1e-3, 0.7]]) / np.log(1e3)
    assert np.allclose(design.scores[:, :2], by_hand, atol=1e-6)


def test_a_model_without_probabilities_has_its_vote() -> None:
    pool = two_models()
    assert pool.probabilities is not None
    given = pool.probabilities.copy()
    given[1] = np.nan
    assert design_matrix(replace(pool, probabilities=given), np.array([0])).scores[:, 1].tolist() == [0, 1]


def with_probabilities(models: int, samples: int, classes: int) -> Predictions:
    given = np.random.default_rng(0).dirichlet(np.ones(classes), (models, samples)).astype(np.float16)
    names = [tuple(map(str, range(count))) for count in (models, classes)]
    return Predictions(given.argmax(axis=2), names[0], range(samples), names[1], given)


def most_memory(function: Callable[[], object]) -> int:
    function()  # compiles
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_features_of_probabilities_take_little_more_memory_than_these() -> None:
    pool, columns = with_probabilities(models=40, samples=2000, classes=5), np.arange(2000)
    assert most_memory(lambda: design_matrix(pool, columns)) < 3 * design_matrix(pool, columns).scores.nbytes


def test_blocks_are_small_where_models_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes memory then are the probabilities under all priors."""
    pool, none = with_probabilities(models=2, samples=20_000, classes=2), Labels.empty(20_000)
    at_once = class_probabilities(pool, none)
    monkeypatch.setattr(patterns, "BLOCK", 1 << 15)
    in_parts = replace(pool)
    assert most_memory(lambda: class_probabilities(in_parts, none)) < 4e6
    assert np.allclose(class_probabilities(in_parts, none), at_once, atol=1e-6)


def test_the_last_fits_are_cached_and_older_ones_are_not() -> None:
    pool, truth = example_pool()
    logs = [Labels.known(40, list(range(rows)), truth[:rows]) for rows in range(2 * KEPT)]
    first = [consensus(pool, log) for log in logs]
    assert all(consensus(pool, log) is found for log, found in zip(logs[KEPT:], first[KEPT:], strict=True))
    again = consensus(pool, logs[0])
    assert again is not first[0]
    assert np.array_equal(again.mixture_weight, first[0].mixture_weight)


def test_probabilities_are_those_of_the_features() -> None:
    pool, _ = example_pool()
    design, rng = design_matrix(pool, np.arange(40)), np.random.default_rng(0)
    weight, bias = rng.normal(size=(design.features, 2)), rng.normal(size=(3, 2))
    scores = np.tile(bias, (40, 1, 1))
    scores[design.slots.sample, design.slots.code] += design.dense() @ weight
    by_hand = np.exp(log_softmax(scores, axis=1))[design.slots.sample, design.slots.code]
    found = design.probabilities(weight.astype(np.float32), bias.astype(np.float32))
    assert np.allclose(found, by_hand, atol=1e-5)


@pytest.mark.parametrize("weight", [-150.0, -20.0, 150.0])
def test_probabilities_add_up_where_all_logits_are_low_or_high(weight: float) -> None:
    """Far from what the biases alone would give, in a sample whose classes were all predicted."""
    slots = slots_of(np.array([[0], [1]]), classes=2)
    bias = np.linspace(-1, 1, 50, dtype=np.float32)[None, :] * [[1.0], [-0.7]]
    offset = np.zeros((2, 50), dtype=np.float32)
    weights = np.full((2, 50), weight, dtype=np.float32)
    found = softmax(slots.slot, slots.code, slots.first, weights, bias.astype(np.float32), offset)
    assert np.allclose(found[0], 1 / (1 + np.exp(bias[1] - bias[0])), atol=1e-4)
    assert np.allclose(found.sum(axis=0), 1, atol=1e-6)


def test_certain_probabilities_are_votes() -> None:
    pool, _ = example_pool(models=60, classes=3)
    design = design_matrix(replace(pool, probabilities=np.eye(3)[pool.values]), np.arange(40))
    assert np.array_equal(design.dense()[:, :60], design.scores[:, :60])


def test_probabilities_that_know_better_than_votes_are_used() -> None:
    """Two models predict the same class nearly always; only the probabilities of one of them tell the truth."""
    rng = np.random.default_rng(3)
    truth = rng.integers(2, size=300)
    knows, blind = np.where(truth, 0.49, 0.01), rng.uniform(0.01, 0.49, 300)
    other = np.where(rng.random(300) < 0.8, truth, 1 - truth)
    yes = np.array([knows, blind, np.where(other, 0.9, 0.1)])
    pool = Predictions(
        (yes > 0.5).astype(int), ("a", "b", "c"), range(300), ("no", "yes"), np.stack([1 - yes, yes], axis=2)
    )
    labels = Labels.known(300, list(range(40)), truth[:40])
    doubt, blunt = (
        1 - class_probabilities(each, labels)[np.arange(300), truth]
        for each in (pool, replace(pool, probabilities=None))
    )
    assert doubt.mean() < 0.6 * blunt.mean()


@pytest.mark.parametrize("shared", [[0, 1, 2], [0, 1, 0]])
def test_newton_finds_the_mode_and_the_hessian_there(shared: list[int]) -> None:
    pool, truth = example_pool()
    design, group = design_matrix(pool, np.arange(12)), np.array(shared)
    features = np.ascontiguousarray(design.dense()[:, -5:])
    places = 5 + len(set(shared))
    start, tied = np.where(np.arange(places) < 5, 0.4, 0.0), np.random.default_rng(0).normal(0, 0.3, (places, places))
    precision = np.diag(np.where(np.arange(places) < 5, 0.7, 1.0)) + tied @ tied.T

    def cost(point: FloatArray) -> float:
        scores = np.tile(point[5:][group], (12, 1))
        scores[design.slots.sample, design.slots.code] += features @ point[:5]
        fit = log_softmax(scores, axis=1)[np.arange(12), truth[:12]].sum()
        return float(0.5 * (point - start) @ precision @ (point - start) - fit)

    mode, factor, log_posterior = newton(
        features, design.slots.code, design.slots.first, truth[:12], group, start, precision
    )
    top = minimize(cost, start, tol=1e-12)
    assert np.allclose(mode, top.x, atol=1e-4)
    assert log_posterior == pytest.approx(-top.fun, abs=1e-8)
    step = 1e-3 * np.eye(places)
    around = [[cost(mode + one + other) - cost(mode + one - other) for other in step] for one in (*step, *-step)]
    hessian = (np.array(around[:places]) - np.array(around[places:])) / 4e-6
    assert np.allclose(factor @ factor.T, hessian, atol=1e-3)


def test_a_step_may_lead_far_away() -> None:
    """All classes were predicted, and the logits of both are far below their biases."""
    pool = Predictions(np.array([[0, 1], [1, 0]]), ("a", "b"), range(2), ("x", "y"))
    design = design_matrix(replace(pool, probabilities=None), np.arange(2))
    start, precision = np.array([-1000.0, -1000.0, 0.0, 0.0]), np.eye(4)
    features = np.ascontiguousarray(design.dense()[:, :2])
    found = newton(features, design.slots.code, design.slots.first, np.array([0, 1]), np.arange(2), start, precision)
    assert all(np.isfinite(each).all() for each in found)


def test_a_thousand_classes_take_no_longer_than_their_labels() -> None:
    """Classes without a label share a bias, which changes little where they are many."""
    rng = np.random.default_rng(4)
    truth = rng.integers(1000, size=400)
    right = rng.random((6, 400)) < np.linspace(0.4, 0.9, 6)[:, None]
    pool = Predictions(
        np.where(right, truth, rng.integers(1000, size=(6, 400))),
        tuple("abcdef"),
        range(400),
        tuple(map(str, range(1000))),
    )
    found = consensus(pool, Labels.known(400, list(range(20)), truth[:20]))
    assert found.fits[0].factor.shape == (6 + 21, 6 + 21)
    expected = expected_accuracy(pool, Labels.known(400, list(range(20)), truth[:20]))
    assert np.abs(expected - right.mean(axis=1)).max() < 0.1


def test_what_a_label_tells_about_the_best_is_part_of_what_it_tells() -> None:
    """Which model is best follows from the weights, so no label tells more about it than about them."""
    pool, truth = example_pool(models=6, samples=200)
    posterior = fit_posterior(pool, Labels.known(200, list(range(10)), truth[:10]))
    best, weights = information_gain_best(posterior), information_gain_parameters(posterior)
    assert (best <= weights + 1e-5).all()
    assert weights.max() > 0.01
