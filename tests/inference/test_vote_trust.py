import warnings
from dataclasses import replace

import numpy as np
import pytest

from adjudge import rank
from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.core.sampling import Selector
from adjudge.core.votes import tie_broken_vote
from adjudge.errors import AdjudgeWarning
from adjudge.inference.vote_trust import GOOD, MISLEADING, TOO_FEW, WEAK, refutation, vote_trust
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought


def pool_of(shared: float, samples: int = 300, classes: int = 4) -> tuple[Predictions, FloatArray]:
    """Five models, three of which make the same mistake on a share of the samples; the other two are nearly right."""
    rng = np.random.default_rng(5)
    truth: IntArray = rng.integers(classes, size=samples)
    values = np.tile(truth, (5, 1))
    together = rng.random(samples) < shared
    values[:3, together] = (truth[together] + 1) % classes
    slips = rng.random((5, samples)) < 0.1
    values[slips] = (values[slips] + 2) % classes
    return Predictions(values, tuple("abcde"), range(samples), tuple("wxyz")), truth.astype(float)


@pytest.mark.parametrize("selector", [Random(), Pooled()])
@pytest.mark.parametrize(("shared", "expected"), [(0.0, GOOD), (0.7, MISLEADING)])
def test_a_crowd_is_told_from_a_herd(selector: Selector, shared: float, expected: str) -> None:
    pool, truth = pool_of(shared)
    found = vote_trust(pool, bought(selector, pool, truth, 80, seed=1))
    assert found is not None
    assert found.verdict == expected
    assert ("override" in found.sentence) == (expected == MISLEADING)


def test_a_vote_that_is_mostly_wrong_is_no_good_guide_though_others_are_worse() -> None:
    rng = np.random.default_rng(2)
    truth = np.zeros(300)
    values = np.where(rng.random((5, 300)) < 0.2, 0, rng.integers(1, 12, size=(5, 300)))
    pool = Predictions(values, tuple("abcde"), range(300), tuple("0123456789xy"))
    found = vote_trust(pool, bought(Random(), pool, truth, 300, seed=1))
    assert found is not None
    assert found.ahead[1] > 0
    assert found.in_dispute[2] < 0.5
    assert found.verdict == WEAK
    assert "% of samples: more often than the models that contradict it, but it is mostly wrong" in found.sentence
    assert " to " not in found.sentence  # the whole pool is labeled, so there is no interval


def test_two_labels_are_too_few() -> None:
    pool, truth = pool_of(0.4)
    log = bought(Random(), pool, truth, 2, seed=1)
    found = vote_trust(pool, log)
    assert found is not None
    assert found.verdict == TOO_FEW
    assert "too few" in found.sentence


@pytest.mark.parametrize("selector", [Random(), Pooled()])
def test_intervals_hold_the_truth(selector: Selector) -> None:
    pool, truth = pool_of(0.35)
    right = tie_broken_vote(pool, np.random.default_rng(0)) == truth
    in_dispute = (pool.values != pool.values[0]).any(axis=0)
    held = []
    for seed in range(20):
        found = vote_trust(pool, bought(selector, pool, truth, 40, seed))
        assert found is not None
        for actual, (value, low, high) in (
            (right.mean(), found.accuracy),
            (right[in_dispute].mean(), found.in_dispute),
        ):
            assert low <= value <= high
            held.append(low <= actual <= high)
    assert np.mean(held) >= 0.88


def test_all_labels_give_the_exact_value() -> None:
    pool, truth = pool_of(0.35, samples=60)
    right = tie_broken_vote(pool, np.random.default_rng(0)) == truth
    found = vote_trust(pool, bought(Random(), pool, truth, 60, 0))
    assert found is not None
    assert found.accuracy == pytest.approx((right.mean(),) * 3)
    assert found.ahead[0] == pytest.approx(found.ahead[1]) == pytest.approx(found.ahead[2])


def test_nothing_is_said_without_draws_votes_or_classes() -> None:
    pool, truth = pool_of(0.0, samples=60)
    assert vote_trust(pool, Labels.empty(60)) is None
    assert vote_trust(pool, Labels.known(60, [0, 1, 2], truth[:3])) is None
    two = Predictions(pool.values[:2], ("a", "b"), range(60), tuple("wxyz"))
    assert vote_trust(two, bought(Random(), two, truth, 20, 0)) is None
    numbers = Predictions(pool.values.astype(float), tuple("abcde"), range(60), None)
    assert vote_trust(numbers, bought(Random(), numbers, truth, 20, 0)) is None


@pytest.mark.parametrize("method", ["agreement", "dawid-skene", "glad"])
def test_labels_refute_an_order_that_runs_against_them(method: str) -> None:
    pool, truth = pool_of(0.8)  # three models make the same mistakes and look like experts
    twenty = Labels.known(300, np.arange(20), truth[:20])
    with pytest.warns(AdjudgeWarning, match=rf"the labels contradict {method}: its order .* the 20 labeled samples: '"):
        ranking = rank(pool, twenty, method)
    assert ranking.models[ranking.order[0]] in "abc"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rank(pool, Labels.known(300, np.arange(4), truth[:4]), method)  # too few to refute anything
        pool, truth = pool_of(0.0)
        rank(pool, Labels.known(300, np.arange(20), truth[:20]), method)


def test_what_labels_hold_against_an_order_is_a_pair_that_they_turn_around() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=400)
    values = np.array([np.where(rng.random(400) < each, truth, 1 - truth) for each in (0.9, 0.1, 0.88)])
    pool, log = Predictions(values, tuple("abc"), range(400), ("no", "yes")), Labels.complete(truth.astype(float))
    told, tied = (
        refutation(Ranking.by_value(pool.models, Estimate.without_interval(value, "agreement")), pool, log)
        for value in ([0.51, 0.5, 0.1], [0.1, 0.1, 0.1])
    )
    assert told is not None
    assert "'b', which it puts before 'c', is right on" in told
    assert tied is None


def test_hardly_any_draw_refutes_a_right_order() -> None:
    """An order that is right gets a false alarm from less than one in a hundred logs, whatever their length."""
    pool, truth = example_pool(models=8, samples=400, seed=3)
    values = np.array(pool.values)
    values[2, ::7] = -1
    pool = replace(pool, values=values, probabilities=None)
    accuracy = np.array([(row[row >= 0] == truth[row >= 0]).mean() for row in values])
    ranking = Ranking.by_value(pool.models, Estimate.without_interval(accuracy, "accuracy"))
    rng, alarms = np.random.default_rng(4), 0
    for length in np.repeat([5, 10, 20, 40], 100):
        rows = rng.choice(400, length, replace=False)
        alarms += refutation(ranking, pool, Labels.known(400, rows, truth[rows])) is not None
    assert alarms <= 4
    turned = replace(ranking, estimate=Estimate.without_interval(1 - accuracy, "accuracy"))
    assert refutation(turned, pool, Labels.complete(truth.astype(float))) is not None
