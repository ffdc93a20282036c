"""What labels say about a judge."""

import numpy as np
import pytest

from adjudge import Labels, Predictions, judge_trust
from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import JUDGE
from adjudge.inference.weighted import pool_mean
from adjudge.io.predictions.scores import as_scores, scores_of
from adjudge.losses.loss import default_loss
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.control_variate import with_control_variate
from adjudge.simulation.loop import bought


def pool_of_scores(samples: int = 400) -> Predictions:
    rng = np.random.default_rng(0)
    shared = rng.random(samples)
    scores = np.clip(0.5 * shared + 0.5 * rng.beta([[2.0], [1.8], [1.0]], 1.0, (3, samples)), 0, 1)
    return as_scores(Predictions(scores, ("a", "b", "c"), range(samples), None), (0, 1))


def graded(pool: Predictions, count: int, seed: int) -> Labels:
    return bought(Random(), pool, np.zeros(len(pool.samples)), count, seed, 1)


def test_a_judge_that_flatters_is_found_and_named() -> None:
    pool = pool_of_scores()
    scores = 0.7 * scores_of(pool)
    scores[2] += 0.3
    (found,) = judge_trust(pool.with_auxiliary(JUDGE + "j", scores), graded(pool, 100, 1))
    assert found.flatters == "c"
    assert found.by_low > 0
    assert "it flatters c by" in found.sentence


def test_a_judge_without_a_clue_agrees_half_of_the_time_and_flatters_nobody() -> None:
    pool = pool_of_scores()
    noise = np.random.default_rng(2).permuted(scores_of(pool), axis=1)
    noise = noise - noise.mean(axis=1, keepdims=True) + scores_of(pool).mean(axis=1, keepdims=True)
    (found,) = judge_trust(pool.with_auxiliary(JUDGE + "j", np.clip(noise, 0, 1)), graded(pool, 100, 1))
    assert found.low < 0.6
    assert found.high < 0.85


def test_too_few_labels_say_nothing_about_a_judge() -> None:
    pool = pool_of_scores()
    judged = pool.with_auxiliary(JUDGE + "j", scores_of(pool))
    assert judge_trust(judged, graded(pool, 3, 1)) == ()


def played(kind: str, runs: int) -> tuple[float, float]:
    """The mean squared error of differences, and the coverage of their intervals; models share the judge's noise."""
    pool = pool_of_scores()
    grades = scores_of(pool)
    error: list[FloatArray] = []
    held: list[FloatArray] = []
    for seed in range(runs):
        noise = grades[:, np.random.default_rng([seed, 7]).permutation(grades.shape[1])]
        judged = {"none": None, "good": grades + 0.75 * noise, "noise": noise}[kind]
        told = pool if judged is None else pool.with_auxiliary(JUDGE + kind, judged)
        log = graded(told, 60, seed)
        loss = default_loss(told, log)
        mean = pool_mean(told, log, loss)
        mean = mean if judged is None else with_control_variate(mean, log, loss)
        value, low, high = mean.differences(np.arange(3), np.arange(3), 0.95)
        actual, pairs = grades.mean(axis=1)[None, :] - grades.mean(axis=1)[:, None], np.triu_indices(3, 1)
        error.append(((value - actual) ** 2)[pairs])
        held.append(((low <= actual) & (actual <= high))[pairs])
    return float(np.mean(error)), float(np.mean(held))


# the ratio of two errors is known to a tenth after 60 runs
@pytest.mark.parametrize(("runs", "most"), [(60, 1.15), pytest.param(1000, 1.05, marks=pytest.mark.honesty)])
def test_a_good_judge_makes_differences_more_precise_and_a_useless_one_no_less(runs: int, most: float) -> None:
    alone, good, noise = (played(kind, runs) for kind in ("none", "good", "noise"))
    assert good[0] < 0.6 * alone[0]
    assert noise[0] < most * alone[0]
    slack = 3 * np.sqrt(0.05 * 0.95 / runs)
    assert all(0.95 - slack < covered for _, covered in (alone, good, noise))
