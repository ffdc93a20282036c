"""Expected losses of predictions, and the means that they belong to."""

import numpy as np
import pytest

from adjudge.core.predictions import MISSING
from adjudge.inference.weighted import pool_mean
from adjudge.losses.loss import ZeroOne
from adjudge.methods.pooled.control_variate import LossTable, with_control_variate, with_expected_losses
from adjudge.simulation.contract import StratifiedDraws, example_pool
from adjudge.simulation.loop import bought
from tests.support.pools import pool_of

POOL = pool_of([[0, 1, 2], [2, 1, MISSING]])
BY_CLASS = LossTable(np.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25], [0.0, 1.0, 0.5]]), by_class=True)


def test_a_table_by_class_is_looked_up_by_prediction() -> None:
    members = np.array([True, True, True])
    assert BY_CLASS.total(POOL, members) == pytest.approx([0.1 + 0.25 + 0.5, 0.7 + 0.25])
    assert BY_CLASS.total(POOL, np.array([False, True, False])) == pytest.approx([0.25, 0.25])
    assert BY_CLASS.at(POOL.values, np.arange(3)) == pytest.approx(np.array([[0.1, 0.25, 0.5], [0.7, 0.25, 0.0]]))


def test_a_table_by_model_says_the_same() -> None:
    table = LossTable(BY_CLASS.at(POOL.values, np.arange(3)).T, by_class=False)
    assert table.total(POOL, np.ones(3, dtype=bool)) == pytest.approx(BY_CLASS.total(POOL, np.ones(3, dtype=bool)))
    assert table.at(POOL.values[:, 1:], np.array([1, 2])) == pytest.approx(
        BY_CLASS.at(POOL.values[:, 1:], np.arange(1, 3))
    )


def test_expected_losses_tell_where_nothing_was_drawn_and_change_no_unbiased_mean() -> None:
    pool, truth = example_pool(models=4, samples=120, seed=3)
    log = bought(StratifiedDraws(), pool, truth * 1.0, 40, 0)
    mean, loss, every = pool_mean(pool, log, ZeroOne()), ZeroOne(), np.arange(4)
    value, low, high = mean.differences(every, every, 0.95)
    told = with_expected_losses(mean, log, loss).differences(every, every, 0.95)
    assert told[0] == pytest.approx(value)
    sharper = with_control_variate(mean, log, loss).differences(every, every, 0.95)
    pairs = np.triu_indices(4, 1)
    assert (sharper[2] - sharper[1])[pairs].mean() < 1.1 * (high - low)[pairs].mean()
    assert np.abs(sharper[0] - value).max() < 0.1
