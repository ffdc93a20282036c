"""Indicators of rankings."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge import evaluation
from adjudge.core.arrays import ranks_by_value
from adjudge.errors import InputError
from adjudge.experiments.indicators import applies, cutoff, indicator, measured
from adjudge.experiments.jobs import Job, Outcome


def some_outcome(seed: int = 0, models: int = 9) -> Outcome:
    """Rankings with many ties, a model without a value, and one ranking that says nothing."""
    rng = np.random.default_rng(seed)
    values = rng.integers(5, size=(6, 4, models)) / 7
    values[0, 1, 3] = np.nan
    values[2, 2] = np.nan
    values[3, 3] = 0.5
    job = Job("task", "", "M", "random", (1, 2, 3, 4), 6)
    truth = rng.integers(6, size=models) / 11
    return Outcome(job, tuple(map(str, range(models))), truth, values, ranks_by_value(values), 0.0)


@pytest.mark.parametrize("name", ["spearman", "kendall", "regret", "jaccard_1", "jaccard_3", "jaccard_8"])
def test_indicators_of_all_rankings_are_those_of_each(name: str) -> None:
    outcome = some_outcome()
    found, alone = measured(outcome, name), indicator(name)
    for repetition in range(6):
        for budget in range(4):
            ranking = outcome.values[repetition, budget]
            if np.isnan(ranking).all():
                assert np.isnan(found[repetition, budget])
            else:
                assert found[repetition, budget] == alone(ranking, outcome.truth)


def test_a_true_tie_of_all_models_correlates_with_nothing() -> None:
    outcome = replace(some_outcome(), truth=np.full(9, 0.5))
    assert set(measured(outcome, "spearman")[~np.isnan(measured(outcome, "spearman"))]) == {0.0}
    assert evaluation.spearman(outcome.values[0, 0], outcome.truth) == 0.0


def test_the_top_k_of_k_models_says_nothing() -> None:
    assert applies("jaccard_8", some_outcome())
    assert not applies("jaccard_9", some_outcome())
    with pytest.raises(InputError, match="no indicator 'jaccard_x'; use spearman, kendall, regret, or jaccard_k"):
        cutoff("jaccard_x")
