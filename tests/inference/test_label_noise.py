"""Label noise: tiers follow the order of the ranking."""

import numpy as np

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.inference.label_noise import with_label_noise


def test_a_model_is_never_in_a_worse_tier_than_one_ranked_below_it() -> None:
    """The consensus may order models otherwise than their values do."""
    value = np.array([0.90, 0.80, 0.85])
    estimate = Estimate(value, value - np.array([0.01, 0.01, 0.40]), value + np.array([0.01, 0.01, 0.10]), "accuracy")
    ranking = Ranking(("best", "narrow", "wide"), np.array([1, 2, 3]), estimate, tier=np.array([1, 2, 3]), labels=4)
    pool = Predictions(np.array([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1]]), ranking.models, range(4), ("x", "y"))
    found = with_label_noise(ranking, pool, Labels.empty(4), 0.001, 1.0)
    assert found.tier is not None
    assert (np.diff(found.tier[found.order]) >= 0).all()
