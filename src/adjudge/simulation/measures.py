"""What is measured about a ranking, once the truth is known."""

from math import nan

import numpy as np

from adjudge import evaluation
from adjudge.core.arrays import FloatArray
from adjudge.core.ranking import Estimate, Ranking
from adjudge.inference.ranks import TINY

JACCARD = (1, 3, 5, 10)
PROMISES = (
    "likely_loss",
    "likely_loss_holds",
    "expected_loss",
    "guaranteed_loss",
    "guaranteed_loss_holds",
    "may_be_best",
    "may_be_best_holds",
)


def measured(ranking: Ranking, truth: Estimate) -> dict[str, float]:
    """By the names of metrics, such as "regret", "spearman" and "coverage"."""
    estimate, place, actual = ranking.estimate, -ranking.rank.astype(np.float64), truth.goodness
    told = {
        "regret": evaluation.regret(place, actual),
        "spearman": evaluation.spearman(place, actual),
        "kendall": evaluation.kendall(place, actual),
        "coverage": evaluation.coverage(estimate.low, estimate.high, truth.value),
        "width": evaluation.mean_width(estimate.low, estimate.high),
        **_promises(ranking, actual),
    }
    return told | {f"jaccard_{k}": evaluation.jaccard(place, actual, k) for k in JACCARD if k < len(actual)}


def _promises(ranking: Ranking, actual: FloatArray) -> dict[str, float]:
    """What the ranking says about its first model, and whether that holds (1 or 0); nan where it says nothing."""
    first, likely, proven = int(ranking.order[0]), ranking.likely, ranking.guaranteed
    loss = np.nanmax(actual) - actual[first]
    told = dict.fromkeys(PROMISES, nan)
    if likely is not None:
        bound = float(likely.loss_bound[first])
        told |= {"likely_loss": bound, "likely_loss_holds": float(loss <= bound + TINY)}
        told["expected_loss"] = float(likely.expected_loss[first])
    if proven is not None:
        told |= {"guaranteed_loss": proven.loss, "guaranteed_loss_holds": float(loss <= proven.loss + TINY)}
        best = actual >= np.nanmax(actual) - TINY
        told |= {"may_be_best": float(proven.may_be_best.sum())}
        told |= {"may_be_best_holds": float(proven.may_be_best[best].any())}
    return told
