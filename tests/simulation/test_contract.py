"""The checks catch what they are there for: each broken method below fails with its sentence."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.core.sampling import Picker
from adjudge.errors import NotEnoughLabels
from adjudge.methods.baselines.drawn import Drawn
from adjudge.methods.baselines.random import Random
from adjudge.simulation.contract import check_interval, check_ranker, check_selector

Rule = Callable[[Labels, int], Pick | None]


@dataclass(frozen=True)
class By:
    """A selector made from a rule."""

    rule: Rule

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        return lambda labels: self.rule(labels, seed)


def first_open(labels: Labels) -> int | None:
    rest = np.setdiff1d(np.arange(labels.pool), labels.sample)
    return int(rest[0]) if rest.size else None


def in_order(labels: Labels, seed: int) -> Pick | None:
    sample = first_open(labels)
    return None if sample is None else Pick(sample)


def pretends_to_draw(labels: Labels, seed: int) -> Pick | None:
    sample = first_open(labels)
    return None if sample is None else Pick(sample, 1.0, len(labels))


def stops_early(labels: Labels, seed: int) -> Pick | None:
    return None


def repeats(labels: Labels, seed: int) -> Pick | None:
    return None if len(labels) == labels.pool else Pick(0)


def touches_global_state(labels: Labels, seed: int) -> Pick | None:
    np.random.random()  # noqa: NPY002
    return in_order(labels, seed)


def forgets_the_seed(labels: Labels, seed: int) -> Pick | None:
    rest = np.setdiff1d(np.arange(labels.pool), labels.sample)
    return Pick(int(np.random.default_rng().choice(rest))) if rest.size else None


def test_a_plain_order_passes() -> None:
    check_selector(lambda: By(in_order))


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (pretends_to_draw, "biased"),
        (stops_early, "stops before all samples are picked"),
        (repeats, "picked twice"),
        (touches_global_state, "global random state"),
        (forgets_the_seed, "another pick"),
    ],
)
def test_broken_selectors_are_caught(rule: Rule, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_selector(lambda: By(rule))


@dataclass(frozen=True)
class Scores:
    """A ranker made from a function of predictions and labels."""

    score: Callable[[Predictions, Labels], Estimate]

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        return Ranking.by_value(predictions.models, self.score(predictions, labels))


def by_code(predictions: Predictions, labels: Labels) -> Estimate:
    return Estimate.without_interval(predictions.values.mean(axis=1), "mean code")


def by_place(predictions: Predictions, labels: Labels) -> Estimate:
    return Estimate.without_interval(np.arange(len(predictions.models)), "place")


def by_first_sample(predictions: Predictions, labels: Labels) -> Estimate:
    return Estimate.without_interval((predictions.values == predictions.values[:, :1]).mean(axis=1), "like the first")


def too_sure(predictions: Predictions, labels: Labels) -> Estimate:
    estimate = Drawn().rank(predictions, labels).estimate
    return replace(estimate, low=estimate.value - 0.05, high=estimate.value + 0.05)


def too_modest(predictions: Predictions, labels: Labels) -> Estimate:
    estimate = Drawn().rank(predictions, labels).estimate
    return replace(estimate, low=np.minimum(0.2, estimate.value), high=np.ones_like(estimate.high))


def beside_itself(predictions: Predictions, labels: Labels) -> Estimate:
    if not labels.usable.any():
        raise NotEnoughLabels("none")
    estimate = Drawn().rank(predictions, labels).estimate
    return replace(estimate, value=estimate.high + 0.1)


@pytest.mark.parametrize(
    ("score", "sentence"),
    [
        (by_code, "renaming the classes"),
        (by_first_sample, "reordering the samples"),
        (by_place, "reordering the models"),
        (beside_itself, "outside its own interval"),
    ],
)
def test_broken_rankers_are_caught(score: Callable[[Predictions, Labels], Estimate], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_ranker(lambda: Scores(score))


@pytest.mark.parametrize(("score", "sentence"), [(too_sure, "hold the truth in 0.[5-8]"), (too_modest, "too wide")])
def test_broken_intervals_are_caught(score: Callable[[Predictions, Labels], Estimate], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_interval(Random, lambda: Scores(score))
