"""What judges do to intervals of differences between mean scores, on real matrices of scores.

Usage: python benchmarks/honesty/judges.py SCORES.npz ... [--runs 400] [--labels 60 200]

The scores are the grades that people would give. Two judges are noisy copies of them with a correlation of .8, and
flatter each model, or not, by a fifth of their standard deviation. The noise of `good` is the scores of another
sample, the same one for all models: it is as skewed as the grades, and models share as much of it as they share of the
grades. The noise of `independent` is normal, and shared by no two models, so that it does not cancel in differences.
`noise` has the noise of `good` and flattery alone. A row for each file, number of graded samples and judge: coverage of
95% intervals of all differences between two models, the variance of the estimated differences against that without a
judge over the same draws, and the correlation of judge and grades.
"""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import adjudge
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import JUDGE, Predictions
from adjudge.inference.weighted import pool_mean
from adjudge.io.predictions.scores import scores_of
from adjudge.losses.loss import default_loss
from adjudge.methods.pooled.control_variate import with_control_variate
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.loop import bought

LEVEL = 0.95
JUDGES = ("none", "good", "independent", "noise")
NOISE, FLATTERY = 0.75, 0.2  # 1 / sqrt(1 + .75 ** 2) is .8


def judged(kind: str, grades: FloatArray, rng: np.random.Generator) -> FloatArray:
    """(models, samples): the scores of a judge of this kind."""
    noise = grades[:, rng.permutation(grades.shape[1])]
    noise = noise - noise.mean(axis=1, keepdims=True)
    if kind == "independent":
        noise = grades.std() * rng.standard_normal(grades.shape)
    flattery = FLATTERY * grades.std() * rng.standard_normal((len(grades), 1))
    return np.asarray(grades + NOISE * noise + flattery if kind != "noise" else noise + flattery)


def run(pool: Predictions, labels: int, seed: int, kind: str) -> tuple[FloatArray, FloatArray]:
    """(pairs,): squared errors of differences, in shares of the range, and whether intervals hold the truth."""
    grades = scores_of(pool)
    if kind != "none":
        pool = pool.with_auxiliary(JUDGE + kind, judged(kind, grades, np.random.default_rng([seed, 7])))
    log: Labels = bought(Pooled(), pool, np.zeros(len(pool.samples)), labels, seed, 1)
    loss = default_loss(pool, log)
    every, pairs = np.arange(len(grades)), np.triu_indices(len(grades), 1)
    actual = (grades.mean(axis=1)[None, :] - grades.mean(axis=1)[:, None]) / loss.max_loss
    mean = pool_mean(pool, log, loss)
    mean = mean if kind == "none" else with_control_variate(mean, log, loss)
    value, low, high = mean.differences(every, every, LEVEL)
    return ((value - actual) ** 2)[pairs], ((low <= actual) & (actual <= high))[pairs].astype(float)


def correlation(pool: Predictions, kind: str) -> float:
    """How a judge of this kind goes with the grades."""
    grades = scores_of(pool)
    return float(np.corrcoef(judged(kind, grades, np.random.default_rng([0, 7])).ravel(), grades.ravel())[0, 1])


def rows(file: Path, labels: Sequence[int], runs: int) -> None:
    """Print the rows of one file."""
    pool = adjudge.read(file, scores=True)
    for count in labels:
        alone = 1.0
        for kind in JUDGES:
            found = [run(pool, count, seed, kind) for seed in range(runs)]
            error, covered = (float(np.mean([each[at] for each in found])) for at in (0, 1))
            alone = error if kind == "none" else alone
            told = f"{correlation(pool, kind):11.2f}" if kind != "none" else ""
            print(f"{file.stem:24} {count:7} {kind:11} {covered:9.3f} {error / alone:9.3f} {told}", flush=True)


def main() -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--labels", type=int, nargs="+", default=[60, 200])
    parser.add_argument("files", type=Path, nargs="+")
    told = parser.parse_args()
    print(f"{'scores':24} {'graded':>7} {'judge':11} {'coverage':>9} {'variance':>9} {'correlation':>11}")
    for file in told.files:
        rows(file, told.labels, told.runs)


if __name__ == "__main__":
    main()
