"""Comparisons that hold at every look, and what is missing for a verdict."""

import numpy as np
import pytest
from scipy.stats import binom

import adjudge
from adjudge.errors import InputError
from adjudge.reports.pairs import comparison_sentences
from adjudge.simulation.contract import example_pool
from tests.support.compared import Pool, accuracy, uniform
from tests.support.repeated import repeated


@repeated(12, 200)
@pytest.mark.parametrize("where", ["everywhere", "where they differ"])
def test_an_anytime_interval_holds_at_every_look(where: str, repeats: int) -> None:
    missed = 0
    for run in range(repeats):
        made, truth = example_pool(models=4, samples=120, classes=3, seed=run)
        exact = accuracy(made.values[3], truth.astype(float)) - accuracy(made.values[1], truth.astype(float))
        pair = ("model 3", "model 1") if where == "where they differ" else None
        log = adjudge.select(made, 30, None if pair else "random", models=pair, seed=run).answer_all(
            truth.astype(float)
        )
        looks = [adjudge.compare(made, "model 3", "model 1", log.head(rows), anytime=True) for rows in range(2, 31, 4)]
        missed += any(not found.low - 1e-9 <= exact <= found.high + 1e-9 for found in looks)
    assert missed <= binom.ppf(0.999, repeats, 0.05)


def test_verdicts_and_what_is_missing(pool: Pool) -> None:
    made, truth = pool
    log = uniform(truth, 100, np.random.default_rng(1))
    better, worse = (adjudge.compare(made, *pair, log) for pair in (("model 4", "model 0"), ("model 0", "model 4")))
    assert (better.verdict, worse.verdict) == ("shown", "refuted")
    assert better.more is None
    close = adjudge.compare(made, "model 4", "model 3", log.head(20), margin=0.01, test="non-inferior")
    assert close.verdict == "not enough labels"
    assert close.more is not None
    assert 0 < close.more <= close.differing - close.differing_labeled
    enough = adjudge.compare(made, "model 4", "model 3", log, margin=0.2, test="non-inferior")
    assert enough.verdict == "shown"


def test_anytime_is_wider_and_not_for_future_data(pool: Pool) -> None:
    made, truth = pool
    log = uniform(truth, 60, np.random.default_rng(1))
    fixed, anytime = (adjudge.compare(made, "model 4", "model 1", log, anytime=each) for each in (False, True))
    assert anytime.high - anytime.low > fixed.high - fixed.low
    with pytest.raises(InputError, match="an interval for future data is for a number of labels fixed in advance"):
        adjudge.compare(made, "model 4", "model 1", log, anytime=True, about="future")


def test_after_a_skip_ties_are_said(pool: Pool) -> None:
    made, truth = pool
    log = uniform(np.where(np.arange(len(truth)) % 15 == 0, np.nan, truth), 60, np.random.default_rng(1))
    fixed, anytime = (adjudge.compare(made, "model 4", "model 1", log, anytime=each) for each in (False, True))
    assert "count as ties" in comparison_sentences(anytime)[-1]
    assert "count as ties" not in comparison_sentences(fixed)[-1]
    many = uniform(np.where(np.arange(len(truth)) % 4 == 0, np.nan, truth), 60, np.random.default_rng(1))
    wide = adjudge.compare(made, "model 4", "model 1", many, anytime=True)
    assert "skipped left out" in comparison_sentences(wide)[-1]
    assert "count as ties" not in comparison_sentences(wide)[-1]
    assert fixed.low < anytime.difference < fixed.high
