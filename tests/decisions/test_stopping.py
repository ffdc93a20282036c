"""Stopping rules: when they end, what they promise, and what stands in their way."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Selector
from adjudge.decisions.stopping import StoppingRule, separated, stopping_status, within
from adjudge.errors import InputError
from adjudge.inference.anytime import AnytimeIntervals
from adjudge.inference.weighted import FixedBudgetIntervals, pool_mean
from adjudge.losses.loss import ZeroOne
from adjudge.losses.numbers import Squared
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.pooled import Pooled
from adjudge.reports.stops import how_many, standing_sentence
from adjudge.simulation.contract import StratifiedDraws, example_pool
from adjudge.simulation.loop import answers_of, bought, steps
from tests.support.close_pool import close_pool


@pytest.mark.parametrize("selector", [Random(), StratifiedDraws()])
def test_the_promise_is_kept_by_one_who_looks_again_and_again(selector: Selector) -> None:
    """Of two models that are equally good neither may be shown to be better, in 95% of runs from the first look to
    the last: what `separated` rests on. Intervals for a fixed budget, looked at as often, do not keep that promise.
    """
    values = np.zeros((2, 100), dtype=np.int8)
    values[0, :40], values[1, 40:80] = 1, 1
    pool, truth, both, runs = Predictions(values, ("a", "b"), range(100), ("x", "y")), np.zeros(100), np.arange(2), 120
    broken: dict[type, int] = {AnytimeIntervals: 0, FixedBudgetIntervals: 0}
    for seed in range(runs):
        labels = bought(selector, pool, truth, 80, seed)
        means = [pool_mean(pool, labels.head(rows), ZeroOne()) for rows in range(6, 81, 4)]
        for kind in (AnytimeIntervals, FixedBudgetIntervals):
            broken[kind] += any(kind(mean, 0.95, 1).worse(both, both).any() for mean in means)
    most = binom.isf(0.001, runs, 0.05)  # a promise that is kept is below in 999 of 1000 such tests
    assert broken[AnytimeIntervals] <= most
    assert broken[FixedBudgetIntervals] > most


def test_a_few_labels_never_stop() -> None:
    pool, truth = close_pool()
    for seed in range(5):
        labels = bought(Random(), pool, truth, 5, seed)
        assert not any(separated(pool)(labels.head(rows)) or within(pool, 0.04)(labels.head(rows)) for rows in range(6))


def test_a_wider_margin_stops_earlier() -> None:
    pool, truth = close_pool()
    used = []
    for stop in (within(pool, 0.3), within(pool, 0.1), within(pool, 0.02)):
        none = Labels.empty(120)
        *_, labels = steps(Random().start(pool, none, None, 1), answers_of(truth), stop, none)
        used.append(len(labels))
    assert used == sorted(used)
    assert used[0] < used[2]


def test_the_extrapolation_comes_near() -> None:
    pool, truth = example_pool(models=4, samples=400, seed=3)
    rule, inside = StoppingRule(0.05), []
    for seed in range(5):
        labels = bought(Random(), pool, truth.astype(float), 300, seed)
        took = next(rows for rows in range(5, 301, 5) if stopping_status(pool, labels.head(rows), rule).stopped)
        early = stopping_status(pool, labels.head(took // 2), rule)
        assert early.more is not None
        assert 1 <= early.more.low <= early.more.about <= early.more.high <= 400 - took // 2
        inside.append(early.more.low <= took - took // 2 <= early.more.high)
    assert np.mean(inside) >= 0.6


def test_where_predictions_are_missing_agreement_is_left_to_learn() -> None:
    """Of the best model none is missing, so that it is the best whatever the others are."""
    pool, truth = close_pool(seed=1)
    gaps = np.where(np.random.default_rng(0).random(pool.values.shape) < 0.1, -1, pool.values)
    gaps[0] = pool.values[0]
    pool, rule = replace(pool, values=gaps), StoppingRule(0.01)
    labels = bought(Pooled(), pool, truth, 120, 1)
    rows = next(rows for rows in range(20, 121, 5) if stopping_status(pool, labels.head(rows), rule).in_dispute == 0)
    found = stopping_status(pool, labels.head(rows), rule)
    took = next(more for more in range(121 - rows) if stopping_status(pool, labels.head(rows + more), rule).stopped)
    assert took > 1
    assert found.more is not None
    assert found.more.high >= took
    assert f"It may take {how_many(found.more, found.left)}:" in standing_sentence(found)


def test_a_model_that_said_nothing_is_no_obstacle() -> None:
    pool, truth = close_pool(samples=40)
    values = np.array(pool.values)
    values[3], values[2, 1:] = -1, -1
    pool = replace(pool, values=values)
    labels = bought(Random(), pool, truth, 40, 0)
    first = int(np.flatnonzero(labels.sample == 0)[0])  # the only label that tells about the third model
    early = stopping_status(pool, labels.head(first), StoppingRule(0.01))
    assert "c" in early.blocking
    assert early.more is None  # the predictions that it lacks would have to be known
    assert early.out_of_reach
    assert "d" not in early.blocking
    done = stopping_status(pool, labels, StoppingRule(0.01))
    assert (done.stopped, done.blocking, done.out_of_reach) == (False, ("c",), True)
    assert not within(pool, 0.01)(labels)
    assert within(pool.only(("a", "b", "d")), 0.01)(labels)


def test_labels_that_may_be_wrong_can_put_a_rule_out_of_reach() -> None:
    pool, truth = close_pool()
    labels = bought(Random(), pool, truth, 120, 0)
    for rows in (60, 120):
        found = stopping_status(pool, labels.head(rows), StoppingRule(0.01), label_noise=0.2)
        assert not found.stopped
        assert found.more is None
        assert "no number of labels can show more" in standing_sentence(found)
    assert stopping_status(pool, labels.head(60), StoppingRule(0.01), label_noise=0.001).more is not None


@pytest.mark.parametrize(
    ("lacking", "noise", "why"),
    [((3, 1), 0.05, "too many of them may be wrong"), ((1, 150), 0.001, "too many predictions are missing")],
)
def test_what_puts_a_rule_out_of_reach_is_told_of_the_models_that_are_open(
    lacking: tuple[int, int], noise: float, why: str
) -> None:
    pool, truth = close_pool(samples=300)
    values = np.array(pool.values)
    values[lacking[0], : lacking[1]] = -1
    pool = replace(pool, values=values)
    found = stopping_status(pool, bought(Random(), pool, truth, 200, 0), StoppingRule(0.01), label_noise=noise)
    assert "b" in found.blocking
    assert "d" not in found.blocking
    assert standing_sentence(found).endswith(f"no number of labels can show more: {why}.")


def test_nothing_left_in_dispute_stops() -> None:
    pool, truth = close_pool(samples=40)
    labels = bought(Pooled(), pool, truth, 40, 0)
    found = stopping_status(pool, labels, StoppingRule(0.001))
    assert found.stopped
    assert found.in_dispute == 0
    assert found.blocking == ()


def test_without_usable_draws_one_goes_on() -> None:
    pool, _ = close_pool()
    found = stopping_status(pool, Labels.empty(120), StoppingRule())
    assert not found.stopped
    assert found.ranking is None
    assert found.more is None
    assert "draw some of the next samples" in standing_sentence(found)
    nobody_can_tell = Labels.complete(np.full(120, np.nan))
    assert standing_sentence(stopping_status(pool, nobody_can_tell, StoppingRule())) == (
        "Not shown: no sample is left that can be labeled."
    )


@pytest.mark.parametrize(
    "text",
    [
        *("", "within", "within 1 2", "within a", "soon", "within 0", "within -1", "within nan", "within 1e999"),
        *("likely", "likely separated", "likely within", "within 1 pint", "within 1 point of it", "0.01", "within --1"),
    ],
)
def test_wrong_rules_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="stopping rule") as told:
        StoppingRule.read(text)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("likely within 0.01", StoppingRule(0.01, likely=True)),
        ("Likely  Within 1 point", StoppingRule(0.01, likely=True)),
        ("within 1%", StoppingRule(0.01)),
        ("within 1 %", StoppingRule(0.01)),
        ("within 1 percent", StoppingRule(0.01)),
        ("within 1 point", StoppingRule(0.01)),
        ("within 2 points", StoppingRule(0.02)),
        ("within .5 pt", StoppingRule(0.005)),
        ("within 1e-2", StoppingRule(0.01)),
        ("separated", StoppingRule()),
    ],
)
def test_margins_are_read_as_people_write_them(text: str, rule: StoppingRule) -> None:
    found = StoppingRule.read(text)
    assert found.likely == rule.likely
    assert found.margin == (None if rule.margin is None else pytest.approx(rule.margin))
    assert StoppingRule.read(str(found)) == found


def test_a_likely_rule_stops_earlier_and_needs_ten_labels() -> None:
    pool, truth = close_pool(samples=200)
    labels = bought(Pooled(), pool, truth, 200, 0)
    likely, sure = StoppingRule(0.1, likely=True), StoppingRule(0.1)
    took = [
        next(rows for rows in range(1, 201, 3) if stopping_status(pool, labels.head(rows), rule).stopped)
        for rule in (likely, sure)
    ]
    assert 10 <= took[0] < took[1]
    early = stopping_status(pool, labels.head(took[0] - 3), likely)
    assert "may well be more than 10 points better" in standing_sentence(early)
    found = stopping_status(pool, labels.head(took[0]), likely)
    assert standing_sentence(found).endswith("it is not guaranteed.")
    late = standing_sentence(stopping_status(pool, labels.head(took[1]), likely))
    assert "is at most 10 points worse" in late
    assert late.endswith("That is guaranteed with 95% confidence, no matter how often you checked.")


def test_a_rule_for_what_is_likely_falls_back_on_the_draws_for_numbers() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(200)
    noise = np.array([[0.02], [0.4]]) * rng.standard_normal((2, 200))
    pool = Predictions(np.clip(truth + noise, 0, 1), ("good", "bad"), range(200), None)
    labels, rule = bought(Random(), pool, truth, 100, 0), StoppingRule(0.05, likely=True)
    by_draws = stopping_status(pool, labels, StoppingRule(0.05), Squared(0, 1))
    assert stopping_status(pool, labels, rule, Squared(0, 1)).stopped == by_draws.stopped


def test_best_is_another_name_for_separated() -> None:
    assert StoppingRule.read("best") == StoppingRule.read("separated")
