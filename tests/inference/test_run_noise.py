"""Variance between samples and between runs, and intervals for new samples and new runs."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge import Labels, Predictions
from adjudge.inference.run_noise import RepeatedLosses
from adjudge.losses.loss import ZeroOne
from adjudge.methods.baselines.random import Random
from adjudge.simulation.loop import bought
from tests.support.repeated import repeated

ACCURACY = (0.8, 0.7)


def repeated_runs(
    rng: np.random.Generator, samples: int, runs: int, noise: float, labels: int | None = None
) -> RepeatedLosses:
    """Two models whose chance to be right on a sample varies less, the more noise there is: Beta(noise * accuracy)."""
    chances = [rng.beta(noise * each, noise * (1 - each), samples) for each in ACCURACY]
    values = np.array([rng.random(samples) >= chance for chance in chances for _ in range(runs)]).astype(int)
    pool = Predictions(values, tuple(f"m{at}" for at in range(len(values))), range(samples), ("right", "wrong"))
    places = [list(range(model * runs, (model + 1) * runs)) for model in range(2)]
    truth = np.zeros(samples)
    log = Labels.complete(truth) if labels is None else bought(Random(), pool, truth, labels, int(rng.integers(10**6)))
    first = replace(pool, values=values[[own[0] for own in places]], models=("a", "b"), whole=pool)
    return RepeatedLosses.of(first, pool, places, log, ZeroOne())


def test_components_are_those_of_the_model() -> None:
    parts = repeated_runs(np.random.default_rng(0), 20_000, 4, 1.0).components(0)
    spread = ACCURACY[0] * (1 - ACCURACY[0])
    assert parts.within == pytest.approx(spread / 2, rel=0.05)  # Beta with a + b = 1 halves the variance
    assert parts.total - parts.within / 4 == pytest.approx(spread / 2, rel=0.05)
    assert parts.run_share == pytest.approx(1 / 5, abs=0.02)
    assert parts.total_after(4) == pytest.approx(spread / 2 * (1 + 1 / 8), rel=0.05)


@pytest.mark.parametrize(
    ("samples", "runs", "noise", "labels"), [(200, 5, 0.2, None), (200, 2, 5.0, None), (400, 3, 1.0, 60)]
)
@repeated(150, 1500)
def test_intervals_hold_for_new_samples_and_new_runs(
    samples: int, runs: int, noise: float, labels: int | None, repeats: int
) -> None:
    """Taking all answers for independent ones holds in 66 to 90% of these cases."""
    rng, losses = np.random.default_rng(1), 1 - np.array(ACCURACY)
    held, apart = [], []
    for _ in range(repeats):
        found = repeated_runs(rng, samples, runs, noise, labels)
        _, low, high = found.means(0.95)
        held.append((low <= losses) & (losses <= high))
        _, least, most, _ = found.difference(1, 0, 0.95)
        apart.append(least <= losses[1] - losses[0] <= most)
    error = 3 * np.sqrt(0.05 * 0.95 / repeats)
    assert np.mean(held) == pytest.approx(0.95, abs=0.015 + error)
    assert np.mean(apart) == pytest.approx(0.955, abs=0.02 + error)


@repeated(60, 400)
def test_more_runs_narrow_intervals_by_what_was_said(repeats: int) -> None:
    rng = np.random.default_rng(2)
    ratio, width = [], {2: [], 5: []}  # type: ignore[var-annotated]
    for _ in range(repeats):
        parts = repeated_runs(rng, 150, 2, 3.0).components(0)
        ratio.append(np.sqrt(parts.total_after(3) / parts.total))
        for runs, each in width.items():
            _, low, high = repeated_runs(rng, 150, runs, 3.0).means(0.95)
            each.append(high[0] - low[0])
    assert np.mean(ratio) == pytest.approx(np.mean(width[5]) / np.mean(width[2]), abs=0.02 + 0.2 / np.sqrt(repeats))


def test_runs_that_differ_as_a_whole_are_found_and_others_are_not() -> None:
    rng = np.random.default_rng(3)
    found = [repeated_runs(rng, 200, 4, 1.0).run_effect_p_value(0) for _ in range(100)]
    assert np.mean(np.array(found) < 0.05) < 0.12
    odd = repeated_runs(rng, 200, 4, 1.0)
    odd.losses[0][1] = np.maximum(odd.losses[0][1], rng.random(200) < 0.3)
    assert odd.run_effect_p_value(0) < 0.01


def test_one_run_says_nothing_about_its_noise() -> None:
    found = repeated_runs(np.random.default_rng(4), 50, 1, 1.0)
    assert np.isnan(found.components(0).within)
    assert np.isnan(found.components(0).run_share)
    assert found.run_effect_p_value(0) == 1.0
