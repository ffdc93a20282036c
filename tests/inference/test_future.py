"""Intervals for future data: their coverage for samples of a known population, and what they need."""

from functools import cache
from math import sqrt

import numpy as np
import pytest
from scipy.stats import binom, multinomial

import adjudge
from adjudge.core.labels import SKIP, Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.inference.future import future_difference, future_differences, future_intervals, future_means
from adjudge.losses.loss import ZeroOne
from adjudge.losses.numbers import Squared
from tests.support.pools import Task, pool_of

POPULATIONS = [(0.3, 0.3), (0.1, 0.02), (0.02, 0.02), (0.0, 0.05), (0.6, 0.2), (0.004, 0.0)]


exact_ends = cache(future_difference)  # an outcome's interval is the same in each population


LARGER = [(25, *each) for each in POPULATIONS[1:]] + [(60, 0.1, 0.02)]


@pytest.mark.parametrize(
    ("count", "win", "loss"),
    [
        *((8, *each) for each in POPULATIONS),
        (25, *POPULATIONS[0]),
        *(pytest.param(*each, marks=pytest.mark.honesty) for each in LARGER),
    ],
)
def test_each_end_of_an_exact_difference_misses_in_2_5_percent_at_most(count: int, win: float, loss: float) -> None:
    """Chances are added up, not simulated; outcomes that hardly ever occur are left out."""
    outcomes = np.array([(wins, losses) for wins in range(count + 1) for losses in range(count + 1 - wins)])
    rest = count - outcomes.sum(axis=1, keepdims=True)
    chances = multinomial.pmf(np.hstack([outcomes, rest]), count, (win, loss, 1 - win - loss))
    below = above = 0.0
    for (wins, losses), chance in zip(outcomes[chances >= 1e-5].tolist(), chances[chances >= 1e-5], strict=True):
        low, high = exact_ends(wins, losses, count, 0.95)
        below += float(chance * (win - loss < low - 1e-9))
        above += float(chance * (win - loss > high + 1e-9))
    assert chances[chances >= 1e-5].sum() > 0.99
    assert max(below, above) < 0.0255


@pytest.mark.parametrize("count", [300, 2000])
@pytest.mark.parametrize(("win", "loss"), POPULATIONS[:5])
def test_differences_of_many_samples_cover(count: int, win: float, loss: float) -> None:
    runs = 4000
    draws = np.random.default_rng(3).multinomial(count, (win, loss, 1 - win - loss), size=runs)
    low, high = future_differences(draws[:, 0], draws[:, 1], np.full(runs, count), 0.95)
    held = float(((low <= win - loss) & (win - loss <= high)).mean())
    assert held > 0.95 - 3 * sqrt(0.05 * 0.95 / runs)
    assert held < 0.99


