"""Two models against each other, through every kind of log."""

from dataclasses import replace

import numpy as np
import pytest

import adjudge
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import SKIP, Labels, Pick, RunHeader
from adjudge.core.predictions import Predictions
from adjudge.core.strata import disputed
from adjudge.errors import AdjudgeWarning
from adjudge.inference.paired_difference import EXACT_TEST, KNOWN, MEANS, WEIGHTED
from adjudge.simulation.contract import StratifiedDraws
from adjudge.simulation.loop import bought
from tests.support.compared import SAMPLES, Pool, accuracy, uniform


def weighted(truth: FloatArray, count: int, rng: np.random.Generator, chance: FloatArray) -> Labels:
    """Drawn one by one, with chances in these proportions among the samples that are left."""
    left = chance.copy()
    sample, weight = np.empty(count, dtype=np.int64), np.empty(count)
    for row in range(count):
        each = left / left.sum()
        sample[row] = rng.choice(len(truth), p=each)
        weight[row] = 1 / np.count_nonzero(left) / each[sample[row]]
        left[sample[row]] = 0
    return replace(Labels.known(len(truth), sample, truth[sample]), weight=weight, seen=np.arange(count))


def test_all_labels_leave_no_doubt(pool: Pool) -> None:
    made, truth = pool
    log = uniform(truth, SAMPLES, np.random.default_rng(0))
    found = adjudge.compare(made, "model 4", "model 1", log, about="pool")
    exact = accuracy(made.values[4], truth) - accuracy(made.values[1], truth)
    assert found.difference == found.low == found.high == pytest.approx(exact)
    assert found.holds
    assert (found.p_value, found.method) == (0.0, KNOWN)
    assert found.a_better_share - found.b_better_share == pytest.approx(exact)


def test_only_the_samples_on_which_they_differ_count(pool: Pool) -> None:
    made, truth = pool
    telling = np.flatnonzero(made.values[4] != made.values[1])
    found = adjudge.compare(made, "model 4", "model 1", Labels.known(SAMPLES, telling, truth[telling]))
    assert found.low == found.high == pytest.approx(accuracy(made.values[4], truth) - accuracy(made.values[1], truth))
    assert found.differing == found.differing_labeled == len(telling) < SAMPLES


def test_models_that_say_the_same_tie_without_labels(pool: Pool) -> None:
    made, _ = pool
    twins = replace(made, values=made.values[[0, 0]], models=("a", "b"), probabilities=None)
    found = adjudge.compare(twins, "a", "b", Labels.empty(SAMPLES), test="equivalent", margin=0.01)
    assert (found.difference, found.low, found.high, found.p_value) == (0.0, 0.0, 0.0, 1.0)
    assert found.holds


def runs(pool: Pool, count: int, number: int, chance: FloatArray | None = None) -> FloatArray:
    """(runs, 2): the ends of the intervals, about the difference of the last two models."""
    made, truth = pool
    rng = np.random.default_rng(7)
    found = []
    for _ in range(number):
        log = uniform(truth, count, rng) if chance is None else weighted(truth, count, rng, chance)
        told = adjudge.compare(made, "model 4", "model 3", log)
        found.append((told.low, told.high))
    return np.array(found)


@pytest.mark.parametrize("count", [15, 60, 250])
def test_intervals_of_uniform_draws_hold(pool: Pool, count: int) -> None:
    made, truth = pool
    exact = accuracy(made.values[4], truth) - accuracy(made.values[3], truth)
    ends = runs(pool, count, 100)
    held = ((ends[:, 0] <= exact + 1e-9) & (exact - 1e-9 <= ends[:, 1])).mean()
    assert held > 0.95 - 3 * 0.022


@pytest.mark.parametrize("count", [40, 150])
def test_intervals_of_weighted_draws_hold(pool: Pool, count: int) -> None:
    made, truth = pool
    exact = accuracy(made.values[4], truth) - accuracy(made.values[3], truth)
    chance = np.where((made.values == made.values[0]).all(axis=0), 0.3, 1.0)
    ends = runs(pool, count, 80, chance)
    held = ((ends[:, 0] <= exact + 1e-9) & (exact - 1e-9 <= ends[:, 1])).mean()
    assert held > 0.95 - 3 * 0.025


