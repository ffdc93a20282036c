"""What Dawid-Skene costs, as a ratio to crowd-kit in the same run; `large` runs the largest pool instead.

Both run the same number of rounds from the same start, and their chances are compared. Without crowd-kit
(`pip install crowd-kit`) only ours runs. Times are CPU seconds of this process on one thread, best of three.
"""

import sys
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits
from timed import pool_of, rank_largest, seconds

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.methods.peers.dawid_skene import DawidSkene

LEAST, CLOSE = 10.0, 1e-6  # at least so many times less than crowd-kit; the chances no further apart
SIZES = ((30, 10_000, 10), (100, 50_000, 10))


def main() -> None:
    DawidSkene().rank(pool_of(3, 10, 10), Labels.empty(10))  # compiles
    there = crowd_kit() is not None
    if not there:
        print("crowd-kit is not installed, so only ours runs; `pip install crowd-kit` to compare")
    for size in SIZES:
        pool, empty = pool_of(*size), Labels.empty(size[1])
        print("{} models x {:,} samples x {} classes".format(*size))
        spent = seconds(partial(DawidSkene().rank, pool, empty))
        print(f"  dawid-skene             {spent:8.3f} s")
        if there:
            compare(pool, empty)


def compare(pool: Predictions, empty: Labels) -> None:
    """The same rounds with both."""
    reference, rounds, expected = with_crowd_kit(pool)
    ours = DawidSkene(rounds, tolerance=-np.inf)
    spent = seconds(lambda: ours.rank(pool, empty))
    apart = np.abs(ours.posterior(pool, empty) - expected).max()
    print(f"  crowd-kit, {rounds:3d} rounds   {reference:8.3f} s")
    print(f"  dawid-skene, as many    {spent:8.3f} s  {reference / spent:6.1f} times less (at least {LEAST:g})")
    print(f"  largest difference of a chance  {apart:.1e}   (at most {CLOSE:g})")


def crowd_kit() -> Any:
    """Its methods; None where it is not installed."""
    try:
        return import_module("crowdkit.aggregation")
    except ImportError:
        return None


def rows_of(pool: Predictions) -> Any:
    """The predictions as crowd-kit takes them."""
    import pandas as pd  # type: ignore[import-untyped]

    models, samples = pool.values.shape
    workers, tasks = np.repeat(np.arange(models), samples), np.tile(np.arange(samples), models)
    return pd.DataFrame({"task": tasks, "worker": workers, "label": pool.values.ravel()})


def with_crowd_kit(pool: Predictions) -> tuple[float, int, FloatArray]:
    """Seconds, rounds and chances (samples, classes) of crowd-kit with its defaults."""
    aggregation = crowd_kit()
    assert aggregation is not None
    made, rows = aggregation.DawidSkene(), rows_of(pool)
    spent = seconds(lambda: made.fit(rows), times=1)
    return spent, len(made.loss_history_), made.probas_.sort_index().sort_index(axis=1).to_numpy()


if __name__ == "__main__":
    with threadpool_limits(1):
        rank_largest("dawid-skene", DawidSkene()) if sys.argv[1:] == ["large"] else main()
