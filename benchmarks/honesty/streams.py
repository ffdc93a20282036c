"""How often confidence sequences cover the truth along a whole run, and how much wider they are.

Usage: python benchmarks/honesty/streams.py [--runs 200] [--labels 200] [--draws uniform estimate]
    [--keep FILE] [task ...]

A row for each task and way of drawing: the share of runs in which the interval of a model held its accuracy after each
single label, mean over models and worst model; the lowest share at any one label; the share of runs in which the
differences of all pairs were held after each label; and how many times as wide as the intervals for a fixed budget
these are with 50, 100 and 200 labels (the first 20 runs).
"""

import numpy as np
from played import SELECTORS, Table, asked, estimated, tasks, with_error

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.inference.anytime import AnytimeIntervals
from adjudge.inference.betting import e_process
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.stratum import StratumMean
from adjudge.inference.weighted import pool_mean
from adjudge.losses.loss import ZeroOne
from adjudge.simulation.loop import bought

LEVEL = 0.95
SHOWN = (50, 100, 200)
FOR_WIDTH = 20  # runs, since widths hardly differ between runs


def held(pool: Predictions, wrong: BoolArray, log: Labels) -> BoolArray:
    """(labels, models): whether the interval after so many labels holds the truth."""
    error, found = wrong.mean(axis=1), np.ones((len(log), len(wrong)), dtype=bool)
    for rows in np.flatnonzero(_doubted(pool, wrong, log)) + 1:
        _, low, high = AnytimeIntervals(pool_mean(pool, log.head(int(rows)), ZeroOne()), LEVEL, 1).errors()
        found[rows - 1] = (low <= error + 1e-12) & (error <= high + 1e-12)
    return found


def differences_held(pool: Predictions, wrong: BoolArray, log: Labels) -> bool:
    """Whether the true difference of a pair of models is never rejected, with the error rate shared by all pairs."""
    mean, (one, other) = pool_mean(pool, log, ZeroOne()), np.triu_indices(len(wrong), 1)
    threshold = np.log(2 * mean.pairs / (1 - LEVEL))
    return not any((_against(mean, wrong, side, one, other) >= threshold).any() for side in (1, -1))


def _open_losses(stratum: StratumMean, wrong: BoolArray) -> FloatArray:
    """(models,): the sum of losses over the samples of a stratum that were open before the first draw."""
    members = stratum.draws.members
    return np.asarray((wrong if members is None else wrong[:, members]).sum(axis=1) - stratum.known_loss)


def _doubted(pool: Predictions, wrong: BoolArray, log: Labels) -> BoolArray:
    """(labels,): where the truth about a model is rejected; everywhere else the interval must cover it."""
    mean, every = pool_mean(pool, log, ZeroOne()), np.arange(len(wrong))
    most = np.max([_against(mean, wrong, side, every) for side in (1, -1)], axis=(0, 1))
    return np.asarray(most >= np.log(2 / (1 - LEVEL)))


def _against(mean: PoolMean, wrong: BoolArray, side: int, one: IntArray, other: IntArray | None = None) -> FloatArray:
    """(quantities, labels): log wealth of the bets against the truth, over all strata, up to each label."""
    won = np.zeros((len(one), len(mean.sample)))
    for stratum in (each for each in mean.strata if each.drawn):
        total, draws = _open_losses(stratum, wrong), stratum.draws
        candidate = (total[one] if other is None else total[one] - total[other]) / draws.size
        wealth = e_process(mean, stratum, mean.known.losses, one, other).log_wealth_path(candidate, side)
        won[:, draws.rows] += np.diff(wealth, prepend=0.0, axis=1)
    return np.cumsum(won, axis=1)


def wider(mean: PoolMean) -> float:
    """The width of anytime-valid intervals, as a multiple of those for a fixed budget."""
    (_, low, high), (_, least, most) = mean.interval(LEVEL), AnytimeIntervals(mean, LEVEL, 1).errors()
    return float((most - least).mean() / (high - low).mean())


def measured(pool: Predictions, truth: FloatArray, draws: str, labels: int, runs: int) -> list[list[str]]:
    wrong = pool.values != truth
    logs = [bought(SELECTORS[draws], pool, truth, labels, seed) for seed in range(runs)]
    each = np.array([held(pool, wrong, log) for log in logs])  # (runs, labels, models)
    along = each.all(axis=1)
    widths = [
        np.mean([wider(estimated(pool, log.head(rows), draws)) for log in logs[:FOR_WIDTH]])
        for rows in SHOWN
        if rows <= labels
    ]
    held_all = (with_error(along.mean(axis=1)), f"{along.mean(axis=0).min():.3f}")
    pairs = np.mean([differences_held(pool, wrong, log) for log in logs])
    return [[*held_all, f"{each.mean(axis=(0, 2)).min():.3f}", f"{pairs:.3f}", *(f"{width:.2f}" for width in widths)]]


def main() -> None:
    parser = asked(__doc__, runs=200, draws=("uniform", "estimate"))
    parser.add_argument("--labels", type=int, default=200)
    wanted = parser.parse_args()
    widths = [f"width at {rows}" for rows in SHOWN if rows <= wanted.labels]
    held_at = ("held all along", "worst model", "held at the worst label", "all differences held")
    header = ("task", "draws", "labels", "runs", *held_at, *widths)
    table = Table(header, wanted.keep)
    for name, pool, truth in tasks(wanted.tasks):
        for draws in wanted.draws:
            table.rows(
                [(name, draws, wanted.labels, wanted.runs)], measured, pool, truth, draws, wanted.labels, wanted.runs
            )


if __name__ == "__main__":
    main()