@pytest.mark.parametrize("kind", ["uniform", "weighted"])
def test_a_claim_that_is_wrong_is_seldom_shown(kind: str) -> None:
    """At the edge of each claim: two models of equal accuracy, and two that differ by exactly the margin."""
    samples, rng = 240, np.random.default_rng(11)
    truth = np.zeros(samples)
    a, b = np.zeros((2, samples), dtype=np.int64)
    a[:24], b[24:48], b[48:60] = 1, 1, 1  # b is wrong on 12 samples more: 0.05 of all
    pool = Predictions(np.array([a, b]), ("a", "b"), range(samples), ("right", "wrong"))
    chance = np.where(a + b > 0, 1.0, 0.3)
    wrong = {"superior": 0, "non-inferior": 0, "equivalent": 0}
    number = 100
    for _ in range(number):
        log = uniform(truth, 80, rng) if kind == "uniform" else weighted(truth, 80, rng, chance)
        wrong["superior"] += adjudge.compare(pool, "a", "b", log, margin=0.05).holds
        wrong["non-inferior"] += adjudge.compare(pool, "b", "a", log, test="non-inferior", margin=0.05).holds
        wrong["equivalent"] += adjudge.compare(pool, "a", "b", log, test="equivalent", margin=0.05).holds
    limit = 0.025 + 3 * np.sqrt(0.025 * 0.975 / number)
    assert max(wrong.values()) / number < limit, wrong


def test_known_labels_come_before_the_draws(pool: Pool) -> None:
    made, truth = pool
    known = np.arange(100)
    rest = 100 + np.random.default_rng(0).permutation(200)[:60]
    sample = np.concatenate([known, rest])
    log = replace(
        Labels.known(SAMPLES, sample, truth[sample]),
        weight=np.concatenate([np.full(100, np.nan), np.ones(60)]),
        seen=np.concatenate([np.zeros(100, dtype=np.int64), np.arange(100, 160)]),
    )
    found = adjudge.compare(made, "model 4", "model 1", log)
    assert found.low < accuracy(made.values[4], truth) - accuracy(made.values[1], truth) < found.high
    plain = adjudge.compare(made, "model 4", "model 1", uniform(truth, 60, np.random.default_rng(0)))
    assert found.high - found.low < plain.high - plain.low
    assert np.isnan(found.p_value)
    assert plain.method == EXACT_TEST


def test_weights_and_skips_take_the_weighted_way(pool: Pool) -> None:
    made, truth = pool
    log = uniform(truth, 60, np.random.default_rng(1)).add(Pick(int(np.flatnonzero(truth == 0)[-1]), 1.0, 60), SKIP)
    with pytest.warns(AdjudgeWarning, match="1 sample could not be labeled"):
        found = adjudge.compare(made, "model 4", "model 1", log)
    assert found.method == WEIGHTED
    plain = adjudge.compare(made, "model 4", "model 1", log.undo())
    assert found.difference == pytest.approx(plain.difference, abs=0.06)
    assert found.a_better_share == pytest.approx(plain.a_better_share, abs=0.06)


def test_flips_are_no_more_than_what_differs(pool: Pool) -> None:
    made, truth = pool
    chance = np.random.default_rng(5).uniform(0.05, 1, SAMPLES)
    for seed in range(40):
        log = weighted(truth, 12, np.random.default_rng(seed), chance)
        found = adjudge.compare(made, "model 4", "model 1", log)
        shares, seen = (found.a_better_share, found.b_better_share), (found.a_better, found.b_better)
        assert sum(shares) <= found.differing / SAMPLES + 1e-9
        assert all(share >= count / SAMPLES - 1e-9 for share, count in zip(shares, seen, strict=True))
        assert shares[0] - shares[1] == pytest.approx(found.difference)


def from_frames(pool: Pool, count: int, seed: int, agreed: float, floor: float) -> Labels:
    made, truth = pool
    return bought(StratifiedDraws(agreed, floor), made, truth, count, seed).with_header(RunHeader(models=made.models))


