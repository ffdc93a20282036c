"""How often intervals hold the truth on real tasks, how wide they are, and how precise the values.

Usage: python benchmarks/coverage.py [--runs 300] [--labels 50 100 200] [--draws uniform frames weighted] [task ...]

One row for each task, way of drawing and number of labels, for `drawn` and `assisted`: coverage averaged over models,
that of the worst model, mean width, variance against that of uniform draws (closed form), and whether all rank
intervals held at once. Tasks are looked for in $ADJUDGE_TASKS or ../shared/tasks.
"""

import argparse
import os
from pathlib import Path

import numpy as np

from adjudge.checks import FrameDraws
from adjudge.core.arrays import FloatArray
from adjudge.core.frames import disputed
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.protocols import Ranker, Selector
from adjudge.estimators.assisted import Assisted
from adjudge.estimators.drawn import Drawn
from adjudge.loop import budget, steps
from adjudge.readers import read, read_truth
from adjudge.selectors.random import Random


def selectors(agreed: float) -> dict[str, Selector]:
    return {
        "uniform": Random(),
        "frames": FrameDraws(agreed=agreed, floor=1.0),
        "weighted": FrameDraws(agreed=agreed, floor=0.2),
    }


def measure(pool: Predictions, truth: FloatArray, selector: Selector, rows: int, runs: int) -> list[str]:
    """A cell for each estimator."""
    logs = []
    for seed in range(runs):
        start = Labels.empty(len(truth))
        picker = selector.start(pool, start, rows, seed)
        *_, log = steps(picker, lambda sample: int(truth[sample]), budget(rows), start)
        logs.append(log)
    rankers: tuple[Ranker, ...] = (Drawn(), Assisted())
    return [_cell(pool, truth, ranker, logs) for ranker in rankers]


def _cell(pool: Predictions, truth: FloatArray, ranker: Ranker, logs: list[Labels]) -> str:
    right = pool.values == truth
    actual, samples, rows = right.mean(axis=1), len(truth), len(logs[0])
    place = 1 + (actual[None, :] > actual[:, None]).sum(axis=1)
    value, held, width, ranks = [], [], [], []
    for log in logs:
        answer = ranker.rank(pool, log)
        estimate = answer.estimate
        value.append(estimate.value)
        held.append((estimate.low <= actual + 1e-12) & (actual <= estimate.high + 1e-12))
        width.append((estimate.high - estimate.low).mean())
        if answer.rank_low is not None and answer.rank_high is not None:
            ranks.append(((answer.rank_low <= place) & (place <= answer.rank_high)).all())
    uniform = actual * (1 - actual) / rows * (samples - rows) / (samples - 1)
    variance = ((np.array(value) - actual) ** 2).mean(axis=0)
    each = np.mean(held, axis=0)
    against = np.mean(variance[uniform > 0] / uniform[uniform > 0])
    return f"{each.mean():.3f} {each.min():.3f} {np.mean(width):.3f} {against:.2f} {np.mean(ranks):.2f}"


def main() -> None:
    folder = Path(os.environ.get("ADJUDGE_TASKS", Path(__file__).parents[2] / "shared" / "tasks"))
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("tasks", nargs="*", default=[])
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--labels", type=int, nargs="+", default=[50, 100, 200])
    parser.add_argument("--draws", nargs="+", default=["uniform", "frames", "weighted"])
    wanted = parser.parse_args()
    print("for each of drawn, assisted: coverage, worst model, width, variance against uniform, all ranks at once")
    for file in [folder / f"{name}.npz" for name in wanted.tasks] or sorted(folder.glob("*.npz")):
        pool, truth = read_truth(file, read(file))
        if pool.classes is None:
            continue
        agreed = min(1 / 3, 1 - float(disputed(pool).mean()))
        for name in wanted.draws:
            for rows in wanted.labels:
                cells = measure(pool, truth, selectors(agreed)[name], rows, wanted.runs)
                print(f"{file.stem:26} {name:8} {rows:4}  {'  |  '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
