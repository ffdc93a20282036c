"""What judges do to intervals of differences between mean scores, on real matrices of scores.

Usage: python benchmarks/honesty/judges.py SCORES.npz ... [--runs 400] [--first-seed 0] [--labels 60 200]

The scores are the grades that people would give. Two judges are noisy copies of them with a correlation of .8, and
flatter each model, or not, by a fifth of their standard deviation. The noise of `good` is the scores of another
sample, the same one for all models: it is as skewed as the grades, and models share as much of it as they share of the
grades. The noise of `independent` is normal, and shared by no two models, so that it does not cancel in differences.
`noise` has the noise of `good` and flattery alone; `half` is `good` where only the first half of the samples was
scored. A row for each file, number of graded samples and judge: coverage of
95% intervals of all differences between two models, their variance against that of uniform draws without a judge, and
the correlation of judge and grades. `variance` is that of the errors of whole runs; `by draws` is the mean over draws
of what each adds to it, given those before it and with a coefficient of 1, which all grades tell exactly: it has the
same mean and hardly depends on the runs.
"""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import adjudge
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import JUDGE, Predictions
from adjudge.core.sampling import still_open
from adjudge.inference.draw_estimates import REFITS_OFTEN, last_refit
from adjudge.inference.weighted import pool_mean
from adjudge.io.predictions.scores import scores_of
from adjudge.losses.loss import Loss, default_loss
from adjudge.methods.pooled.control_variate import with_control_variate
from adjudge.methods.pooled.judges import FLOOR, losses_by_judges, spread_of_losses
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.loop import bought

LEVEL = 0.95
JUDGES = ("none", "good", "independent", "noise", "half")
NOISE, FLATTERY = 0.75, 0.2  # 1 / sqrt(1 + .75 ** 2) is .8


def judged(kind: str, grades: FloatArray, rng: np.random.Generator) -> FloatArray:
    """(models, samples): the scores of a judge of this kind."""
    if kind == "half":
        return np.where(np.arange(grades.shape[1]) < grades.shape[1] // 2, judged("good", grades, rng), np.nan)
    noise = grades[:, rng.permutation(grades.shape[1])]
    noise = noise - noise.mean(axis=1, keepdims=True)
    if kind == "independent":
        noise = grades.std() * rng.standard_normal(grades.shape)
    flattery = FLATTERY * grades.std() * rng.standard_normal((len(grades), 1))
    return np.asarray(grades + NOISE * noise + flattery if kind != "noise" else noise + flattery)


def run(pool: Predictions, labels: int, seed: int, kind: str) -> tuple[float, float, float]:
    """Means over pairs: squared errors in shares of the range, whether intervals hold, the variance by draws."""
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
    covered = ((low <= actual) & (actual <= high))[pairs].mean()
    return float(((value - actual) ** 2)[pairs].mean()), float(covered), variance_by_draws(pool, log, loss)


def variance_by_draws(pool: Predictions, log: Labels, loss: Loss) -> float:
    """Of differences by single draws, given the draws before, against that of uniform draws without a judge."""
    losses = loss(pool.values, np.zeros(len(pool.samples)))
    added, weight = [], 1 / np.nan_to_num(log.max_weight, nan=1.0)  # a uniform draw need not log it
    for row in range(len(log)):
        rest = still_open(log.head(row))
        seen = log.head(last_refit(row, REFITS_OFTEN))
        expected = losses_by_judges(pool, seen, loss) if pool.judges else None
        score = spread_of_losses(pool, log.head(row), np.ones(len(pool.samples)))[rest]
        chance = FLOOR + (1 - FLOOR) * score / score.mean()  # against that of a uniform draw
        added.append(_variance((losses - (0 if expected is None else expected.T))[:, rest], chance))
    mean = np.average(added, weights=weight**2) * len(log) * (weight**2).sum() / weight.sum() ** 2
    return float(mean / _variance(losses, np.ones(len(pool.samples))))


def _variance(losses: FloatArray, chance: FloatArray) -> float:
    """The mean over pairs of models, but for a factor."""
    apart = losses - losses.mean(axis=0)
    return float(((apart**2 / chance).mean(axis=1) - apart.mean(axis=1) ** 2).mean())


def correlation(pool: Predictions, kind: str) -> float:
    """How a judge of this kind goes with the grades."""
    grades = scores_of(pool)
    scores = judged(kind, grades, np.random.default_rng([0, 7]))
    known = ~np.isnan(scores)
    return float(np.corrcoef(scores[known], grades[known])[0, 1])


def rows(file: Path, labels: Sequence[int], seeds: Sequence[int]) -> None:
    """Print the rows of one file."""
    pool = adjudge.read(file, scores=True)
    for count in labels:
        alone = 1.0
        for kind in JUDGES:
            found = [run(pool, count, seed, kind) for seed in seeds]
            error, covered, by_draws = np.mean(found, axis=0)
            alone = error if kind == "none" else alone
            told = f"{correlation(pool, kind):11.2f}" if kind != "none" else ""
            print(
                f"{file.stem:24} {count:7} {kind:11} {covered:9.3f} {error / alone:9.3f} {by_draws:9.3f} {told}",
                flush=True,
            )


def main() -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--labels", type=int, nargs="+", default=[60, 200])
    parser.add_argument("files", type=Path, nargs="+")
    told = parser.parse_args()
    print(
        f"{'scores':24} {'graded':>7} {'judge':11} {'coverage':>9} {'variance':>9} {'by draws':>9} {'correlation':>11}"
    )
    for file in told.files:
        rows(file, told.labels, range(told.first_seed, told.first_seed + told.runs))


if __name__ == "__main__":
    main()
