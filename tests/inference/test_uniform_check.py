"""Whether labels that are said to be a uniform draw look like one."""

import numpy as np
import pytest

import adjudge
from adjudge.core.arrays import IntArray
from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.core.votes import tie_broken_vote
from adjudge.errors import AdjudgeWarning
from adjudge.inference.uniform_check import unlike_uniform
from tests.support.pools import Task, uniform_log

TASKS = ("emotion_detection", "glue_sst2", "pacs", "fashion_zoo25", "llm_gsm8k_open", "glue_rte")


def half_disputed(samples: int = 1000) -> Predictions:
    """Three models; the last differs from the others on the first two in ten samples."""
    values = np.zeros((3, samples), dtype=np.int64)
    values[2, : samples // 5] = 1
    return Predictions(values, ("a", "b", "c"), range(samples), ("x", "y"))


def log_of(samples: int, drawn: IntArray) -> Labels:
    return uniform_log(np.zeros(samples), drawn)


def test_a_uniform_draw_hardly_ever_looks_like_another() -> None:
    pool, runs = half_disputed(), 4000
    rng = np.random.default_rng(0)
    for count in (5, 30, 200):
        told = sum(unlike_uniform(pool, log_of(1000, rng.permutation(1000)[:count])) is not None for _ in range(runs))
        assert told <= 13  # of at most 4 expected: a chance of 1 in 10,000 for 13 or more


@pytest.mark.parametrize("name", TASKS)
def test_real_pools_uniform_draws_and_complaints(task: Task, name: str) -> None:
    """A log of complaints has samples on which the vote is wrong."""
    pool, truth = adjudge.read_truth(task(name), adjudge.read(task(name)))
    rng, samples = np.random.default_rng(1), len(truth)
    uniform = [unlike_uniform(pool, uniform_log(truth, rng.permutation(samples)[:80])) for _ in range(300)]
    assert sum(each is not None for each in uniform) <= 3
    wrong = np.flatnonzero(tie_broken_vote(pool, rng) != truth)
    complaints = [unlike_uniform(pool, uniform_log(truth, rng.permutation(wrong)[:80])) for _ in range(20)]
    assert all(each is not None for each in complaints)


def test_complaints_are_not_seen_where_split_votes_are_no_worse(task: Task) -> None:
    """The check knows votes, not mistakes: on this pool the vote is as often wrong where models agree."""
    pool, truth = adjudge.read_truth(task("domain_drift"), adjudge.read(task("domain_drift")))
    rng = np.random.default_rng(1)
    wrong = np.flatnonzero(tie_broken_vote(pool, rng) != truth)
    logs = [uniform_log(truth, rng.permutation(wrong)[:80]) for _ in range(20)]
    assert sum(unlike_uniform(pool, each) is not None for each in logs) <= 5


def test_the_numbers_are_those_of_the_draw_and_of_the_pool() -> None:
    pool = half_disputed()
    rng = np.random.default_rng(0)
    drawn = np.append(rng.permutation(200)[:50], 200 + rng.permutation(800)[:20])
    found = unlike_uniform(pool, log_of(1000, drawn))
    assert found is not None
    assert (found.found, found.drawn) == (50, 70)
    assert found.expected == pytest.approx(0.2)
    assert found.sentence == (
        "71% of the labeled samples are disputed, 20% of the pool: this does not look like a uniform draw (fewer than "
        "1 in 1,000 uniform draws look like this)"
    )
    none = unlike_uniform(pool, log_of(1000, 200 + np.arange(70)))  # far too few is as strange as far too many
    assert none is not None
    assert none.sentence.startswith("0% of the labeled samples are disputed, 20% of the pool")


def test_where_everything_is_disputed_the_votes_tell() -> None:
    rng = np.random.default_rng(3)
    right = rng.random((21, 1500)) < np.clip(rng.normal(0.75, 0.2, 1500), 0.1, 1)
    values = np.where(right, 0, 1)
    values[20] = 1 - values[0]  # so that no sample is unanimous
    pool = Predictions(values, tuple(f"m{at}" for at in range(21)), range(1500), ("x", "y"))
    assert unlike_uniform(pool, log_of(1500, rng.permutation(1500)[:100])) is None
    split = np.argsort(np.abs(values.mean(axis=0) - 0.5), kind="stable")
    found = unlike_uniform(pool, log_of(1500, split[:100]))
    assert found is not None
    assert found.sentence.startswith(
        "on 100% of the labeled samples votes are more split than on the median sample, on 4"
    )


def test_two_models_that_are_compared_are_looked_at_too() -> None:
    """All samples are disputed by a third model, but the two differ on few of them, which were preferred."""
    values = np.zeros((3, 2000), dtype=np.int64)
    values[1, :100], values[2] = 1, 2
    pool = Predictions(values, ("a", "b", "c"), range(2000), ("x", "y", "z"))
    log = log_of(2000, np.append(np.arange(25), 100 + np.arange(75)))
    found = unlike_uniform(pool, log, (0, 1))
    assert found is not None
    assert found.sentence.startswith("on 25% of the labeled samples 'a' and 'b' differ, on 5% of the pool:")
    with pytest.warns(AdjudgeWarning, match="does not look like a uniform draw"):
        adjudge.compare(pool, "a", "b", log)


def test_only_claims_of_uniform_draws_are_tested() -> None:
    pool = half_disputed()
    disputed = np.arange(100)
    assert unlike_uniform(pool, Labels.known(1000, disputed, np.zeros(100))) is None  # nothing is claimed
    weighted = Labels.empty(1000)
    for sample in disputed:
        weighted = weighted.add(Pick(int(sample), 0.4, len(weighted)), 0)
    assert unlike_uniform(pool, weighted) is None
    known = Labels.known(1000, disputed, np.zeros(100))
    for sample in 200 + np.arange(40):  # after the known ones, 100 disputed samples of 900 are left
        known = known.add(Pick(int(sample), 1.0, len(known)), 0)
    assert unlike_uniform(pool, known) is None
    assert unlike_uniform(pool, Labels.empty(1000)) is None
    numbers = adjudge.from_frame({"id": range(50), "a": np.arange(50) / 7, "b": np.arange(50) / 9})
    assert unlike_uniform(numbers, log_of(50, np.arange(20))) is None


def test_users_are_warned() -> None:
    pool, log = half_disputed(), log_of(1000, np.arange(60))
    told = "100% of the labeled samples are disputed, 20% of the pool"
    with pytest.warns(AdjudgeWarning, match=told):
        adjudge.rank(pool, log)
    with pytest.warns(AdjudgeWarning, match=told):
        adjudge.estimate(pool, "a", log)