@pytest.mark.parametrize(("floor", "method"), [(1.0, EXACT_TEST), (0.2, WEIGHTED)])
@pytest.mark.parametrize("agreed", [0.0, 0.3])
def test_intervals_of_draws_from_frames_hold(pool: Pool, agreed: float, floor: float, method: str) -> None:
    """Nothing has to be drawn where all models agree: there no pair differs."""
    made, truth = pool
    exact = accuracy(made.values[4], truth) - accuracy(made.values[3], truth)
    found = [
        adjudge.compare(made, "model 4", "model 3", from_frames(pool, 60, seed, agreed, floor)) for seed in range(80)
    ]
    assert {each.method for each in found} == {method}
    assert np.mean([each.low <= exact <= each.high for each in found]) > 0.95 - 3 * 0.025
    assert np.mean([each.difference for each in found]) == pytest.approx(exact, abs=0.02)
    flips = [each.a_better_share + each.b_better_share for each in found]
    right = made.values == truth
    assert np.mean(flips) == pytest.approx((right[4] != right[3]).mean(), abs=0.03)


def test_all_samples_in_dispute_leave_no_doubt(pool: Pool) -> None:
    made, truth = pool
    log = from_frames(pool, int(disputed(made).sum()), 0, 0.0, 0.2)
    assert set(log.stratum) == {1}
    found = adjudge.compare(made, "model 4", "model 3", log)
    assert found.low == found.high == pytest.approx(accuracy(made.values[4], truth) - accuracy(made.values[3], truth))


@pytest.mark.parametrize("agreed", [0.0, 0.5])
def test_a_model_that_joins_later_differs_outside_the_dispute(pool: Pool, agreed: float) -> None:
    made, truth = pool
    few = replace(made, values=made.values[3:], models=made.models[3:], probabilities=None)
    log = from_frames((few, truth), 40, 0, agreed, 1.0)
    found = adjudge.compare(made, "model 4", "model 0", log)
    assert found.method == WEIGHTED
    assert found.low < accuracy(made.values[4], truth) - accuracy(made.values[0], truth) < found.high
    assert np.isnan(found.a_better_share) == (agreed == 0)
    outside = ~disputed(few) & (made.values[4] != made.values[0])
    assert agreed or found.high - found.low > outside.mean()


def test_a_pair_is_about_what_both_predicted(pool: Pool) -> None:
    made, truth = pool
    values = np.array(made.values)
    values[4, :40] = -1
    gaps = replace(made, values=values, probabilities=None)
    found = adjudge.compare(gaps, "model 4", "model 1", uniform(truth, SAMPLES, np.random.default_rng(0)))
    assert found.samples == SAMPLES - 40
    exact = accuracy(values[4, 40:], truth[40:]) - accuracy(values[1, 40:], truth[40:])
    assert found.difference == pytest.approx(exact)
    chance = np.where(truth == 0, 1.0, 0.5)
    found = adjudge.compare(gaps, "model 4", "model 1", weighted(truth, 200, np.random.default_rng(0), chance))
    assert found.low < exact < found.high


def test_numbers_and_costs(pool: Pool) -> None:
    made, truth = pool
    costs = adjudge.Cost(np.array([[0, 1, 2], [5, 0, 1], [1, 1, 0.0]]))
    log = uniform(truth, 120, np.random.default_rng(0))
    found = adjudge.compare(made, "model 4", "model 0", log, loss=costs)
    paid = costs.matrix[truth.astype(int), made.values].mean(axis=1)
    assert found.low < paid[4] - paid[0] < found.high
    assert (found.quantity, found.method) == ("cost", MEANS)
    rng = np.random.default_rng(1)
    number = rng.normal(size=SAMPLES)
    frame = {"id": range(SAMPLES), "good": number + rng.normal(size=SAMPLES) / 3, "bad": number + 1}
    numbers = adjudge.from_frame(frame)
    found = adjudge.compare(numbers, "good", "bad", uniform(number, 60, rng))
    error = ((numbers.values - number) ** 2).mean(axis=1)
    assert found.low < error[0] - error[1] < found.high
    assert found.holds
    few = adjudge.compare(numbers, "good", "bad", uniform(number, 10, rng))
    assert np.isnan(few.low)
    assert not few.holds
