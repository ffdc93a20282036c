"""Abstentions: what the contract asks of every ranker, what it finds, and what declaring them brings on real pools."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from adjudge import rank, read, read_truth, registry
from adjudge.core.labels import Labels
from adjudge.core.predictions import ABSTAINED, MISSING, Predictions
from adjudge.core.ranking import Ranking
from adjudge.core.strata import disputed
from adjudge.evaluation import spearman
from adjudge.losses.loss import Cost
from adjudge.methods.baselines.agreement import Agreement
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.contract import check_ranker, example_pool
from adjudge.simulation.loop import bought
from tests.support.pools import Task


def of_their_own(pool: Predictions) -> Predictions:
    """The pool in which every abstention is a class that no other answer has."""
    assert pool.classes is not None
    values, abstained = pool.values.astype(np.int64), pool.values < MISSING
    values[abstained] = len(pool.classes) + np.arange(abstained.sum())
    more = tuple(f"abstention {number}" for number in range(abstained.sum()))
    return replace(pool, values=values, classes=(*pool.classes, *more), abstain=())


def silenced(share: float = 0.3, **told: Any) -> tuple[Predictions, Any]:
    """A pool whose models abstain now and then; some predictions are missing."""
    pool, truth = example_pool(**told)
    chance = np.random.default_rng(3).random(pool.values.shape)
    values = np.where(chance < share, ABSTAINED, np.where(chance > 0.95, MISSING, pool.values))
    return replace(pool, values=values, probabilities=None, abstain=("none",)), truth


@dataclass(frozen=True)
class OneMoreClass:
    """A ranker that forgets what abstentions are: to it they are one more class, on which models agree."""

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        values, classes = np.maximum(predictions.values, ABSTAINED), len(predictions.classes or ())
        names = (*(predictions.classes or ()), "none")
        values = np.where(values == ABSTAINED, classes, values)
        return Agreement().rank(
            replace(predictions, values=values, classes=names, probabilities=None, abstain=()), labels
        )


@dataclass(frozen=True)
class Unjudged:
    """One to which they are missing."""

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        return Agreement().rank(replace(predictions, values=np.maximum(predictions.values, MISSING)), labels)


@pytest.mark.parametrize("forgetful", [OneMoreClass, Unjudged])
def test_the_contract_finds_rankers_that_forget_them(forgetful: Any) -> None:
    with pytest.raises(AssertionError, match="models that abstain do not come last"):
        check_ranker(forgetful)


@pytest.mark.parametrize("name", ["labeled", "drawn"])
def test_labels_judge_them_like_classes_of_their_own(name: str) -> None:
    pool, truth = silenced(models=6, samples=80)
    labels = bought(Random(), pool, truth, 30, 2)
    found, expected = (registry.ranker(name).rank(each, labels) for each in (pool, of_their_own(pool)))
    assert (found.rank == expected.rank).all()
    assert found.estimate.value == pytest.approx(expected.estimate.value, abs=1e-12)


def test_samples_on_which_one_abstains_are_disputed() -> None:
    pool, _ = silenced(models=4, samples=60)
    assert disputed(pool).tolist() == disputed(of_their_own(pool)).tolist()


def test_an_abstention_costs_the_most_there_is() -> None:
    cost = Cost(np.array([[0.0, 1.0], [4.0, 0.0]]))
    assert cost(np.array([[0, -2, -1]]), np.array([1.0, 0.0, 0.0])).tolist()[0][:2] == [1.0, 1.0]


@pytest.mark.parametrize("selector", [Random(), Pooled(), Pooled(goal="estimate")])
def test_one_who_always_abstains_is_known_to_be_always_wrong(selector: Any) -> None:
    pool, truth = silenced(models=5, samples=200)
    values = np.vstack([pool.values, np.full((1, 200), ABSTAINED)])
    pool = replace(pool, values=values, models=(*pool.models, "silent"))
    found = rank(pool, bought(selector, pool, truth, 30, 0))
    assert [end[-1] for end in (found.estimate.value, found.estimate.low, found.estimate.high)] == [0.0, 0.0, 0.0]
    assert found.rank[-1] == 6


@pytest.mark.parametrize(
    ("name", "before", "after"), [("llm_financemath_open", 0.8, 0.97), ("llm_lawbench_argument", 0.75, 0.94)]
)
def test_models_are_ordered_better_without_labels(task: Task, name: str, before: float, after: float) -> None:
    path, order = task(name), []
    for told in ((), ("(none)",)):
        pool, truth = read_truth(path, read(path, abstain=told))
        accuracy = (pool.values == truth).mean(axis=1)
        order.append(spearman(accuracy, -rank(pool, method=None if told else "pooled").rank.astype(np.float64)))
    assert order[0] < before
    assert order[1] >= after
