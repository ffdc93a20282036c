"""How much a vote counts before any label."""

import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.methods.pooled.consensus import expected_accuracy
from adjudge.methods.pooled.priors import EFFECTIVE_MODELS, priors, vote_weights

SAMPLES, CROWD, GOOD = 400, 30, 3


def few_good_models_in_a_crowd(seed: int) -> Predictions:
    """Three models are wrong on one sample in ten; thirty on two to five in ten, and on some of these together."""
    rng = np.random.default_rng(seed)
    truth, trap = rng.integers(2, size=SAMPLES), rng.random(SAMPLES) < 0.15
    chance = [np.full(SAMPLES, 0.1)] * GOOD + [np.where(trap, 0.7, wrong) for wrong in np.linspace(0.2, 0.5, CROWD)]
    values = np.array([np.where(rng.random(SAMPLES) < wrong, 1 - truth, truth) for wrong in chance])
    return Predictions(values, tuple(f"model {place}" for place in range(len(values))), range(SAMPLES), ("no", "yes"))


@pytest.mark.parametrize("worth", [1.0, 0.1, 0.01])
def test_shared_mistakes_take_weight_from_all_models_alike(worth: float) -> None:
    log_odds = np.array([2.0, 1.0, 0.0])
    weight = vote_weights(log_odds, worth)
    assert weight.mean() == pytest.approx(worth * log_odds.mean())
    assert np.diff(weight) == pytest.approx(0.5 * np.diff(log_odds))


def test_all_votes_together_are_worth_a_few_models() -> None:
    total = sorted({round(float(prior.weight.sum()), 6) for prior in priors(few_good_models_in_a_crowd(0))})
    assert np.divide(total, total[0]) == pytest.approx(np.divide(EFFECTIVE_MODELS, EFFECTIVE_MODELS[0]), rel=1e-3)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_few_good_models_in_a_crowd_come_first_without_labels(seed: int) -> None:
    """With weights in proportion to log odds, one of the crowd is among the first three for two of these seeds."""
    found = expected_accuracy(few_good_models_in_a_crowd(seed), Labels.empty(SAMPLES))
    assert found[:GOOD].min() > found[GOOD:].max()


def test_a_constant_model_has_no_weight_before_labels() -> None:
    """Below the mean of the others, it would count against its class on every sample."""
    pool = few_good_models_in_a_crowd(0)
    values = np.vstack([pool.values, np.zeros((1, SAMPLES), dtype=pool.values.dtype)])
    wider = Predictions(values, (*pool.models, "always no"), range(SAMPLES), pool.classes)
    for prior in priors(wider):
        assert prior.weight[-1] == 0
        assert prior.weight[0] > 0
