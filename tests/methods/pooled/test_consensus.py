"""The consensus: probabilities of classes, and the accuracies that follow from them."""

from dataclasses import replace

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.methods.pooled.consensus import class_probabilities, consensus, probabilities_given
from adjudge.methods.pooled.expected_accuracy import WORTH_BEFORE_LABELS, consensus_accuracy, expected_accuracy
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from tests.support.pools import chance_of_best, known_labels


def wrong_crowd() -> tuple[Predictions, IntArray]:
    """Nine models share a mistake on half of the samples; the tenth is right."""
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=300)
    shared = np.where(np.arange(300) < 150, (truth + 1) % 3, truth)
    crowd = [np.where(rng.random(300) < 0.05, rng.integers(3, size=300), shared) for _ in range(9)]
    pool = Predictions(np.array([*crowd, truth]), tuple("abcdefghij"), range(300), ("x", "y", "z"))
    return pool, truth


def test_labels_turn_a_crowd_that_is_wrong() -> None:
    pool, truth = wrong_crowd()
    before = expected_accuracy(pool, Labels.empty(300))
    after = expected_accuracy(pool, bought(Pooled(), pool, truth.astype(float), 15, 0))
    assert before.argmin() == 9
    assert after.argmax() == 9


def test_the_order_of_labels_does_not_matter() -> None:
    pool, truth = example_pool()
    one, other = (expected_accuracy(pool, known_labels(truth, samples)) for samples in ([3, 8, 20], [20, 3, 8]))
    assert (one == other).all()


def test_probabilities_add_up_and_give_the_expected_accuracies() -> None:
    pool, truth = example_pool()
    values = np.array(pool.values)
    values[0, 3] = -1
    pool = replace(pool, values=values, classes=("a", "b", "c", "never said"), probabilities=None)
    labels = known_labels(truth, [1, 2, 30]).add(Pick(5), 3)
    probabilities = class_probabilities(pool, labels)
    assert np.allclose(probabilities.sum(axis=1), 1, atol=1e-5)
    assert probabilities[5].tolist() == [0, 0, 0, 1]
    present = values >= 0
    right = np.where(present, probabilities[np.arange(values.shape[1]), values], 0.0)
    others = right[1:].mean(axis=0)
    right[0, 3] = others[3] + (right[0] - others)[present[0]].mean()  # as good as the others, but for how it compares
    by_hand = right.mean(axis=1)
    assert np.allclose(consensus_accuracy(pool, labels), by_hand, atol=1e-5)


def ordered_by(pool: Predictions, labels: Labels) -> FloatArray:
    """(models,): the expected accuracies if the consensus before any label had no share."""
    fitted = consensus(pool, labels, for_order=True)
    probabilities = probabilities_given(fitted.modes, pool, labels.codes)
    return np.array([probabilities[np.arange(labels.pool), row].mean() for row in pool.values])


def share_before_labels(pool: Predictions, labels: Labels) -> float:
    """That of the consensus before any label in the expected accuracy, if it is the same for all models."""
    before = probabilities_given(consensus(pool, Labels.empty(labels.pool), for_order=True).modes, pool, labels.codes)
    alone = np.array([before[np.arange(labels.pool), row].mean() for row in pool.values])
    with_labels = ordered_by(pool, labels)
    share = (expected_accuracy(pool, labels) - with_labels) / (alone - with_labels)
    assert np.allclose(share, share[0], atol=1e-3)
    return float(share[0])


def test_the_consensus_before_any_label_counts_as_a_few_labels_at_most() -> None:
    pool, truth = wrong_crowd()
    expected = [samples for samples in range(300) if (pool.values[:9, samples] == truth[samples]).all()]
    for many in (1, 4, 12):
        labels = known_labels(truth, expected[:many])
        share = share_before_labels(pool, labels)
        assert np.isclose(share, WORTH_BEFORE_LABELS / (WORTH_BEFORE_LABELS + many), atol=0.02)


