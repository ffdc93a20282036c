"""CSS: strata, quotas, weights, and the sentences it refuses with."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given as for_all
from hypothesis import strategies as some

import adjudge
from adjudge.core.labels import Labels
from adjudge.errors import MethodError
from adjudge.losses.loss import ZeroOne
from adjudge.methods.baselines.drawn import drawn_error
from adjudge.methods.papers.css import CSS, quotas
from adjudge.simulation import contract as checks
from adjudge.simulation.contract import example_pool
from tests.support.pools import Task, whole_plan

POOL, TRUTH = example_pool(samples=200)
plan = partial(whole_plan, pool=POOL)


def test_the_estimate_is_equation_4() -> None:
    log = plan(CSS("model 3"), 50)
    answered = replace(log, value=TRUTH[log.sample].astype(float), answered=np.ones(50, dtype=bool))
    order = np.argsort(-CSS("model 3").confidence(POOL), kind="stable")
    wrong = POOL.values != TRUTH
    expected = np.zeros(5)
    for stratum, size, draws in ((order[:160], 0.8, 10), (order[160:180], 0.1, 20), (order[180:], 0.1, 20)):
        drawn = np.intersect1d(log.sample, stratum)
        assert len(drawn) == draws
        expected += size * wrong[:, drawn].mean(axis=1)
    assert drawn_error(POOL, answered, ZeroOne()) == pytest.approx(expected)
    assert set(log.seen) == {0}


def test_strata_follow_the_confidence_of_the_named_model() -> None:
    assert CSS().confidence(POOL) == pytest.approx(CSS("model 0").confidence(POOL))
    assert POOL.probabilities is not None
    highest = POOL.probabilities[2].max(axis=1)
    log = plan(CSS("model 2"), 50)
    light = log.sample[log.weight < 1]  # drawn more often than at random
    assert highest[light].max() <= np.sort(highest)[40]


def test_proportional_draws_weigh_the_same() -> None:
    assert plan(CSS(proportional=True), 50).weight == pytest.approx(np.ones(50))


def test_without_a_budget_every_sample_comes_once_with_the_same_weight() -> None:
    for budget in (None, 200, 1000):
        log = plan(CSS(), budget)
        assert sorted(log.sample) == list(range(200))
        assert log.weight == pytest.approx(np.ones(200))


def test_the_plan_ends_with_the_budget() -> None:
    assert len(plan(CSS(), 17)) == 17


def test_labels_that_exist_are_left_out() -> None:
    known = Labels.known(200, np.arange(0, 200, 4), np.zeros(50))
    log = plan(CSS(), 15, known)
    assert len(np.unique(log.sample)) == 65
    assert set(log.seen[50:]) == {50}
    # 150 open samples: 120, 15 and 15, of which 3, 6 and 6 are drawn
    assert sorted(log.weight[50:]) == pytest.approx([0.25] * 12 + [4] * 3)


def test_going_on_with_a_log_draws_anew() -> None:
    first = plan(CSS(), 50)
    assert set(first.weight) == {0.25, 4.0}
    assert len(plan(CSS(), 50, first)) == 100


def test_too_small_a_budget_and_equal_confidence_are_plain_random_draws() -> None:
    assert plan(CSS(), 2).weight == pytest.approx([1, 1])
    flat = replace(POOL, probabilities=np.full((5, 200, 3), 1 / 3))
    assert plan(CSS(), 50, pool=flat).weight == pytest.approx(np.ones(50))


def test_a_sample_without_probabilities_is_among_the_least_confident() -> None:
    assert POOL.probabilities is not None
    holes = np.array(POOL.probabilities)
    holes[0, 5] = np.nan
    assert CSS().confidence(replace(POOL, probabilities=holes))[5] == -1


@for_all(
    some.lists(some.integers(0, 30), min_size=1, max_size=5).filter(any),
    some.lists(some.floats(0.01, 1), min_size=5, max_size=5),
    some.data(),
)
def test_quotas_use_up_the_budget(sizes: list[int], shares: list[float], data: some.DataObject) -> None:
    size = np.array(sizes)
    draws = data.draw(some.integers(int(np.count_nonzero(size)), int(size.sum())))
    share = np.array(shares[: len(sizes)])
    quota = quotas(draws, size, share / share.sum())
    assert quota.sum() == draws
    assert (quota <= size).all()
    assert (quota[size > 0] > 0).all()


def test_what_is_missing_or_wrong_is_said_in_a_sentence() -> None:
    with pytest.raises(MethodError, match="css needs the probabilities of each class, or numbers about samples"):
        plan(CSS(), 10, pool=replace(POOL, probabilities=None))
    with pytest.raises(MethodError, match="there is no model 'model 9'; did you mean 'model "):
        plan(CSS("model 9"), 10)
    with pytest.raises(MethodError, match=r"the strata of css are .0.8, 0.1.; give numbers above 0 that sum to 1"):
        CSS(strata=(0.8, 0.1))
    with pytest.raises(MethodError, match=r"the shares of css are .*; give numbers above 0"):
        CSS(shares=(1.0, 0.0, 0.0))
    with pytest.raises(MethodError, match="css has 2 strata but 3 shares of draws; give one for each stratum"):
        CSS(strata=(0.5, 0.5))


@pytest.mark.parametrize("method", [CSS("model 0", proportional=True), CSS(strata=(0.5, 0.5), shares=(0.1, 0.9))])
def test_other_options_keep_the_contract(method: CSS) -> None:
    checks.check_selector(lambda: method)


SURPRISE = np.random.default_rng(4).permutation(200).astype(np.float64)
ODD = replace(POOL, probabilities=None).with_auxiliary("odd", np.stack([SURPRISE, -SURPRISE] + [SURPRISE] * 3))


def test_by_numbers_the_strata_go_from_the_lowest_to_the_highest() -> None:
    for by in ("odd", "auxiliary_odd"):
        log = plan(CSS(by=by), 50, pool=ODD)
        surprise = SURPRISE[log.sample]
        assert sorted(np.digitize(surprise, [160, 180])) == [0] * 10 + [1] * 20 + [2] * 20
        assert log.weight[surprise >= 160] == pytest.approx(np.full(40, 0.25))
        assert log.weight[surprise < 160] == pytest.approx(np.full(10, 4.0))


def test_by_numbers_those_of_the_named_model_count() -> None:
    first, second = (plan(CSS(model, by="odd"), 50, pool=ODD) for model in (None, "model 1"))
    assert SURPRISE[first.sample[first.weight < 1]].min() >= 160
    assert SURPRISE[second.sample[second.weight < 1]].max() < 40
    fewer = replace(ODD, values=ODD.values[1:2], models=("model 1",))  # rows go by name, not by place
    assert plan(CSS(by="odd"), 50, pool=fewer).sample.tolist() == second.sample.tolist()


def test_by_numbers_missing_ones_are_the_most_surprising() -> None:
    holes = np.where(SURPRISE < 20, np.nan, SURPRISE)
    log = plan(CSS(by="odd", strata=(0.9, 0.1), shares=(0.5, 0.5)), 40, pool=POOL.with_auxiliary("odd", holes))
    assert np.isnan(holes[log.sample]).sum() == 20


def test_by_equal_numbers_draws_are_plain() -> None:
    assert plan(CSS(by="odd"), 50, pool=POOL.with_auxiliary("odd", np.ones(200))).weight == pytest.approx(np.ones(50))


def test_by_a_column_that_is_not_there() -> None:
    with pytest.raises(MethodError, match="there are no numbers 'even' about these samples; there are 'auxiliary_odd'"):
        plan(CSS(by="even"), 50, pool=ODD)


def test_the_log_goes_on_by_the_same_numbers() -> None:
    first = adjudge.select(ODD, 30, "css", options={"by": "odd", "model": "model 1"})
    assert first.header.parameters == {"by": "odd", "model": "model 1"}
    for said in (None, {"model": "model 1"}):
        more = adjudge.select(ODD, 30, labels=first, options=said)
        assert more.header.parameters == {"by": "odd", "model": "model 1"}
        rows = slice(30, 60)
        assert SURPRISE[more.sample[rows][more.weight[rows] < 1]].max() < 80


def test_a_regression_is_estimated_by_its_surprise(task: Task) -> None:
    path: Path = task("driving_dave")
    pool, truth = adjudge.read_truth(path, adjudge.read(path))
    log = adjudge.select(pool, 50, "css", options={"by": "auxiliary_lsa"})
    answers = {str(sample): truth[sample] for sample in log.sample}
    found = adjudge.estimate(pool, "Dave-orig", adjudge.fill(log, pool, answers)).estimate
    assert (found.quantity, found.lower_is_better) == ("MSE", True)
    assert 0 <= found.value[0] < 0.4
