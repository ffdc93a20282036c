"""Sample size planning: how many labels a comparison needs to show a difference, before the first is bought."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, inf, nan

import numpy as np

from adjudge.core.arrays import competition_rank
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions, place_of
from adjudge.core.votes import Votes, vote_agreement, votes
from adjudge.decisions.checks import check_labels, check_pool
from adjudge.decisions.needed import NONE, Needed, PairPlan, Plan, known_labels
from adjudge.decisions.spread import Target, plan_grades, plan_metric
from adjudge.errors import InputError
from adjudge.inference.intervals import mid_p_interval, normal_quantile
from adjudge.inference.metrics.ratios import RatioMetric
from adjudge.inference.metrics.registry import check_metric, named_metric
from adjudge.inference.paired_difference import PairedDifference
from adjudge.inference.power import McNemarPower
from adjudge.inference.ranks import TINY
from adjudge.io.given import LabelsLike, PredictionsLike, given_pool
from adjudge.losses.loss import ZeroOne, mean_grade

SHARE = 0.01  # of the range, that is the difference to show where none is named
TOP = 4  # models whose pairs are planned for when none are named


def plan(
    predictions: PredictionsLike,
    difference: float | None = None,
    *,
    models: Sequence[str] | None = None,
    labels: LabelsLike | None = None,
    metric: str | None = None,
    positive: str | None = None,
    level: float = 0.95,
    power: float = 0.8,
    simultaneous: bool = False,
) -> Plan:
    """How many labels show a difference in accuracy with this power, if the models differ by that much.

    The number is that at which the exact McNemar test behind `compare` reaches the power, for uniform draws; it depends
    on the number of flips (samples on which exactly one model is right), at most that of samples on which the two
    differ. For grades and other metrics it is the paired t test, with the deviation of at least 20 labels so far.

    Parameters
    ----------
    difference
        By default 0.01; of grades, 1% of their range.
    models
        Those whose pairs are planned for; by default the four with common samples that agree most with the vote.
    labels
        Labels so far, which replace the largest possible number of flips by an estimate.
    metric, positive
        A metric that the difference is about, in its units, and its class if it is about one, as for `rank`.
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
    metric = _other_metric(predictions, metric, positive)
    difference = _smallest(predictions) if difference is None else difference
    if labels is not None:
        check_labels(predictions, labels)
    _check_requirements(predictions, metric, difference, level, power)
    only = _only(predictions, models)
    target = Target(difference, level, power, comb(len(only.models), 2) if simultaneous else 1)
    if metric is not None:
        return plan_metric(predictions, labels, RatioMetric(metric, positive, level), models, target)
    by_grades = only.grades is not None
    return plan_grades(only, labels, target) if by_grades else _plan_accuracy(only, labels, models, target)


def _pairs(predictions: Predictions, models: Sequence[str] | None) -> list[tuple[int, int]]:
    """The pairs to plan for: all of the models that are named, or those of the first ones."""
    return _top_pairs(predictions) if models is None else list(combinations(range(len(predictions.models)), 2))


def _smallest(predictions: Predictions) -> float:
    """The difference that matters, where none is told: one point of accuracy, or 1% of the range of grades."""
    return SHARE * (1.0 if predictions.grades is None else mean_grade(predictions.grades).max_loss)


def _plan_accuracy(
    predictions: Predictions, labels: Labels | None, models: Sequence[str] | None, target: Target
) -> Plan:
    pairs = _pairs(predictions, models)
    mean = _mean_differing(counted := votes(predictions))
    samples, disputed = len(predictions.samples), int(np.count_nonzero(~counted.unanimous))
    required = _Requirements(target.difference, target.alpha, target.power, samples, disputed)
    log = None if labels is None or not labels.usable.any() else labels.settled()
    planned = tuple(_pair_plan(predictions, places, log, required, target.level) for places in pairs)
    needed = required.needed(samples, round(mean * samples), (target.difference, mean, mean))
    typical = PairPlan("any", "other", mean, nan, *needed)
    asked = target.difference, target.level, target.power, target.comparisons
    return Plan(*asked, samples, disputed, *known_labels(log), planned, typical)


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


def _other_metric(predictions: Predictions, metric: str | None, positive: str | None) -> str | None:
    """The metric, if it is another one than accuracy; MSE for numbers."""
    if metric is None and positive is not None:
        raise InputError(f"the class {positive!r} is given without a metric; add one that is about a class, such as f1")
    if metric is None:
        return "mse" if predictions.classes is None and predictions.grades is None else None
    check_metric(wanted := named_metric(metric), predictions, positive)
    return None if wanted.metric.mean == "zero-one" else metric


def _check_requirements(
    predictions: Predictions, metric: str | None, difference: float, level: float, power: float
) -> None:
    if metric is not None:
        if not 0 < difference < inf:
            raise InputError(f"a difference of {difference:g} is not above zero; give it in the units of {metric}")
    elif predictions.grades is not None:
        most = (span := predictions.grades.span) and span[1] - span[0]
        if not 0 < difference < (most or inf):
            raise InputError(
                f"a difference of {difference:g} is not within the range of grades; give it in their units"
            )
    elif not 0 < difference < 1:
        raise InputError(f"a difference of {difference:g} is not between 0 and 1; 0.01 is one point of accuracy")
    for name, share in (("level", level), ("power", power)):
        if not 0.5 <= share < 1:
            raise InputError(f"the {name} {share:g} is not between 0.5 and 1")


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
        """Labels drawn from all samples, from those in dispute, and from those where the two differ."""
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
        net = min(max(1, round(self.difference * both)), differing)
        flips = min(max(round(share * both), net), differing)
        lost = (min(flips + 1, differing) - net) // 2
        return McNemarPower(lost + net, lost, differing, self.alpha)


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
    return PairPlan(first, second, differing, flips, *needed, labeled=counting, uncounted=informative - counting)
