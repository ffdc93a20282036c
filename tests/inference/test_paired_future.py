"""What a pool says about two models on future data, with all of its samples labeled or only some."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.inference.future import future_difference
from adjudge.inference.paired_difference import PairedDifference
from adjudge.inference.paired_future import paired_future
from adjudge.losses.loss import Cost, Loss, ZeroOne
from tests.support.pools import uniform_log

WIN, LOSS = 0.12, 0.05  # shares of the population on which only the first, or only the second, model is right


def population(samples: int, rng: np.random.Generator) -> Predictions:
    """Two models on a sample of it; class 0 is true everywhere."""
    kind = rng.random(samples)
    values = np.array([(kind >= WIN) & (kind < WIN + LOSS), kind < WIN]).astype(np.int64)
    return Predictions(values, ("a", "b"), range(samples), ("right", "wrong"))


def found(pool: Predictions, log: Labels, loss: Loss | None = None) -> tuple[float, float, float]:
    pair = PairedDifference.of(pool, (0, 1), log, loss or ZeroOne())
    told = paired_future(pair, pair.estimate(0.95), 0.95)
    return told.value, told.low, told.high


def test_a_pool_that_is_all_labeled_is_a_sample() -> None:
    pool = population(500, np.random.default_rng(0))
    wins, losses = (int(row.sum()) for row in pool.values[::-1])
    assert found(pool, Labels.complete(np.zeros(500)))[1:] == future_difference(wins, losses, 500, 0.95)
    differ = np.flatnonzero(pool.values[0] != pool.values[1])  # where they agree, no label is needed
    assert found(pool, Labels.known(500, differ, np.zeros(len(differ)))) == found(pool, Labels.complete(np.zeros(500)))


def draws(pool: Predictions, count: int, rng: np.random.Generator, *, weighted: bool) -> Labels:
    samples = len(pool.samples)
    if not weighted:
        return uniform_log(np.zeros(samples), rng.permutation(samples)[:count])
    chance = np.where(pool.values[0] != pool.values[1], 1.0, 0.3)
    chance /= chance.sum()
    sample = rng.choice(samples, size=count, replace=False, p=chance)
    log = Labels.known(samples, sample, np.zeros(count))
    left = 1 - np.append(0, np.cumsum(chance[sample]))[:-1]  # the chance that was left when each was drawn
    weight = left / ((samples - np.arange(count)) * chance[sample])
    return replace(log, weight=weight, seen=np.arange(count))


@pytest.mark.parametrize("weighted", [False, True])
def test_intervals_from_some_labels_hold_for_the_population(weighted: bool) -> None:
    runs, rng = 300, np.random.default_rng(4)
    ends = np.array(
        [found(pool := population(400, rng), draws(pool, 120, rng, weighted=weighted))[1:] for _ in range(runs)]
    )
    held = ((ends[:, 0] <= WIN - LOSS) & (ends[:, 1] >= WIN - LOSS)).mean()
    assert held > 0.95 - 3 * 0.0126
    whole = np.ptp(found(population(400, rng), Labels.complete(np.zeros(400)))[1:])
    assert np.ptp(ends, axis=1).mean() > whole


def test_costs_and_numbers_have_students_interval() -> None:
    rng = np.random.default_rng(1)
    pool = population(600, rng)
    loss = Cost(np.array([[0.0, 1.0], [3.0, 0.0]]))
    value, low, high = found(pool, Labels.complete(np.zeros(600)), loss)
    gain = (pool.values[1] - pool.values[0]) / 3
    assert value == pytest.approx(gain.mean())
    assert (high - low) / 2 == pytest.approx(1.96 * gain.std() / np.sqrt(600), rel=0.15)
    _, lower, higher = found(pool, uniform_log(np.zeros(600), rng.permutation(600)[:200]), loss)
    assert lower < low < high < higher
