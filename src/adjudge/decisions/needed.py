"""What a plan of labels says: how many are needed to show a difference, for pairs of models."""

from dataclasses import dataclass
from math import nan
from typing import NamedTuple

import numpy as np

from adjudge.core.labels import Labels


class Needed(NamedTuple):
    """Numbers of labels: if all flips favor one model, for the likely number of flips, and for the largest one."""

    best: int
    likely: int
    worst: int


NONE = Needed(0, 0, 0)


@dataclass(frozen=True)
class PairPlan:
    """For two models: how often they differ, and the labels needed.

    Attributes
    ----------
    differing
        The share of the samples that both predicted on which they differ.
    flips
        Estimated share on which exactly one is right; nan without labels.
    everywhere
        The labels needed if they are drawn from the whole pool.
    in_dispute
        And if they are drawn only where the models do not all say the same; not known (None) for grades and metrics.
    where_they_differ
        And if they are drawn only where these two differ, as `select` draws them with `models`; None as above.
    labeled
        Labels so far that count toward `where_they_differ`, or toward `everywhere` where that is None.
    uncounted
        Labels where they differ that do not count, since they were not drawn there with equal chances.
    known
        Whether every sample on which they differ is labeled, so that no more are needed.
    deviation
        The standard deviation of the difference on one sample, of grades or of a metric; nan for accuracy.
    """

    a: str
    b: str
    differing: float
    flips: float
    everywhere: Needed
    in_dispute: Needed | None
    where_they_differ: Needed | None
    labeled: int = 0
    uncounted: int = 0
    known: bool = False
    deviation: float = nan


@dataclass(frozen=True)
class Plan:
    """Labels needed to show a difference in accuracy, in grades or in a metric.

    Attributes
    ----------
    disputed
        The samples on which models do not all say the same; None for grades and metrics, where it is not counted.
    usable
        How many of the labels so far: none if how they were chosen is not known.
    typical
        For two models that differ as often as average.
    """

    difference: float
    level: float
    power: float
    comparisons: int
    samples: int
    disputed: int | None
    labels: int
    usable: int
    pairs: tuple[PairPlan, ...]
    typical: PairPlan
    quantity: str = "accuracy"
    metric: str | None = None
    positive: str | None = None

    def __repr__(self) -> str:
        needed = self.typical
        if needed.where_they_differ is None:
            return f"Plan({self.difference:g} with {self.power:.0%} power: {needed.everywhere.likely} samples)"
        return (
            f"Plan({self.difference:g} with {self.power:.0%} power: {needed.where_they_differ.likely} of the "
            f"{round(needed.differing * self.samples)} samples on which two models differ, or "
            f"{needed.everywhere.likely} of all {self.samples})"
        )


def known_labels(log: Labels | None) -> tuple[int, int]:
    """How many labels there are, and how many of them can be used: none if how they were chosen is not known."""
    if log is None:
        return 0, 0
    return log.labeled, 0 if np.isnan(log.weight[log.usable]).all() else log.labeled
