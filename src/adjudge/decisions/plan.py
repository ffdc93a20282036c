"""Sample size planning: how many labels a comparison needs to show a difference, before the first is bought."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf, isnan, nan
from typing import NamedTuple

import numpy as np

from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions, place_of
from adjudge.core.ranks import competition_rank
from adjudge.core.votes import Votes, vote_agreement, votes
from adjudge.decisions.checks import check_labels, check_pool
from adjudge.decisions.grade_spread import grade_spreads
from adjudge.errors import InputError, MethodError
from adjudge.inference.intervals import mid_p_interval, normal_quantile
from adjudge.inference.paired_difference import PairedDifference
from adjudge.inference.power import McNemarPower
from adjudge.inference.ranks import TINY
from adjudge.io.given import LabelsLike, PredictionsLike, given_pool
from adjudge.losses.loss import ZeroOne, graded_samples

TOP = 4  # models whose pairs are planned for when none are named


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
        And if they are drawn only where the models do not all say the same.
    where_they_differ
        And if they are drawn only where these two differ, as `select` draws them with `models`.
    labeled
        Labels so far that count toward the latter.
    known
        Whether every sample on which they differ is labeled, so that no more are needed.
    deviation
        The standard deviation of the difference between their grades; nan for classes.
    """

    a: str
    b: str
    differing: float
    flips: float
    everywhere: Needed
    in_dispute: Needed
    where_they_differ: Needed
    labeled: int = 0
    known: bool = False
    deviation: float = nan


