"""Bets on draws."""

import numpy as np
import pytest

from adjudge.core.labels import Labels, Pick
from adjudge.inference.betting import e_process
from adjudge.inference.weighted import pool_mean
from adjudge.losses.loss import ZeroOne
from adjudge.simulation.contract import example_pool


@pytest.mark.parametrize("chances", [(1.0,), (0.2, 0.3, 0.7), (0.5, 1.0, 1.5)])  # the last: some weights are 1
@pytest.mark.parametrize("said", [False, True])
@pytest.mark.parametrize("pair", [False, True])
def test_no_bet_on_the_next_draw_makes_money_on_average(chances: tuple[float, ...], said: bool, pair: bool) -> None:
    pool, truth = example_pool(models=2, samples=30, seed=4)
    losses = ZeroOne()(pool.values, truth.astype(float))
    quantity = losses[:1] - losses[1:] if pair else losses[:1]
    first = np.argsort(-quantity[0], kind="stable")[:12].tolist()  # what is known is not like what is open
    labels = Labels.known(30, first[:10], truth[first[:10]])
    labels = labels.add(Pick(first[10], 1.0 if chances == (1.0,) else 2.0, 10), int(truth[first[10]]))
    labels = labels.add(Pick(first[11]), int(truth[first[11]]))
    left = np.setdiff1d(np.arange(30), labels.sample)
    chance = np.resize(chances, len(left))
    weight, most = chance.mean() / chance, float(chance.mean() / chance.min()) if said else np.nan
    mean_of_open = quantity[:, np.setdiff1d(np.arange(30), first[:10])].mean(axis=1)
    differ = pool.values[0] != pool.values[1] if pair else np.ones(30, dtype=bool)
    money = []
    for sample, drawn in zip(left.tolist(), weight.tolist(), strict=True):
        log = labels.add(Pick(sample, drawn, len(labels), max_weight=most), int(truth[sample]))
        mean = pool_mean(pool, log, ZeroOne())
        stream = e_process(mean, mean.strata[0], mean.known.losses, np.array([0]), np.array([1]) if pair else None)
        assert stream.left[0] == np.count_nonzero(np.delete(differ, log.sample))
        money.append([np.exp(np.diff(stream.log_wealth_path(mean_of_open, side)[0]))[0] for side in (1, -1)])
    assert np.average(money, axis=0, weights=chance) == pytest.approx(1)
