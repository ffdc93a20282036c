"""What the benchmarks of speed share: the clock, and pools of any size."""

import resource
from collections.abc import Callable
from time import process_time

import numpy as np

from adjudge.core.arrays import smallest_code_type
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranker


def seconds(work: Callable[[], object], times: int = 3, clock: Callable[[], float] = process_time) -> float:
    """Of the quickest of several times, by default CPU seconds of this process."""
    best = np.inf
    for _ in range(times):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def pool_of(models: int, samples: int, classes: int) -> Predictions:
    """Models of accuracies from 0.45 to 0.9, whose errors are spread evenly."""
    rng = np.random.default_rng(0)
    kind = smallest_code_type(classes)
    truth = rng.integers(classes, size=samples, dtype=kind)
    values = rng.integers(classes, size=(models, samples), dtype=kind)
    for row, accuracy in zip(values, np.linspace(0.45, 0.9, models), strict=True):
        np.copyto(row, truth, where=rng.random(samples) < accuracy)
    names = tuple(map(str, range(models)))
    return Predictions(values, names, range(samples), tuple(map(str, range(classes))))


def rank_largest(name: str, ranker: Ranker, models: int = 100, samples: int = 50_000, classes: int = 1000) -> None:
    """Print the time and the memory that a ranking of the largest pool takes."""
    ranker.rank(pool_of(3, 10, classes), Labels.empty(10))  # compiles
    pool = pool_of(models, samples, classes)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    spent = seconds(lambda: ranker.rank(pool, Labels.empty(samples)), times=1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{models} models x {samples:,} samples x {classes} classes")
    print(f"{name:24s} {spent:7.3f} s   peak {peak / 1024:.0f} MB, {before / 1024:.0f} MB of it before")
