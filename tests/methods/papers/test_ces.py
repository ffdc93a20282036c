"""CES: the plan against one that recounts, odd features, and the sentences it refuses with."""

from dataclasses import dataclass, replace
from functools import partial
from math import isnan

import numpy as np
import pytest

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Picker
from adjudge.errors import MethodError
from adjudge.methods.papers.ces import CES, VARIANTS
from adjudge.methods.papers.ces_sections import cut
from adjudge.simulation import contract as checks
from adjudge.simulation.contract import example_pool
from tests.support.pools import random_group, whole_plan

POOL, _ = example_pool(samples=400)
SMALL, _ = example_pool(samples=120)
FEATURES = np.random.default_rng(0).gamma(1.0, size=(400, 6)).round(1)
plan = partial(whole_plan, pool=POOL)


def objective(chosen: IntArray, code: Array, variant: str) -> float:
    """Equation 8, or the divergence, counted from nothing."""
    total = 0.0
    for unit in code.T:
        pool = np.bincount(unit, minlength=21) / len(unit)
        ours = np.bincount(unit[chosen], minlength=21) / len(chosen)
        if variant == "paper":
            total -= float(pool @ np.log(np.maximum(ours, 1e-10)))
        else:
            there = ours > 0
            total += float(ours[there] @ np.log(ours[there] / pool[there]))
    return float(total / code.shape[1])


def recounted(features: FloatArray, variant: str, tries: int, first: int, end: int) -> list[int]:
    """Algorithm 1 with the same random numbers, counting all chosen samples for every group."""
    code, rng = cut(features, 20), np.random.default_rng([0, 0])
    chosen: list[int] = rng.choice(len(code), first, replace=False).tolist()
    while len(chosen) < end:
        open_samples = np.setdiff1d(np.arange(len(code)), chosen)
        groups = [random_group(open_samples, chances) for chances in rng.random((tries, min(5, end - len(chosen))))]
        scores = [objective(np.array([*chosen, *group]), code, variant) for group in groups]
        chosen += groups[int(np.argmin(scores))]
    return chosen


@pytest.mark.parametrize("variant", ["paper", "reversed-kl"])
def test_the_plan_is_that_of_algorithm_1(variant: str) -> None:
    log = plan(CES(FEATURES, variant=variant, tries=40), 63)
    assert log.sample.tolist() == recounted(FEATURES, variant, 40, first=30, end=63)
    assert np.isnan(log.weight).all()


def test_a_small_pool_takes_the_divergence_and_five_first_samples() -> None:
    features = FEATURES[:120]
    log = plan(CES(features, tries=40), 30, pool=SMALL)
    assert log.sample.tolist() == recounted(features, "reversed-kl", 40, first=5, end=30)


def test_each_variant_has_its_number_of_groups() -> None:
    for variant, tries in (("paper", 300), ("reversed-kl", 30)):
        default, told = CES(FEATURES, variant=variant), CES(FEATURES, variant=variant, tries=tries)
        assert plan(default, 60).sample.tolist() == plan(told, 60).sample.tolist()


def test_the_chosen_samples_are_spread_like_the_pool() -> None:
    code, rng = cut(FEATURES, 20), np.random.default_rng(1)
    random = [objective(rng.choice(400, 80, replace=False), code, "paper") for _ in range(200)]
    assert objective(plan(CES(FEATURES), 80).sample, code, "paper") < min(random)


def test_without_a_budget_every_sample_comes_once() -> None:
    for budget in (None, 400, 1000):
        assert sorted(plan(CES(FEATURES, tries=5), budget).sample) == list(range(400))
    assert len(plan(CES(FEATURES), 47)) == 47


def test_a_plan_goes_on_where_it_ended() -> None:
    first = plan(CES(FEATURES), 40)
    log = plan(CES(FEATURES), 3, first)  # fewer than the 30 first ones, which are there already
    assert len(np.unique(log.sample)) == 43
    code = cut(FEATURES, 20)
    others = np.setdiff1d(np.arange(400), first.sample)
    rng = np.random.default_rng(2)
    random = [np.append(first.sample, rng.choice(others, 3, replace=False)) for _ in range(100)]
    assert objective(log.sample, code, "paper") < np.median([objective(each, code, "paper") for each in random])


def test_constant_and_broken_features_work() -> None:
    plain = plan(CES(FEATURES), 60).sample.tolist()
    constant = np.column_stack([FEATURES, np.full(400, 3.0), np.full(400, np.nan)])
    assert plan(CES(constant), 60).sample.tolist() == plain
    broken = FEATURES.copy()
    broken[::7, 0], broken[1, 1], broken[2, 1] = np.nan, np.inf, -np.inf
    assert cut(broken, 20)[7, 0] == cut(broken, 20)[1, 1] == 20
    assert len(plan(CES(broken), None)) == 400


def test_regressions_and_pools_of_one_sample_work() -> None:
    numbers = Predictions(np.zeros((1, 400)), ("a",), range(400), None)
    assert plan(CES(FEATURES), 60, pool=numbers).sample.tolist() == plan(CES(FEATURES), 60).sample.tolist()
    one = Predictions(np.zeros((1, 1)), ("a",), range(1), None)
    assert plan(CES(FEATURES[:1]), 1, pool=one).sample.tolist() == [0]


def test_what_is_missing_or_wrong_is_said_in_a_sentence() -> None:
    with pytest.raises(MethodError, match="ces needs the features of one model: name it with --model, or give CES"):
        plan(CES(), 50)
    with pytest.raises(
        MethodError, match="ces got the features of 400 samples for a pool of 120; give one row to each"
    ):
        plan(CES(FEATURES), 50, pool=SMALL)
    with pytest.raises(MethodError, match=r"a budget of 20 does not reach the 30 random samples .*at least 30, or the"):
        plan(CES(FEATURES), 20)
    with pytest.raises(MethodError, match="a budget of 4 does not reach the 5 random samples that ces starts with"):
        plan(CES(FEATURES[:120]), 4, pool=SMALL)
    with pytest.raises(
        MethodError, match="ces has no variant 'fast'; it has 'paper', 'reversed-kl', 'authors', 'authors-cross"
    ):
        CES(FEATURES, variant="fast")
    with pytest.raises(MethodError, match=r"the features of ces are float64 of the shape .400,.; give numbers, as"):
        CES(FEATURES[:, 0])
    with pytest.raises(MethodError, match=r"ces has -1 sections, .*; give at least one sample in a group, and nothing"):
        CES(FEATURES, sections=-1)


@dataclass(frozen=True)
class FromProbabilities:
    """CES with the probabilities of all models as features: these fit every pool of the contract."""

    variant: str

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        assert predictions.probabilities is not None
        samples = predictions.values.shape[1]
        features = np.moveaxis(predictions.probabilities, 1, 0).reshape(samples, -1)
        return CES(features, variant=self.variant).start(predictions, given, budget, seed)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_contract(variant: str) -> None:
    checks.check_selector(lambda: FromProbabilities(variant))


def test_the_features_are_locked() -> None:
    method = CES(FEATURES)
    assert method.features is not None
    assert not method.features.flags.writeable
    assert all(isnan(weight) for weight in plan(replace(method, first=3), 10).weight)
