"""What judges do to differences between models: more precise with a good one, no less with a useless one."""

import numpy as np
import pytest

from adjudge import Predictions
from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import JUDGE
from adjudge.inference.weighted import pool_mean
from adjudge.io.predictions.scores import as_scores, scores_of
from adjudge.losses.loss import default_loss
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.control_variate import with_control_variate
from adjudge.methods.pooled.judges import judge_features, losses_by_judges
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.loop import bought
from tests.support.repeated import repeated

SAMPLES, MODELS, GRADED, NOISE = 500, 6, 60, 0.75  # 1 / sqrt(1 + .75 ** 2) is .8


def graded_pool() -> Predictions:
    """Grades with rare bad answers, the more of them the harder the sample."""
    rng = np.random.default_rng(0)
    hard = rng.gamma(1.0, 1.0, SAMPLES)
    points = rng.poisson(hard * np.linspace(0.5, 1.5, MODELS)[:, None]) * rng.choice([0.1, 1.0], (MODELS, SAMPLES))
    scores = 1 - np.minimum(points / 5, 1.0)
    return as_scores(Predictions(scores, tuple("abcdef"), range(SAMPLES), None), (0, 1))


def scores_by(judge: str, grades: FloatArray, rng: np.random.Generator) -> FloatArray:
    noise = grades[:, rng.permutation(SAMPLES)]
    noise = noise - noise.mean(axis=1, keepdims=True)
    flattery = 0.2 * grades.std() * rng.standard_normal((MODELS, 1))
    if judge == "independent":
        noise = grades.std() * rng.standard_normal(grades.shape)
    return np.asarray(noise + flattery if judge == "noise" else grades + NOISE * noise + flattery)


def errors(judge: str | None, seed: int) -> tuple[FloatArray, FloatArray]:
    """(pairs,): errors of differences, and whether intervals hold the truth."""
    pool = graded_pool()
    grades, log = scores_of(pool), bought(Random(), pool, np.zeros(SAMPLES), GRADED, seed, 1)
    if judge is not None:
        pool = pool.with_auxiliary(JUDGE + "j", scores_by(judge, grades, np.random.default_rng([seed, 7])))
    actual = grades.mean(axis=1)[None, :] - grades.mean(axis=1)[:, None]
    every, pairs = np.arange(MODELS), np.triu_indices(MODELS, 1)
    loss = default_loss(pool, log)
    mean = pool_mean(pool, log, loss)
    mean = mean if judge is None else with_control_variate(mean, log, loss)
    value, low, high = mean.differences(every, every, 0.95)
    return (value - actual)[pairs], ((low <= actual) & (actual <= high))[pairs]


@pytest.mark.parametrize(("judge", "most"), [("shared", 0.6), ("independent", 0.6), ("noise", 1.05)])
@repeated(60, 500)
def test_a_good_judge_makes_differences_more_precise_and_a_useless_one_does_no_harm(
    judge: str, most: float, repeats: int
) -> None:
    alone = np.array([errors(None, seed)[0] for seed in range(repeats)])
    found = [errors(judge, seed) for seed in range(repeats)]
    variance = (np.array([each for each, _ in found]) ** 2).mean() / (alone**2).mean()
    assert variance < most + 1 / np.sqrt(repeats) * (0.8 if judge != "noise" else 0.1)
    held = np.mean([each for _, each in found])
    error = np.std([each.mean() for _, each in found]) / np.sqrt(repeats)
    assert 0.935 - 3 * error < held < 0.97 + 3 * error


def test_a_judge_has_a_slope_between_samples_and_another_between_answers() -> None:
    pool = graded_pool().with_auxiliary(JUDGE + "j", scores_of(graded_pool()))
    mean, apart, product = judge_features(pool)
    assert (mean == mean[0]).all()
    assert apart.mean(axis=0) == pytest.approx(0, abs=1e-12)
    assert product == pytest.approx(mean * apart)
    assert (mean + apart).std() == pytest.approx(1)


def test_a_score_that_a_judge_did_not_give_says_nothing() -> None:
    scores = scores_of(graded_pool())
    scores[2, :100] = np.nan
    mean, apart, product = judge_features(graded_pool().with_auxiliary(JUDGE + "j", scores))
    assert not apart[2, :100].any()
    assert not product[2, :100].any()
    assert apart[:, :100].sum(axis=0) == pytest.approx(0, abs=1e-9)
    assert mean[2, 0] == mean[0, 0]


def test_a_good_judge_sends_draws_to_hard_samples_and_a_useless_one_nowhere() -> None:
    pool = graded_pool()
    grades = scores_of(pool)
    spread = {}
    for judge in ("shared", "noise"):
        told = pool.with_auxiliary(JUDGE + "j", scores_by(judge, grades, np.random.default_rng(7)))
        log = bought(Pooled(), told, np.zeros(SAMPLES), 120, 0)
        assert np.nanmin(log.max_weight) == pytest.approx(1 / 0.7)
        weight, loss = log.weight[60:], 1 - grades[:, log.sample[60:]].mean(axis=0)
        spread[judge] = weight.std()
        assert judge == "noise" or np.corrcoef(weight, loss)[0, 1] < -0.3
    assert spread["noise"] < 0.5 * spread["shared"]


def test_a_judge_that_prefers_worse_answers_says_nothing_about_differences() -> None:
    pool = graded_pool()
    grades = scores_of(pool)
    log = bought(Random(), pool, np.zeros(SAMPLES), GRADED, 0)
    apart = {}
    for name, scores in (("right", grades), ("wrong", -grades)):
        judged = pool.with_auxiliary(JUDGE + name, scores)
        losses = losses_by_judges(judged, log, default_loss(judged, log))
        assert losses is not None
        inside = losses[(losses > 0).all(axis=1)]  # predictions end at 0
        apart[name] = (inside - inside.mean(axis=1, keepdims=True)).std(axis=0).max()
    assert apart["right"] > 0.05
    assert apart["wrong"] == pytest.approx(0, abs=1e-12)