@dataclass(frozen=True)
class Plan:
    """Labels needed to show a difference in accuracy.

    Attributes
    ----------
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
    disputed: int
    labels: int
    usable: int
    pairs: tuple[PairPlan, ...]
    typical: PairPlan
    quantity: str = "accuracy"

    def __repr__(self) -> str:
        needed = self.typical
        if not isnan(needed.deviation):
            return f"Plan({self.difference:g} with {self.power:.0%} power: {needed.everywhere.likely} samples)"
        return (
            f"Plan({self.difference:g} with {self.power:.0%} power: {needed.where_they_differ.likely} of the "
            f"{round(needed.differing * self.samples)} samples on which two models differ, or "
            f"{needed.everywhere.likely} of all {self.samples})"
        )


def plan(
    predictions: PredictionsLike,
    difference: float = 0.01,
    *,
    models: Sequence[str] | None = None,
    labels: LabelsLike | None = None,
    level: float = 0.95,
    power: float = 0.8,
    simultaneous: bool = False,
) -> Plan:
    """How many labels show a difference in accuracy with this power, if the models differ by that much.

    The number is that at which the exact McNemar test behind `compare` reaches the power, for uniform draws. The test
    depends on the number of flips (samples on which exactly one model is right), which is at most the number of samples
    on which the two predictions differ. For grades it is the paired t test, with the deviation of the grades so far.

    Parameters
    ----------
    models
        Those whose pairs are planned for; by default the four of the same samples that agree most with the vote.
    labels
        Labels so far, which replace the largest possible number of flips by an estimate.
    simultaneous
        Whether all pairs, of the models named or of the pool, share the error rate (Bonferroni).

    Examples
    --------
    >>> values = np.array([[0] * 200, [0] * 180 + [1] * 20])
    >>> plan(Predictions(values, ("a", "b"), range(200), ("x", "y")), 0.05)
    Plan(0.05 with 80% power: 14 of the 20 samples on which two models differ, or 140 of all 200)
    """
    predictions, labels = given_pool(predictions, labels)
    check_pool(predictions)
    _check_requirements(predictions, difference, level, power)
    predictions = _only(predictions, models)
    if labels is not None:
        check_labels(predictions, labels)
    count = len(predictions.models)
    comparisons = count * (count - 1) // 2 if simultaneous else 1
    if predictions.grades is not None:
        return _plan_grades(predictions, labels, difference, level, power, comparisons)
    mean = _mean_differing(counted := votes(predictions))
    pairs = list(combinations(range(len(predictions.models)), 2)) if models is not None else _top_pairs(predictions)
    samples, disputed = len(predictions.samples), int(np.count_nonzero(~counted.unanimous))
    required = _Requirements(difference, (1 - level) / comparisons, power, samples, disputed)
    log = None if labels is None or not labels.usable.any() else labels.settled()
    planned = tuple(_pair_plan(predictions, places, log, required, level) for places in pairs)
    needed = required.needed(samples, round(mean * samples), (difference, mean, mean))
    typical = PairPlan("any", "other", mean, nan, *needed)
    return Plan(difference, level, power, comparisons, samples, disputed, *_known_labels(log), planned, typical)


def _known_labels(log: Labels | None) -> tuple[int, int]:
    """How many labels there are, and how many of them can be used: none if how they were chosen is not known."""
    if log is None:
        return 0, 0
    return log.labeled, 0 if np.isnan(log.weight[log.usable]).all() else log.labeled


def _only(predictions: Predictions, models: Sequence[str] | None) -> Predictions:
    """The pool of the models that were named, or of all."""
    if models is None:
        if len(predictions.models) < 2:
            raise InputError("a plan compares models, and the pool has only one; give at least two")
        return predictions
    places = [place_of(name, predictions) for name in models]
    if len(set(places)) < len(places) or len(places) < 2:
        raise InputError("a plan compares models; name at least two, each once")
    values = predictions.values[places]
    return replace(predictions, values=values, models=tuple(models), probabilities=None, whole=predictions)


def _mean_differing(counted: Votes) -> float:
    """How often two models that both predict a sample differ, over all pairs."""
    present = counted.present[counted.present > 1].astype(np.float64)
    same = counted.pairs[counted.present > 1].sum()
    return float(1 - same / (present * (present - 1)).sum()) if present.size else 0.0


def _check_requirements(predictions: Predictions, difference: float, level: float, power: float) -> None:
    if predictions.grades is not None:
        most = (span := predictions.grades.span) and span[1] - span[0]
        if not 0 < difference < (most or inf):
            raise InputError(
                f"a difference of {difference:g} is not within the range of grades; give it in their units"
            )
    elif predictions.classes is None:
        raise MethodError(
            "a plan needs predicted classes, and these predictions are numbers; label a few samples and look at the "
            "interval of `compare`"
        )
    elif not 0 < difference < 1:
        raise InputError(f"a difference of {difference:g} is not between 0 and 1; 0.01 is one point of accuracy")
    for name, share in (("level", level), ("power", power)):
        if not 0.5 <= share < 1:
            raise InputError(f"the {name} {share:g} is not between 0.5 and 1")


def _plan_grades(
    predictions: Predictions, labels: Labels | None, difference: float, level: float, power: float, comparisons: int
) -> Plan:
    log = labels or graded_samples(predictions) or Labels.empty(len(predictions.samples))
    planned = []
    for each in grade_spreads(predictions, log.settled(), difference, (1 - level) / comparisons, power):
        needed = Needed(*each.draws)
        first, second = (predictions.models[place] for place in each.places)
        pair = PairPlan(
            first, second, each.differing, nan, needed, needed, needed, log.labeled, deviation=each.deviation
        )
        planned.append(pair)
    typical, quantity = planned[len(planned) // 2], predictions.grades.quantity if predictions.grades else ""
    told = (len(predictions.samples), len(predictions.samples), *_known_labels(log))
    return Plan(difference, level, power, comparisons, *told, tuple(planned), typical, quantity)


def _top_pairs(predictions: Predictions) -> list[tuple[int, int]]:
    """Pairs of the models that agree most with the vote and have a sample in common."""
    share = vote_agreement(predictions, Labels.empty(len(predictions.samples)))
    top = np.argsort(competition_rank(share), kind="stable")[:TOP].tolist()
    said = {place: predictions.values[place] != MISSING for place in top}
    pairs = [(first, second) for first, second in combinations(top, 2) if (said[first] & said[second]).any()]
    if not pairs:
        raise InputError(
            f"no two of the {len(top)} models that agree most with the vote predicted the same sample; name two that "
            "did: --models (models= in Python)"
        )
    return pairs


@dataclass(frozen=True)
class _Requirements:
    difference: float
    alpha: float
    power: float
    samples: int
    disputed: int

    def needed(self, both: int, differing: int, flips: Sequence[float]) -> tuple[Needed, Needed, Needed]:
        """Labels drawn from all samples, from the disputed and from the differing ones, for these shares of flips."""
        ends = [self._flips(both, differing, each) for each in flips]
        everywhere, in_dispute, where_they_differ = (
            _range([0 if end is None else end.labels_for(self.power, size) for end in ends])
            for size in (self.samples, max(self.disputed, differing), differing)
        )
        return everywhere, in_dispute, where_they_differ

    def _flips(self, both: int, differing: int, share: float) -> McNemarPower | None:
        """The test for this share of flips; None: so large a difference is impossible, so no label is needed."""
        if not differing or differing < self.difference * both - TINY:
            return None
        apart = min(max(1, round(self.difference * both)), differing)
        flips = min(max(round(share * both), apart), differing)
        losses = (min(flips + 1, differing) - apart) // 2
        return McNemarPower(losses + apart, losses, differing, self.alpha)


def _range(labels: list[int]) -> Needed:
    """Sorted, since with a few more flips the exact test, a step function, may need a few labels less."""
    return Needed(min(labels), labels[1], max(labels))


def _pair_plan(
    predictions: Predictions, places: tuple[int, int], labels: Labels | None, required: _Requirements, level: float
) -> PairPlan:
    empty = Labels.empty(len(predictions.samples))
    pair = PairedDifference.of(predictions, places, empty if labels is None else labels, ZeroOne())
    both = int(pair.both.sum())
    differing = float(pair.differ.sum() / both)
    flips, low, high = nan, required.difference, differing
    informative = int(pair.informative.sum())
    if informative and (pair.complete or (pair.drawn & pair.informative).any()):
        flips = min(sum(pair.flip_shares()), differing)
        if pair.uniform and not pair.complete:
            found, count = np.array([flips / differing]), np.array([float(informative)])
            low, high = (float(end[0]) * differing for end in mid_p_interval(found, count, normal_quantile(level)))
    first, second = (predictions.models[place] for place in places)
    if informative and pair.complete:
        return PairPlan(first, second, differing, flips, NONE, NONE, NONE, known=True)
    likely = differing if np.isnan(flips) else flips
    needed = required.needed(both, int(pair.differ.sum()), (low, likely, high))
    counting = int((pair.drawn & pair.informative).sum()) if pair.uniform else 0
    return PairPlan(first, second, differing, flips, *needed, labeled=counting)
