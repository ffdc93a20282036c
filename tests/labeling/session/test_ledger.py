"""Logs of a team: they rank the same wherever they are read, and estimates from them are unbiased."""

from dataclasses import replace

import numpy as np

from adjudge.core.labels import Labels
from adjudge.methods.baselines.drawn import Drawn
from adjudge.registry import selector
from adjudge.simulation.contract import example_pool


def test_estimates_of_a_team_are_unbiased() -> None:
    """Four people who take their time in turns, with samples in flight at every draw."""
    pool, truth = example_pool(models=3, samples=40, classes=3, seed=4)
    errors = (pool.values != truth).mean(axis=1)
    found = []
    for seed in range(300):
        rng = np.random.default_rng([seed, 99])
        picker = selector("active-testing").start(pool, Labels.empty(40), None, seed)
        log = Labels.empty(40)
        while len(log.settled()) < 12:
            open_rows = np.flatnonzero(~log.answered)
            if len(open_rows) < 4:
                pick = picker(log)
                assert pick is not None
                log = log.hand_out(pick)
            else:
                row = rng.choice(open_rows)
                value, answered = log.value.copy(), log.answered.copy()
                value[row], answered[row] = truth[log.sample[row]], True
                log = replace(log, value=value, answered=answered)
        found.append(1 - Drawn().rank(pool, log.head(12)).estimate.value)
    off = np.mean(found, axis=0) - errors
    assert (np.abs(off) < 3.5 * np.std(found, axis=0) / np.sqrt(len(found))).all(), off
