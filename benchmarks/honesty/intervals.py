"""How often intervals hold the truth on real tasks, how wide they are, and how precise the values.

Usage: python benchmarks/honesty/intervals.py [--runs 300] [--labels 50 100 200] [--draws uniform ...]
    [--keep FILE] [task ...]

A row for each task, way of drawing and number of labels: coverage of 95% intervals of accuracies (mean over
models; the worst model, picked by one half of the runs and measured by the other; the lowest of all models, which is
too low), how often the truth is below and above them, their width; squared errors of accuracies
against those of uniform draws (closed form); squared errors of differences to the true leader against those of uniform
draws times the share of disputed samples; and how often all rank intervals held at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from played import SELECTORS, Table, asked, estimated, tasks, with_error

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.strata import disputed
from adjudge.inference.weighted import FixedBudgetIntervals
from adjudge.simulation.loop import bought

LEVEL = 0.95
HEADER = (
    "task", "draws", "labels", "runs", "coverage", "worst model", "lowest", "truth below", "above", "width",
    "variance, accuracies", "variance, differences", "all ranks",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Run:
    """What one log says; all arrays are (models,)."""

    value: FloatArray
    low: FloatArray
    high: FloatArray
    behind: FloatArray  # the estimated difference of the true leader to each model
    ranks: bool  # whether all rank intervals hold


@dataclass(frozen=True, eq=False)
class Task:
    """A pool with its truth, and what uniform draws would come to."""

    pool: Predictions
    right: BoolArray

    @property
    def actual(self) -> FloatArray:
        return np.asarray(self.right.mean(axis=1))

    def run(self, log: Labels, draws: str) -> Run:
        mean, actual = estimated(self.pool, log, draws), self.actual
        error, low, high = mean.interval(LEVEL)
        every, leader = np.arange(len(error)), np.array([actual.argmax()])
        worse = FixedBudgetIntervals(mean, LEVEL, mean.pairs).worse(every, every)
        place = 1 + (actual[None, :] > actual[:, None]).sum(axis=1)
        last = (actual[None, :] >= actual[:, None]).sum(axis=1)
        ranks = (1 + worse.sum(axis=1) <= place) & (last <= len(error) - worse.sum(axis=0))
        return Run(1 - error, 1 - high, 1 - low, mean.differences(every, leader, LEVEL)[0][:, 0], bool(ranks.all()))

    def cells(self, runs: Sequence[Run], rows: int) -> list[str]:
        actual, samples = self.actual, self.right.shape[1]
        low, high = (np.array([getattr(run, name) for run in runs]) for name in ("low", "high"))
        below, above = actual < low - 1e-12, actual > high + 1e-12
        held = ~(below | above)
        left = (samples - rows) / (samples - 1) / rows
        apart = self.right.astype(np.float64) - self.right[actual.argmax()]
        accuracies = _against([run.value - actual for run in runs], actual * (1 - actual) * left)
        behind = [run.behind - (actual.max() - actual) for run in runs]
        differences = _against(behind, apart.var(axis=1) * left * float(disputed(self.pool).mean()))
        return [
            with_error(held.mean(axis=1)),
            f"{_worst(held):.3f}",
            f"{held.mean(axis=0).min():.3f}",
            f"{below.mean():.3f}",
            f"{above.mean():.3f}",
            f"{(high - low).mean():.3f}",
            with_error(accuracies, 2),
            with_error(differences, 2),
            f"{np.mean([run.ranks for run in runs]):.3f}",
        ]


def _worst(held: BoolArray) -> float:
    """Coverage of the worst model: picked by every other run, measured by the rest, and the other way round.

    The lowest of many measured coverages is too low, since it is also the unluckiest.
    """
    halves = held[::2].mean(axis=0), held[1::2].mean(axis=0)
    return float(np.mean([one[other.argmin()] for one, other in (halves, halves[::-1])])) if len(held) > 1 else np.nan


def _against(errors: Sequence[FloatArray], uniform: FloatArray) -> FloatArray:
    """(runs,): squared errors as shares of what uniform draws have, mean over the models that can err."""
    can_err = uniform > 1e-15
    return np.asarray((np.array(errors)[:, can_err] ** 2 / uniform[can_err]).mean(axis=1))


def measured(pool: Predictions, truth: FloatArray, draws: str, lengths: Sequence[int], runs: int) -> list[list[str]]:
    """Cells for each number of labels, all from the same runs."""
    task = Task(pool, pool.values == truth)
    found: list[list[Run]] = [[] for _ in lengths]
    for seed in range(runs):
        log = bought(SELECTORS[draws], pool, truth, max(lengths), seed)
        for place, rows in enumerate(lengths):
            found[place].append(task.run(log.head(rows), draws))
    return [task.cells(each, rows) for each, rows in zip(found, lengths, strict=True)]


def main() -> None:
    parser = asked(__doc__, runs=300, draws=("uniform", "estimate"))
    parser.add_argument("--labels", type=int, nargs="+", default=[50, 100, 200])
    wanted = parser.parse_args()
    table = Table(HEADER, wanted.keep)
    for name, pool, truth in tasks(wanted.tasks):
        lengths = [rows for rows in wanted.labels if rows < len(truth)]
        for draws in wanted.draws:
            keys = [(name, draws, rows, wanted.runs) for rows in lengths]
            table.rows(keys, measured, pool, truth, draws, lengths, wanted.runs)


if __name__ == "__main__":
    main()
