"""How often the interval of each metric holds, and what `select --metric` gains, as a table for the docs.

Usage: python -m benchmarks.honesty.metrics TASK.npz ... [--runs 50] [--aimed 10] [--labels 50 100 200] [--seed 0]
    [--only f1 mcc]

Tasks of classes, of classes with probabilities, and of numbers; the two made pools of regressors are added to the last.
Of each task, the first 8 models and 1,000 samples. A metric that is about one class is about the rarest. For each
metric: the coverage of 95% intervals after so many uniform draws, over all models, runs and tasks that suit it, with
how many of them had an interval; the same after draws by `select --metric`; and the gain: the mean squared error after
uniform draws divided by that after as many draws for the metric, the geometric mean over tasks. It is about how many
times as many uniform draws would do as well. Accuracy, which several names stand for, is measured by the other scripts.
"""

import warnings
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

import adjudge
from adjudge.core.arrays import FloatArray
from adjudge.core.index import ids_at
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Selector
from adjudge.decisions.rank import MetricRanker
from adjudge.inference.metrics.registry import METRICS, NUMBERS, PROBABILITIES, Metric
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.pooled import Pooled
from adjudge.simulation.loop import bought
from tests.support.regressors import KINDS, made_regression

MODELS, SAMPLES, AIMED_AT = 8, 1000, 100
NUMBERS_OF = {"fB": "f1", "macro-fB": "macro-f1", "weighted-fB": "weighted-f1", "top-K": "top-2"} | {
    "quantile-Q": "quantile-0.9",
}


class Part(NamedTuple):
    """A part of a task, and its truth."""

    pool: Predictions
    truth: FloatArray


def parts(paths: Sequence[Path]) -> Iterator[Part]:
    """The first models and some samples of each task, and of the made ones."""
    found = [adjudge.read_truth(path, adjudge.read(path)) for path in paths]
    found += [made_regression(kind) for kind in KINDS]
    for pool, truth in found:
        known = np.flatnonzero(~np.isnan(truth))
        rows = np.sort(np.random.default_rng(0).choice(known, min(SAMPLES, len(known)), replace=False))
        few = pool.only(pool.models[:MODELS])
        probabilities = None if few.probabilities is None else np.asarray(few.probabilities[:, rows])
        part = replace(
            few,
            values=few.values[:, rows],
            samples=ids_at(few.samples, rows),
            probabilities=probabilities,
            whole=None,
            columns=None,
            auxiliary={},
        )
        yield Part(part, truth[rows])


def suits(metric: Metric, part: Part) -> bool:
    """Whether a task has what the metric needs."""
    if (metric.needs == NUMBERS) != (part.pool.classes is None):
        return False
    return metric.needs != PROBABILITIES or part.pool.probabilities is not None


def positive_numbers(part: Part) -> Part:
    """The same numbers plus a constant, since percentages need numbers away from zero."""
    more = 1.5 * float(part.truth.std()) - min(float(part.truth.min()), part.pool.span[0])
    return Part(replace(part.pool, values=part.pool.values + more), part.truth + more)


def rarest(part: Part) -> str:
    """The class that is true least often, but occurs."""
    assert part.pool.classes is not None
    codes, count = np.unique(part.truth.astype(int), return_counts=True)
    return str(part.pool.classes[codes[count.argmin()]])


def run(ranker: MetricRanker, part: Part, selector: Selector, labels: Sequence[int], seed: int) -> list[FloatArray]:
    """For each number of labels, (3, models): the interval's ends and the value."""
    log = bought(selector, part.pool, part.truth, max(labels), seed)
    found = []
    for rows in labels:
        estimate = ranker.rank(part.pool, log.head(rows)).estimate
        found.append(np.array([estimate.low, estimate.high, estimate.value]))
    return found


def coverage(found: FloatArray, actual: FloatArray) -> tuple[float, float]:
    """From (runs, 3, models): how often an interval holds, and how often there is one."""
    known = ~np.isnan(found[:, 0])
    held = (found[:, 0] <= actual) & (actual <= found[:, 1])
    return float(held[known].sum()), float(known.sum())


def row(metric: Metric, tasks: Sequence[Part], labels: Sequence[int], uniform_seeds: range, aimed_seeds: range) -> str:
    """A row of the table."""
    name = NUMBERS_OF.get(metric.name, metric.name)
    held, asked, gains = np.zeros((2, len(labels) + 1)), np.zeros(len(labels) + 1), []
    for part in map(positive_numbers, tasks) if name == "mape" else tasks:
        positive = rarest(part) if metric.one_class else None
        ranker = MetricRanker(name, positive)
        actual = ranker.rank(part.pool, Labels.complete(part.truth)).estimate.value
        uniform = np.array([run(ranker, part, Random(), labels, seed) for seed in uniform_seeds])
        aim = Pooled(metric=name, positive=positive or "")
        drawn = np.array([run(ranker, part, aim, [AIMED_AT], seed) for seed in aimed_seeds])[:, 0]
        each = [uniform[:, place] for place in range(len(labels))] + [drawn]
        for place, one in enumerate(each):
            held[:, place] += coverage(one, actual)
            asked[place] += one[:, 0].size
        errors = [np.nanmean((one[:, 2] - actual) ** 2) for one in (uniform[:, labels.index(AIMED_AT)], drawn)]
        gains.append(errors[0] / errors[1])
    cells = []
    for place in range(len(labels) + 1):
        share = held[1, place] / asked[place]
        few = "" if share > 0.995 else f" ({share:.0%})"
        cells.append(f"{held[0, place] / held[1, place]:.2f}{few}" if held[1, place] else "none")
    gain = float(np.exp(np.mean(np.log(gains))))
    return f"| `{metric.name}` | {metric.summary} | {' | '.join(cells)} | {gain:.1f} |"


def main() -> None:
    """Print the table."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", type=Path)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--aimed", type=int, default=10)
    parser.add_argument("--labels", type=int, nargs="+", default=[50, 100, 200])
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--seed", type=int, default=0, help="of the first run; the others follow")
    told = parser.parse_args()
    warnings.simplefilter("ignore")
    every = list(parts(told.tasks))
    heads = [f"{count}" for count in told.labels]
    print(f"| metric | what it is | {' | '.join(heads)} | aimed, {AIMED_AT} | gain |")
    print(f"|---|---|{'---|' * (len(heads) + 2)}")
    for metric in METRICS.values():
        if metric.mean == "zero-one" or (told.only and metric.name not in told.only):  # accuracy has its own scripts
            continue
        tasks = [part for part in every if suits(metric, part)][:3]
        uniform, aimed = (range(told.seed, told.seed + runs) for runs in (told.runs, told.aimed))
        print(row(metric, tasks, told.labels, uniform, aimed), flush=True)


if __name__ == "__main__":
    main()
