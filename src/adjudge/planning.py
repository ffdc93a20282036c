"""How many labels it takes to see a difference, before the first is bought."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil, nan
from typing import NamedTuple

import numpy as np
from scipy import special

from adjudge.api import check_labels, check_pool
from adjudge.core.arrays import IntArray
from adjudge.core.estimate import competition_rank
from adjudge.core.labels import Labels
from adjudge.core.losses import ZeroOne
from adjudge.core.predictions import Predictions, place_of
from adjudge.core.votes import Votes, vote_share, votes
from adjudge.errors import InputError, MethodError
from adjudge.estimators.intervals import binomial, normal_quantile
from adjudge.estimators.pair import Pair

TOP = 4  # models whose pairs are planned for when none are named


class Needed(NamedTuple):
    """Numbers of labels: if every flip goes one way, as assumed, and if as much as possible flips."""

    best: int
    likely: int
    worst: int


@dataclass(frozen=True)
class PairPlan:
    """For two models: how often they differ, and the labels that it takes; no flips are known without labels."""

    a: str
    b: str
    differing: float  # share of the samples that both predicted
    flips: float  # share on which exactly one is right, as far as labels tell; nan without labels
    everywhere: Needed  # drawn from the whole pool
    in_dispute: Needed  # drawn only where the models do not all say the same


@dataclass(frozen=True)
class Plan:
    """Labels needed to see a difference in accuracy; `typical` is for two models that differ as often as the mean."""

    difference: float
    level: float
    power: float
    comparisons: int
    samples: int
    disputed: int
    labels: int
    pairs: tuple[PairPlan, ...]
    typical: PairPlan

    def __repr__(self) -> str:
        needed = self.typical
        return (
            f"Plan({self.difference:g} with {self.power:.0%} power: {needed.everywhere.likely} of {self.samples} "
            f"samples, or {needed.in_dispute.likely} of the {self.disputed} in dispute)"
        )


def plan(
    predictions: Predictions,
    difference: float = 0.01,
    *,
    models: Sequence[str] | None = None,
    labels: Labels | None = None,
    level: float = 0.95,
    power: float = 0.8,
    simultaneous: bool = False,
) -> Plan:
    """How many labels show a difference in accuracy with this power, where two models differ by that much.

    Two models can only be right and wrong where they differ, so how often they do bounds the variance. Labels so far
    replace the bound by the flips that they show. With power 0.5 the interval is the difference to either side.
    Pairs are those of the models named, or of the four that agree most with the vote. `simultaneous` shares the
    error among all pairs of models (Bonferroni).

    >>> values = np.array([[0] * 200, [0] * 180 + [1] * 20])
    >>> plan(Predictions(values, ("a", "b"), range(200), ("x", "y")), 0.05)
    Plan(0.05 with 80% power: 122 of 200 samples, or 12 of the 20 in dispute)
    """
    check_pool(predictions)
    _check_wishes(predictions, difference, level, power)
    predictions = _only(predictions, models)
    if labels is not None:
        check_labels(predictions, labels)
    counted = votes(predictions)
    shown = np.arange(len(predictions.models)) if models is not None else _top(predictions)
    count = len(predictions.models)
    wishes = _Wishes(
        difference,
        normal_quantile(level, comparisons := count * (count - 1) // 2 if simultaneous else 1)
        + float(special.ndtri(power)),
        len(predictions.samples),
        int(np.count_nonzero(~counted.unanimous)),
    )
    mean = _mean_differing(counted)
    log = None if labels is None or not labels.usable.any() else labels.settled()
    return Plan(
        difference,
        level,
        power,
        comparisons,
        wishes.samples,
        wishes.disputed,
        0 if log is None else log.labeled,
        tuple(_pair_plan(predictions, places, log, wishes, level) for places in combinations(shown.tolist(), 2)),
        wishes.planned("any", "other", mean, nan, (difference, mean)),
    )


def _only(predictions: Predictions, models: Sequence[str] | None) -> Predictions:
    """The pool of the models that were named, or of all."""
    if models is None:
        if len(predictions.models) < 2:
            raise InputError("there is one model only, so there is no difference to see")
        return predictions
    places = [place_of(name, predictions) for name in models]
    if len(set(places)) < len(places) or len(places) < 2:
        raise InputError("a plan compares models; name at least two, each once")
    values = predictions.values[places]
    return replace(predictions, values=values, models=tuple(models), probabilities=None, whole=predictions)


def _mean_differing(counted: Votes) -> float:
    """How often two models that both said something differ, over all pairs."""
    present = counted.present[counted.present > 1].astype(np.float64)
    same = counted.pairs[counted.present > 1].sum()
    return float(1 - same / (present * (present - 1)).sum()) if present.size else 0.0


def _check_wishes(predictions: Predictions, difference: float, level: float, power: float) -> None:
    if predictions.classes is None:
        raise MethodError(
            "a plan rests on how often models say different classes, and these predictions are numbers; label a few "
            "samples and look at the interval of `compare`"
        )
    if not 0 < difference < 1:
        raise InputError(f"a difference of {difference:g} is not between 0 and 1; 0.01 is one point of accuracy")
    for name, share in (("level", level), ("power", power)):
        if not 0.5 <= share < 1:
            raise InputError(f"the {name} {share:g} is not between 0.5 and 1")


def _top(predictions: Predictions) -> IntArray:
    share = vote_share(predictions, Labels.empty(len(predictions.samples)))
    return np.argsort(competition_rank(share), kind="stable")[:TOP]


@dataclass(frozen=True)
class _Wishes:
    difference: float
    quantile: float
    samples: int
    disputed: int

    def planned(self, a: str, b: str, differing: float, flips: float, bounds: tuple[float, float]) -> PairPlan:
        likely = differing if np.isnan(flips) else flips
        ends = bounds[0], likely, bounds[1]
        return PairPlan(
            a,
            b,
            differing,
            flips,
            Needed(*(self._labels(each, self.samples, differing) for each in ends)),
            Needed(*(self._labels(each, self.disputed, differing) for each in ends)),
        )

    def _labels(self, flips: float, size: int, differing: float) -> int:
        """From a set of this size, where so large a share of the pool flips."""
        if differing < self.difference:
            return 0  # so large a difference cannot be, and no label is needed to know it
        share = size / self.samples
        variance = max(flips, self.difference) * share - self.difference**2
        endless = self.quantile**2 * max(variance, 0.0) / self.difference**2
        return min(size, max(1, ceil(endless * size / (endless + size - 1) - 1e-9)))


def _pair_plan(
    predictions: Predictions, places: tuple[int, int], labels: Labels | None, wishes: _Wishes, level: float
) -> PairPlan:
    empty = Labels.empty(len(predictions.samples))
    pair = Pair.of(predictions, places, empty if labels is None else labels, ZeroOne())
    differing = float(pair.differ.sum() / pair.both.sum())
    flips, low, high = nan, wishes.difference, differing
    telling = int(pair.telling.sum())
    if telling and (pair.drawn & pair.telling).any():
        flips = min(sum(pair.flip_shares()), differing)
        if pair.uniform and not pair.complete:
            found, count = np.array([flips / differing]), np.array([float(telling)])
            low, high = (float(end[0]) * differing for end in binomial(found, count, normal_quantile(level)))
    first, second = (predictions.models[place] for place in places)
    return wishes.planned(first, second, differing, flips, (low, high))
