"""How much two models differ from sample to sample, and how many samples show a difference of means.

For grades and means of losses these are differences of grades and losses; for other metrics, of influence values.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf, nan, sqrt

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.index import counted
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions, place_of
from adjudge.decisions.needed import Needed, PairPlan, Plan, known_labels
from adjudge.errors import NotEnoughLabels
from adjudge.inference.expansion import expansion_weights
from adjudge.inference.intervals import normal_quantile
from adjudge.inference.metrics.ratios import RatioMetric
from adjudge.inference.metrics.registry import as_mean, named_metric
from adjudge.inference.power import draws_for_mean
from adjudge.inference.weighted import MIN_LABELS_UNBOUNDED
from adjudge.losses.loss import default_loss, graded_samples

TOP = 4  # models whose pairs are looked at: the best so far
LEVEL = 0.95  # of the interval of a standard deviation


@dataclass(frozen=True)
class Target:
    """What a plan is to show, and with which error rates."""

    difference: float
    level: float
    power: float
    comparisons: int  # that share the error rate

    @property
    def alpha(self) -> float:
        return (1 - self.level) / self.comparisons


@dataclass(frozen=True)
class Spread:
    """The difference between two models on single samples, and the draws that show a difference of means."""

    places: tuple[int, int]
    differing: float  # the share of labeled samples on which they differ
    deviation: float  # the standard deviation of the difference
    draws: tuple[int, int, int]  # for the lower end of the interval of the deviation, for itself, for the upper end


def plan_grades(predictions: Predictions, labels: Labels | None, target: Target) -> Plan:
    """For a difference in grades."""
    log = labels or graded_samples(predictions) or Labels.empty(len(predictions.samples))
    quantity = predictions.grades.quantity if predictions.grades else ""
    return _plan(predictions, log, grade_spreads(predictions, log.settled(), target), target, quantity)


def plan_metric(
    predictions: Predictions,
    labels: Labels | None,
    metric: RatioMetric,
    models: Sequence[str] | None,
    target: Target,
) -> Plan:
    """For a difference in a metric, between these models or the best so far."""
    log = labels or Labels.empty(len(predictions.samples))
    places = None if models is None else tuple(place_of(name, predictions) for name in models)
    found = metric_spreads(predictions, log.settled(), metric, places, target)
    quantity = metric.metric if metric.positive is None else f"{metric.metric} of {metric.positive}"
    made = _plan(predictions, log, found, target, quantity)
    return replace(made, metric=metric.metric, positive=metric.positive)


def _plan(predictions: Predictions, log: Labels, found: list[Spread], target: Target, quantity: str) -> Plan:
    planned = []
    for each in found:
        needed = Needed(*each.draws)
        first, second = (predictions.models[place] for place in each.places)
        told = (each.differing, nan, needed, None, None, log.labeled)
        planned.append(PairPlan(first, second, *told, deviation=each.deviation))
    samples, typical = len(predictions.samples), planned[len(planned) // 2]
    asked = target.difference, target.level, target.power, target.comparisons
    return Plan(*asked, samples, None, *known_labels(log), tuple(planned), typical, quantity)


def grade_spreads(predictions: Predictions, log: Labels, target: Target) -> list[Spread]:
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
    found = _pairs(grades, np.ones(grades.shape[1]), _best_models(grades), log, target)
    if not found:
        raise NotEnoughLabels("the best models have the same grades so far; grade more samples with `adjudge select`")
    return found


def metric_spreads(
    predictions: Predictions,
    log: Labels,
    metric: RatioMetric,
    models: tuple[int, ...] | None,
    target: Target,
) -> list[Spread]:
    """The same by a metric, for the models named or the best so far, if labels were drawn with equal chances.

    What the labels say is weighted by how many samples each of them stands for.
    """
    name = metric.metric
    if log.labeled < MIN_LABELS_UNBOUNDED or np.isnan(log.weight[log.usable]).all():
        raise NotEnoughLabels(
            f"a plan for {name} depends on how much it varies, which takes {MIN_LABELS_UNBOUNDED} labels that were "
            f"drawn at random to see; draw some with `adjudge select --metric {name}`, and give them with --labels"
        )
    values = _influence(predictions, log, metric)
    goodness = metric.rank(predictions, log).estimate.goodness if named_metric(name).metric.mean is None else None
    weight = expansion_weights(predictions, log)[log.usable]
    first = models or _best_models(
        -values if goodness is None else np.repeat(goodness[:, None], values.shape[1], axis=1)
    )
    found = _pairs(values, weight, first, log, target)
    if not found:
        raise NotEnoughLabels(f"{name} of these models is the same so far; label more samples with `adjudge select`")
    return found


def _influence(predictions: Predictions, log: Labels, metric: RatioMetric) -> FloatArray:
    """(models, labeled rows): losses in the users' units, or influence values; nan where a prediction is missing."""
    mean = as_mean(metric.metric, predictions, log, metric.positive)
    if mean is not None:
        pool, loss = mean
        return loss.max_loss * loss(pool.values[:, log.sample[log.usable]], log.value[log.usable])
    known = metric.estimated(predictions, log).mean.known
    return np.where(known.observed, known.losses, np.nan)[:, log.usable]


def _best_models(good: FloatArray) -> tuple[int, ...]:
    """The models with the highest means of (models, rows); nan where there is none."""
    said = ~np.isnan(good)
    mean = np.where(said, good, 0.0).sum(axis=1) / np.maximum(said.sum(axis=1), 1)
    return tuple(np.argsort(np.where(said.sum(axis=1) > 1, -mean, inf), kind="stable")[:TOP].tolist())


def _pairs(
    values: FloatArray, weight: FloatArray, models: tuple[int, ...], log: Labels, target: Target
) -> list[Spread]:
    """By the deviation of the difference of values (models, rows), with weights (rows,)."""
    size, found, said = inf if log.labeled == log.pool else log.pool, [], ~np.isnan(values)
    for one, other in combinations(models, 2):
        both = said[one] & said[other]
        apart, share = (values[one] - values[other])[both], weight[both] / weight[both].sum()
        if apart.size < 2 or not apart.any():  # equal so far is not the same as equal
            continue
        variance = float(share @ (apart - share @ apart) ** 2) * apart.size / (apart.size - 1)
        deviation, unsure = sqrt(variance), float(normal_quantile(LEVEL)) / sqrt(2 * (apart.size - 1))
        ends = (deviation * max(0.0, 1 - unsure), deviation, deviation * (1 + unsure))
        draws = [draws_for_mean(target.difference, each, target.alpha, target.power, size) for each in ends]
        differing = float(np.mean(apart != 0))
        found.append(Spread((one, other), differing, deviation, (draws[0], draws[1], draws[2])))
    return sorted(found, key=lambda each: each.deviation)