def test_a_difference_agrees_with_the_usual_tests() -> None:
    """It contains zero where McNemar's exact test does not reject, and grows with what is not known."""
    for wins, losses in ((5, 0), (6, 0), (12, 3), (9, 4), (40, 20)):
        p_value = min(1.0, 2 * float(binom.cdf(min(wins, losses), wins + losses, 0.5)))
        low, _ = future_difference(wins, losses, 500, 0.95)
        assert (low > 0) <= (p_value <= 0.05)
    low, high = future_difference(0, 0, 500, 0.95)
    assert low == pytest.approx(-high)
    assert 0.003 < high < 0.02  # no flip among 500 is no proof that there is none
    widths = [np.ptp(future_difference(count // 10, count // 20, count, 0.95)) for count in (40, 400, 4000)]
    assert widths[0] > 2 * widths[1] > 4 * widths[2]
    one = future_difference(13, 4, 150, 0.95)
    assert one == tuple(-end for end in reversed(future_difference(4, 13, 150, 0.95)))
    many = [float(end[0]) for end in future_differences(np.array([13]), np.array([4]), np.array([150]), 0.95)]
    assert one[0] <= many[0] < many[1] <= one[1]  # exact for one pair, the score interval for many


@pytest.mark.parametrize("count", [30, 200])
def test_accuracies_cover(count: int) -> None:
    """The mid-p interval holds its level on average over shares, and nearly so for each."""
    right, shares = np.arange(count + 1), np.linspace(0.5, 0.98, 49)
    losses = (np.arange(count)[None] >= right[:, None]).astype(np.float64)
    low, high = future_means(losses, np.ones(losses.shape, dtype=bool), 0.95)
    held = [float(binom.pmf(right, count, each)[(low <= 1 - each) & (1 - each <= high)].sum()) for each in shares]
    assert 0.945 < np.mean(held) < 0.965
    assert min(held) > 0.92
    assert low[count] == pytest.approx(0.0, abs=1e-9)
    assert high[count] > 0.0


def test_means_of_numbers_cover() -> None:
    rng, runs = np.random.default_rng(0), 2000
    losses = rng.beta(0.5, 4.0, size=(runs, 80))
    low, high = future_means(losses, np.ones(losses.shape, dtype=bool), 0.95)
    held = ((low <= 0.5 / 4.5) & (high >= 0.5 / 4.5)).mean()
    assert 0.92 < held < 0.98


def test_a_pool_that_is_labeled_to_the_last_sample() -> None:
    rng = np.random.default_rng(1)
    truth = np.zeros(500)
    values = (rng.random((3, 500)) > np.array([[0.9], [0.88], [0.6]])).astype(np.int64)
    pool, log = pool_of(values, 2), Labels.complete(truth)
    found = future_intervals(pool, log, ZeroOne())
    assert found is not None
    right = (values == 0).mean(axis=1)
    assert found.estimate.value == pytest.approx(right)
    assert (found.estimate.low < right).all()
    assert (right < found.estimate.high).all()
    assert 0.015 < found.half_width[0] < 0.04
    leader = int(np.argmax(right))
    assert found.leader == leader
    assert found.difference_to_leader.value == pytest.approx(right[leader] - right)
    assert (found.difference_to_leader.low[leader], found.difference_to_leader.high[leader]) == (0.0, 0.0)
    assert found.difference_to_leader.low[2] > 0.2
    assert future_intervals(pool, log.undo(), ZeroOne()) is None  # a sample is open


def test_skips_and_missing_predictions_are_left_out() -> None:
    values = np.zeros((2, 40), dtype=np.int64)
    values[1, :10] = -1
    pool = Predictions(values, ("all", "few"), range(40), ("x", "y"))
    log = Labels.complete(np.zeros(40)).undo().add(Pick(39), SKIP)
    found = future_intervals(pool, log, ZeroOne())
    assert found is not None
    assert found.samples.tolist() == [39, 29]
    assert found.estimate.low[1] < found.estimate.low[0] < 1
    nothing = future_intervals(Predictions(np.full((1, 40), -1), ("none",), range(40), ("x",)), log, ZeroOne())
    assert nothing is not None
    assert np.isnan(nothing.estimate.low).all()


def test_numbers_are_in_the_units_of_the_loss() -> None:
    rng = np.random.default_rng(2)
    truth = rng.uniform(2, 8, 200)
    frame = {"id": range(200), "near": truth + rng.normal(size=200) / 2, "far": truth + rng.normal(size=200)}
    pool = adjudge.from_frame(frame)
    loss = Squared(-5.0, 15.0)
    found = future_intervals(pool, Labels.complete(truth), loss)
    assert found is not None
    error = ((pool.values - truth) ** 2).mean(axis=1)
    assert found.estimate.value == pytest.approx(error)
    assert (np.abs(found.half_width - 1.96 * ((pool.values - truth) ** 2).std(axis=1) / sqrt(200)) < 0.1).all()
    assert found.difference_to_leader.low[1] < error[1] - error[0] < found.difference_to_leader.high[1]


def test_half_of_a_real_pool_tells_about_the_other_half(task: Task) -> None:
    """Two halves of one pool are data of the same kind."""
    pool, truth = adjudge.read_truth(task("emotion_detection"), adjudge.read(task("emotion_detection")))
    held = []
    for seed in range(40):
        order = np.random.default_rng(seed).permutation(len(truth))
        half, other = order[:400], order[400:]
        part = Predictions(pool.values[:, half], pool.models, range(len(half)), pool.classes)
        found = future_intervals(part, Labels.complete(truth[half]), ZeroOne(), leader=0)
        assert found is not None
        right = (pool.values[:, other] == truth[other]).mean(axis=1)
        inside = (found.estimate.low <= right) & (right <= found.estimate.high)
        apart = right[0] - right[1:]
        between = (found.difference_to_leader.low[1:] <= apart) & (apart <= found.difference_to_leader.high[1:])
        held.append((inside.mean(), between.mean()))
    assert np.mean(held, axis=0) == pytest.approx(0.95, abs=0.05)