def test_labels_that_it_did_not_expect_take_its_share() -> None:
    pool, truth = wrong_crowd()
    one, two, many = (share_before_labels(pool, known_labels(truth, list(range(number)))) for number in (1, 2, 6))
    assert WORTH_BEFORE_LABELS / (WORTH_BEFORE_LABELS + 1) > one > two > many
    assert abs(many) < 1e-6


def test_nothing_is_expected_where_all_is_known() -> None:
    pool, truth = wrong_crowd()
    assert (expected_accuracy(pool, Labels.complete(truth.astype(float))) == (pool.values == truth).mean(axis=1)).all()


def test_labels_of_a_rare_class_do_not_put_a_model_first_that_often_predicts_it() -> None:
    """Three chosen labels are all of the rare class, which one model predicts for half of the samples."""
    rng = np.random.default_rng(2)
    truth = (rng.random(400) < 0.2).astype(int)
    good = [np.where(rng.random(400) < 0.2, 1 - truth, truth) for _ in range(4)]
    pool = Predictions(
        np.array([*good, rng.integers(2, size=400)]), tuple("abcde"), range(400), ("usual", "rare"), probabilities=None
    )
    samples = np.flatnonzero((truth == 1) & (pool.values[4] == 1) & (pool.values[:4].sum(axis=0) <= 2))[:3]
    labels = known_labels(truth, samples.tolist())
    alone, ordered = consensus_accuracy(pool, labels), ordered_by(pool, labels)
    assert ordered[:4].mean() - ordered[4] > alone[:4].mean() - alone[4] + 0.01


def test_a_constant_model_has_no_say() -> None:
    """It agrees with the vote wherever its class is common, and knows nothing."""
    rng = np.random.default_rng(1)
    truth = (rng.random(400) < 0.2).astype(int)
    good = [np.where(rng.random(400) < 0.1, 1 - truth, truth) for _ in range(4)]
    pool = Predictions(np.array([*good, np.zeros(400, int)]), tuple("abcde"), range(400), ("no", "yes"))
    log = bought(Pooled(), pool, truth.astype(float), 30, 0)
    assert Pooled().rank(pool, log).rank[4] == 5


def test_no_accuracy_is_expected_to_be_below_zero() -> None:
    """One sample is half of this pool, more than the better model has."""
    pool = Predictions(np.array([[3, 5], [7, 7]]), ("a", "always 7"), range(2), tuple(map(str, range(50))))
    expected = expected_accuracy(pool, Labels.empty(2))
    assert expected[0] < 0.5
    assert expected[1] == 0


def test_the_mixture_weights_of_all_priors_add_up() -> None:
    pool, _ = example_pool()
    assert np.isclose(consensus(pool, Labels.empty(40)).mixture_weight.sum(), 1)


def test_a_model_that_said_nothing_changes_nothing_for_the_others() -> None:
    pool, truth = example_pool(models=4, samples=200)
    values = np.array(pool.values)
    values[0] = -1
    silent = replace(pool, values=values, probabilities=None)
    log = bought(Pooled(), silent, truth.astype(float), 20, 0)
    best = chance_of_best(silent, log)
    assert np.isnan(best[0])
    assert np.isclose(best[1:].sum(), 1)


def test_nothing_is_known_where_no_model_said_anything() -> None:
    pool = Predictions(np.full((2, 30), -1), ("a", "b"), range(30), ("no", "yes"))
    ranking = Pooled().rank(pool, bought(Pooled(), pool, np.zeros(30), 5, 0))
    assert ranking.rank.tolist() == [1, 1]
    assert ranking.chance_of_best is not None
    assert np.isnan(ranking.chance_of_best).all()
    assert np.isnan(ranking.estimate.value).all()


def test_the_order_fits_no_priors_that_it_does_not_use() -> None:
    """Without probabilities and weights by class, all of them are other priors for the choice of samples."""
    pool, truth = example_pool(models=40, samples=60, classes=4)
    labels = known_labels(truth, list(range(5)))
    consensus(without := replace(pool, probabilities=None), labels, for_order=True)
    assert cache.peek(without, ("consensus", True, 5)) is not None
    assert cache.peek(without, ("consensus", False, 5)) is None
    consensus(pool, labels, for_order=True)
    assert cache.peek(pool, ("consensus", False, 5)) is not None
