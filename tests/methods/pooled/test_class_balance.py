"""Biases under which all classes are equally common, and labels that show that they are not."""

import numpy as np
import pytest

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.methods.pooled.class_balance import MAX_BIAS, balancing_biases
from adjudge.methods.pooled.consensus import Consensus, consensus
from adjudge.methods.pooled.design_matrix import design_matrix
from adjudge.methods.pooled.expected_accuracy import consensus_accuracy, expected_accuracy
from adjudge.methods.pooled.priors import MAX_BALANCE_SAMPLES, priors_for_order

SAMPLES, CLASSES = 900, 3


def pool_of(given: FloatArray) -> Predictions:
    names = tuple(f"model {place}" for place in range(len(given)))
    return Predictions(given.argmax(axis=2), names, range(given.shape[1]), ("x", "y", "z")[: given.shape[2]], given)


def many_take_x_for_y(x: float) -> tuple[Predictions, IntArray]:
    """Five models predict y for half of all x, mostly the same ones, and are unsure there; two recognize every x.

    Those two are wrong elsewhere, independently of each other.
    """
    rng = np.random.default_rng(7)
    truth = rng.choice(CLASSES, size=SAMPLES, p=[x, (1 - x) / 2, (1 - x) / 2])
    hidden = (truth == 0) & (rng.random(SAMPLES) < 0.5)
    given = np.empty((7, SAMPLES, CLASSES))
    for model in range(7):
        wrong = rng.random(SAMPLES) < (0.05 if model < 5 else 0.15)
        said = np.where(wrong, (truth + rng.integers(1, CLASSES, size=SAMPLES)) % CLASSES, truth)
        given[model] = 0.05 + 0.85 * np.eye(CLASSES)[said]
        if model < 5:
            given[model, hidden & (rng.random(SAMPLES) < 0.9)] = [0.4, 0.55, 0.05]
    return pool_of(given), truth


def weight_of_class_balance(found: Consensus) -> float:
    """Among all priors on log probabilities; those of the class-balance prior come last."""
    twins = np.array([fit.features == found.fits[-1].features for fit in found.fits])
    return float(found.mixture_weight[-9:].sum() / found.mixture_weight[twins].sum())


def known(truth: IntArray, samples: IntArray) -> Labels:
    return Labels.known(len(truth), samples.tolist(), truth[samples])


def test_with_these_biases_all_classes_are_equally_common() -> None:
    pool, _ = many_take_x_for_y(1 / 3)
    design = design_matrix(pool, np.arange(SAMPLES))
    weight = np.zeros((design.features, 2), dtype=np.float32)
    weight[:7] = 0.3, 1.0
    plain = design.probabilities(weight, np.zeros((CLASSES, 2), dtype=np.float32))
    even = design.probabilities(weight, balancing_biases(design, weight, CLASSES).astype(np.float32))
    for column in range(2):
        before, after = (np.bincount(design.slots.code, each[:, column]) for each in (plain, even))
        assert np.ptp(before) > 0.3 * before.mean()
        assert np.ptp(after) < 0.05 * after.mean()


def test_a_class_that_is_hardly_ever_predicted_has_a_bounded_bias_and_one_that_never_is_has_none() -> None:
    given = np.tile([0.9, 0.05, 0.05], (2, 50, 1))
    given[0, 0] = [0.05, 0.9, 0.05]
    design = design_matrix(pool_of(given), np.arange(50))
    weight = np.ones((design.features, 1), dtype=np.float32)
    bias = balancing_biases(design, weight, CLASSES)[:, 0]
    assert 0 < bias[1] <= MAX_BIAS
    assert bias[2] == 0


def test_models_that_recognize_a_hidden_class_gain() -> None:
    pool, truth = many_take_x_for_y(1 / 3)
    accuracy = (pool.values == truth).mean(axis=1)
    assert accuracy[5:].min() > accuracy[:5].max()
    design = design_matrix(pool, np.arange(SAMPLES))
    weight = np.zeros((design.features, 1), dtype=np.float32)
    weight[:7] = 0.5
    lead = []
    for bias in (np.zeros((CLASSES, 1)), balancing_biases(design, weight, CLASSES)):
        right = design.probabilities(weight, bias.astype(np.float32))[design.slots.slot, 0].mean(axis=0)
        lead.append(right[5:].mean() - right[:5].mean())
    assert lead[1] > lead[0] + 0.05


@pytest.mark.parametrize(("x", "likely"), [(1 / 3, True), (0.04, False)])
def test_labels_tell_whether_classes_are_equally_common(x: float, likely: bool) -> None:
    pool, truth = many_take_x_for_y(x)
    disputed = np.flatnonzero((pool.values != pool.values[0]).any(axis=0))
    assert weight_of_class_balance(consensus(pool, Labels.empty(SAMPLES))) == pytest.approx(0.5)
    share = weight_of_class_balance(consensus(pool, known(truth, disputed[:60])))
    assert share > 0.7 if likely else share < 0.1


def votes_alone(pool: Predictions) -> Predictions:
    return Predictions(pool.values, pool.models, pool.samples, pool.classes)


def test_without_probabilities_the_class_balance_prior_is_for_the_order_alone() -> None:
    pool, _ = many_take_x_for_y(1 / 3)
    plain, nothing = votes_alone(pool), Labels.empty(SAMPLES)
    assert len(consensus(plain, nothing).fits) == 18
    assert len(consensus(pool, nothing).fits) == len(consensus(pool, nothing, for_order=True).fits) == 45
    assert len(consensus(plain, nothing, for_order=True).fits) == 27
    chosen, ordered = (
        each[5:].mean() - each[:5].mean()
        for each in (consensus_accuracy(plain, nothing), expected_accuracy(plain, nothing))
    )
    assert ordered > chosen + 0.01


@pytest.mark.parametrize(("shares", "low", "high"), [([1 / 3] * 3, 0.45, 0.5), ([0.9, 0.05, 0.05], 0.0, 0.1)])
def test_the_more_biases_differ_the_less_likely_are_equally_common_classes(
    shares: list[float], low: float, high: float
) -> None:
    rng = np.random.default_rng(5)
    truth = rng.choice(CLASSES, size=SAMPLES, p=shares)
    said = np.where(rng.random((6, SAMPLES)) < 0.1, rng.integers(CLASSES, size=(6, SAMPLES)), truth)
    given = priors_for_order(votes_alone(pool_of(np.eye(CLASSES)[said])))
    twins = [prior for prior in given if prior.bias is not None]
    assert len(twins) == 9
    assert low < sum(prior.probability for prior in twins) / 9 < high


def test_which_samples_are_looked_at_does_not_depend_on_their_order() -> None:
    """More than are looked at, the certain ones first."""
    rng = np.random.default_rng(3)
    given = rng.dirichlet([0.3, 0.3, 0.6], size=(3, 2 * MAX_BALANCE_SAMPLES + 1))
    given = given[:, np.argsort(-given.max(axis=2).sum(axis=0))]
    nothing = Labels.empty(given.shape[1])
    moved = given[:, rng.permutation(given.shape[1])]
    one, other = (expected_accuracy(pool_of(each), nothing) for each in (given, moved))
    assert one == pytest.approx(other, abs=1e-5)
