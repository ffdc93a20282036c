"""How many labels `pooled` needs on predicted numbers, as a share of those of random draws, to order models as well.

Usage: python -m benchmarks.regression [TASK.npz ...] [--runs 200] [--seed 0] [--only-tasks]

For each task, and for two made pools of 20 regressors (`tests/support/regressors.py`, with --seed): the mean Spearman
correlation with the true order after so many labels, and the ratio of labels at which both have the same correlation,
with its standard error by the bootstrap over runs. Two models are in the right order in (1 + correlation) / 2 of runs,
or tied. A ratio with "<" is a bound: the fewest labels that were tried do better already.
"""

import warnings
from argparse import ArgumentParser
from pathlib import Path

import numpy as np

import adjudge
from adjudge import evaluation
from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranker
from adjudge.core.sampling import Selector
from adjudge.errors import NotEnoughLabels
from adjudge.methods.baselines.drawn import Drawn
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.loop import bought
from tests.support.regressors import KINDS, made_regression

BUDGETS = (5, 8, 10, 16, 20, 32, 40, 60, 80, 100, 150, 200)
COMPARED_AT = (10, 20, 40, 80, 100, 200)  # random draws
RESAMPLES = 400


def correlations(
    pool: Predictions, truth: FloatArray, selector: Selector, ranker: Ranker, runs: int, first: int
) -> FloatArray:
    """(runs, budgets): Spearman's correlation with the true order; 0 while nothing orders the models."""
    good = -((pool.values - truth) ** 2).mean(axis=1)
    found = np.zeros((runs, len(BUDGETS)))
    for run in range(runs):
        log = bought(selector, pool, truth, BUDGETS[-1], first + run)
        for place, rows in enumerate(BUDGETS):
            try:
                rank = ranker.rank(pool, log.head(rows)).rank
            except NotEnoughLabels:
                continue
            found[run, place] = evaluation.spearman(-rank.astype(float), good)
    return found


def label_ratios(ours: FloatArray, random: FloatArray) -> FloatArray:
    """(compared,): labels of `pooled` with the correlation that random draws have at so many, divided by these.

    Between budgets the mean correlation is linear in the logarithm of the labels; it is made to grow with them.
    """
    curve = np.maximum.accumulate(ours.mean(axis=0)) + 1e-9 * np.arange(len(BUDGETS))
    reached = random.mean(axis=0)[[BUDGETS.index(labels) for labels in COMPARED_AT]]
    return np.asarray(np.exp(np.interp(reached, curve, np.log(BUDGETS))) / COMPARED_AT)


def show(name: str, pool: Predictions, truth: FloatArray, runs: int, first: int) -> None:
    """Two rows of correlations, and one of ratios."""
    random = correlations(pool, truth, Random(), Drawn(), runs, first)
    ours = correlations(pool, truth, Pooled(), Pooled(), runs, first)
    for who, each in (("random draws", random), ("`pooled`", ours)):
        print(f"| {name}, {who} | {' | '.join(f'{mean:.3f}' for mean in each.mean(axis=0))} |")
    rng = np.random.default_rng(0)
    again = [
        label_ratios(ours[rng.integers(runs, size=runs)], random[rng.integers(runs, size=runs)])
        for _ in range(RESAMPLES)
    ]
    cells = [
        f"{labels}: {'<' if ratio * labels <= BUDGETS[0] else ''}{ratio:.2f} ({error:.2f})"
        for labels, ratio, error in zip(COMPARED_AT, label_ratios(ours, random), np.std(again, axis=0), strict=True)
    ]
    print(f"{name}, {runs} runs, ratio of labels (standard error): {', '.join(cells)}", flush=True)


def main() -> None:
    """Print the correlations and ratios of each pool."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", type=Path)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only-tasks", action="store_true", help="leave out the made pools")
    told = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"| labels | {' | '.join(map(str, BUDGETS))} |")
    for path in told.tasks:
        show(path.stem, *adjudge.read_truth(path, adjudge.read(path)), told.runs, told.seed * told.runs)
    for kind in () if told.only_tasks else KINDS:
        show(kind, *made_regression(kind, seed=told.seed), told.runs, told.seed * told.runs)


if __name__ == "__main__":
    main()
