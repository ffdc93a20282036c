"""How much the grades of two models differ from sample to sample, and how many samples show a difference of means."""

from dataclasses import dataclass
from itertools import combinations
from math import inf, sqrt

import numpy as np

from adjudge.core.index import counted
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import NotEnoughLabels
from adjudge.inference.intervals import normal_quantile
from adjudge.inference.power import draws_for_mean
from adjudge.inference.weighted import MIN_LABELS_UNBOUNDED
from adjudge.losses.loss import default_loss

TOP = 4  # models whose pairs are looked at: those with the highest mean grades
LEVEL = 0.95  # of the interval of a standard deviation


@dataclass(frozen=True)
class GradeSpread:
    """The difference between the grades of two models, and the draws that show a difference of means."""

    places: tuple[int, int]
    differing: float  # the share of graded samples on which the grades differ
    deviation: float  # the standard deviation of the difference
    draws: tuple[int, int, int]  # for the lower end of the interval of the deviation, for itself, for the upper end


def grade_spreads(
    predictions: Predictions, log: Labels, difference: float, alpha: float, power: float
) -> list[GradeSpread]:
    """Pairs of the best models, by the deviation of their difference, which the graded samples tell.

    If all samples are graded, the draws are of samples still to come.
    """
    if log.labeled < MIN_LABELS_UNBOUNDED:
        raise NotEnoughLabels(
            f"a plan for grades depends on how much they vary, which takes {MIN_LABELS_UNBOUNDED} graded samples to "
            f"see, and {counted(log.labeled, 'sample')} of {log.pool:,} are graded; grade some with `adjudge select`"
        )
    loss, usable = default_loss(predictions, log), log.usable
    grades = -loss.max_loss * loss(predictions.values[:, log.sample[usable]], log.value[usable])
    said = ~np.isnan(grades)
    mean = np.where(said, grades, 0.0).sum(axis=1) / np.maximum(said.sum(axis=1), 1)
    top = np.argsort(np.where(said.sum(axis=1) > 1, -mean, inf), kind="stable")[:TOP].tolist()
    size, found = inf if log.labeled == log.pool else log.pool, []
    for one, other in combinations(top, 2):
        apart = (grades[one] - grades[other])[said[one] & said[other]]
        if apart.size < 2 or not apart.any():  # equal so far is not the same as equal
            continue
        deviation, unsure = float(apart.std(ddof=1)), float(normal_quantile(LEVEL)) / sqrt(2 * (apart.size - 1))
        ends = (deviation * max(0.0, 1 - unsure), deviation, deviation * (1 + unsure))
        least, likely, most = (draws_for_mean(difference, each, alpha, power, size) for each in ends)
        found.append(GradeSpread((one, other), float(np.mean(apart != 0)), deviation, (least, likely, most)))
    if not found:
        raise NotEnoughLabels("the best models have the same grades so far; grade more samples with `adjudge select`")
    return sorted(found, key=lambda each: each.deviation)
