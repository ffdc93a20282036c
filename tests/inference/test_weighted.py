"""Rankings from draws."""

import numpy as np
import pytest

from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.inference.weighted import weighted_ranking
from adjudge.losses.loss import ZeroOne
from adjudge.methods.baselines.drawn import Drawn
from adjudge.methods.baselines.random import Random
from adjudge.simulation.contract import StratifiedDraws, example_pool
from adjudge.simulation.loop import bought


def test_nothing_holds_at_all_times_without_a_range() -> None:
    truth = np.random.default_rng(0).normal(size=60)
    pool = Predictions(np.array([truth, truth + 1]), ("a", "b"), range(60), None)
    with pytest.raises(InputError, match="need a loss with a stated range"):
        Drawn(anytime=True).rank(pool, bought(Random(), pool, truth, 30, 0))


def test_the_guaranteed_loss_is_about_the_models_that_may_be_best() -> None:
    """It is the largest lead that such a model may have, at least zero, and below that of a test of all pairs."""
    pool, truth = example_pool(models=12, samples=300, seed=2)
    for seed in range(3):
        labels = bought(StratifiedDraws(), pool, truth, 120, seed)
        ranking = weighted_ranking(pool, labels, ZeroOne(), 0.95, anytime=True)
        assert ranking.guaranteed is not None
        assert ranking.difference_to_leader is not None
        first = int(ranking.order[0])
        assert 0 <= ranking.guaranteed.loss <= -ranking.guaranteed.lead.min() + 1e-12
        assert ranking.guaranteed.loss < -ranking.difference_to_leader.low.min()
        assert ranking.guaranteed.lead[first] == 0
