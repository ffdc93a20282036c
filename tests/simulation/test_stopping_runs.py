"""Runs that stop by a rule."""

import numpy as np
import pytest

from adjudge.core.predictions import Predictions
from adjudge.decisions.stopping import StoppingRule
from adjudge.errors import InputError
from adjudge.losses.numbers import Squared
from adjudge.simulation.stopping_runs import simulate_stopping
from tests.support.close_pool import close_pool


@pytest.mark.parametrize(("method", "rule", "seeds"), [("random", "separated", 3), ("pooled", "within 0.01", 3)])
def test_runs_end_early_and_at_the_right_model(method: str, rule: str, seeds: int) -> None:
    pool, truth = close_pool(samples=60)  # a sixtieth is one sample: the best two differ by three
    runs = simulate_stopping(pool, truth, StoppingRule.read(rule), method, 60, seeds, workers=1)
    assert runs.stopped.all()
    assert not runs.broken.any()
    assert runs.labels.min() > 10
    assert runs.labels.mean() < 60


def test_copies_of_the_best_model_are_no_obstacle() -> None:
    pool, truth = close_pool()
    twins = Predictions(pool.values[[0, 0, 3]], ("a", "again", "d"), range(120), tuple("xyz"))
    runs = simulate_stopping(twins, truth, StoppingRule(), "random", 120, seeds=2, workers=1)
    assert runs.stopped.all()
    assert (runs.regret == 0).all()
    assert (runs.labels < 120).all()


def test_numbers_need_a_stated_range() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(200)
    noise = np.array([[0.02], [0.4]]) * rng.standard_normal((2, 200))
    pool = Predictions(np.clip(truth + noise, 0, 1), ("good", "bad"), range(200), None)
    with pytest.raises(InputError, match="need a loss with a stated range"):
        simulate_stopping(pool, truth, StoppingRule(), "random", 200, seeds=1)
    runs = simulate_stopping(pool, truth, StoppingRule(), "random", 200, seeds=2, loss=Squared(0, 1), workers=1)
    assert runs.stopped.all()
    assert not runs.broken.any()


@pytest.mark.parametrize(("method", "why"), [("css", "plans for"), ("coda", "draws no"), ("agreement", "draws no")])
def test_methods_that_do_not_draw_are_refused(method: str, why: str) -> None:
    pool, truth = close_pool()
    with pytest.raises(InputError, match=why):
        simulate_stopping(pool, truth, StoppingRule(), method, 20, seeds=1)
