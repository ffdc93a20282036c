"""Large pools: picks look at some samples for all, and chances of being drawn stay those of the whole pool."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.arrays import IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.strata import disputed
from adjudge.methods.pooled import candidates
from adjudge.methods.pooled.candidates import nearly_consensus_accuracy
from adjudge.methods.pooled.expected_accuracy import consensus_accuracy
from adjudge.methods.pooled.patterns import MIN_MODELS
from adjudge.methods.pooled.pooled import Pooled
from adjudge.methods.pooled.posterior import fit_posterior
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought
from tests.support.pools import known_labels

Pool = tuple[Predictions, IntArray]

LOOKED_AT, SAMPLES, MODELS = 300, 6000, 8


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "LOOKED_AT", LOOKED_AT * MIN_MODELS)
    monkeypatch.setattr(candidates, "CANDIDATES", 100)


@pytest.fixture(scope="module")
def pool() -> Pool:
    """With probabilities, so that each sample is a pattern of its own, and some predictions missing."""
    made, truth = example_pool(models=MODELS, samples=SAMPLES, classes=4)
    assert made.probabilities is not None
    values, probabilities = np.array(made.values), np.array(made.probabilities)
    values[0, :500], probabilities[0, :500] = -1, np.nan
    return replace(made, values=values, probabilities=probabilities), truth


def test_what_some_samples_say_is_near_what_all_say(pool: Pool) -> None:
    predictions, truth = pool
    for labels in (Labels.empty(SAMPLES), known_labels(truth, list(range(0, SAMPLES, 200)))):
        nearly, exact = nearly_consensus_accuracy(predictions, labels), consensus_accuracy(predictions, labels)
        for model in range(1, MODELS):
            differ = (predictions.values[0] != predictions.values[model]).mean()
            error = (nearly[0] - nearly[model]) - (exact[0] - exact[model])
            assert abs(error) < 4 * np.sqrt(differ / LOOKED_AT)
        assert not np.array_equal(nearly, exact)


def test_a_pool_that_is_not_large_is_looked_at_whole(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    predictions, truth = pool
    monkeypatch.setattr(candidates, "LOOKED_AT", SAMPLES * MIN_MODELS)
    labels = known_labels(truth, [1, 2, 3])
    assert nearly_consensus_accuracy(predictions, labels) is consensus_accuracy(predictions, labels)


def test_the_chance_of_a_draw_is_known_for_samples_that_nobody_looks_at(pool: Pool) -> None:
    """Weights are one over the chance, as a share of equal chances: on average they give every group its share."""
    predictions, truth = pool
    log = bought(Pooled(), predictions, truth.astype(float), 40, 0)
    still = disputed(predictions).copy()
    still[log.sample] = False
    looked_at = np.zeros(SAMPLES, dtype=bool)
    looked_at[fit_posterior(predictions, log).pattern] = True
    drawn = [pick for pick in _next_picks(predictions, log, 600) if np.isfinite(pick[1])]
    assert len(drawn) == 600
    for group in (looked_at, ~looked_at):
        counted = np.array([weight * group[sample] for sample, weight in drawn])
        assert abs(counted.mean() - group[still].mean()) < 4 * counted.std() / np.sqrt(len(counted))
    weights = {sample: weight for sample, weight in drawn if not looked_at[sample]}
    assert max(weights.values()) <= 2.5
    assert min(weights.values()) >= 1  # only the equal chances, two in five, and no score


def _next_picks(predictions: Predictions, log: Labels, times: int) -> list[tuple[int, float]]:
    """What would be asked next, with other seeds, which a row in dispute draws."""
    found = []
    for seed in range(times):
        pick = Pooled().start(predictions, log, 100, seed)(log)
        assert pick is not None
        found.append((pick.sample, pick.weight))
    return found
