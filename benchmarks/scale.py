"""What a pool in parts costs, beside a plain read of the same file; and one Dask worker against two.

`python benchmarks/scale.py --samples 5000000 --workers 1 2` is the large one; the default is small.
"""

import argparse
import resource
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from timed import pool_of, seconds

from adjudge.core.labels import Labels
from adjudge.core.votes import vote_agreement
from adjudge.decisions.screening import screen
from adjudge.engine.cluster import Dask
from adjudge.io import read
from adjudge.io.predictions.parts import PredictionParts
from adjudge.methods.papers.sds import SDS
from adjudge.methods.peers.dawid_skene import DawidSkene

BLOCK = 1 << 16


def plain_read(path: Path) -> int:
    """Every byte once, and nothing more than their sum."""
    values = np.load(path, mmap_mode="r")
    return sum(int(values[:, start : start + BLOCK].sum()) for start in range(0, values.shape[1], BLOCK))


def scores(path: Path, memory: str) -> None:
    """Vote, agreement and SDS scores."""
    pool = read(path, memory=memory)
    SDS().discrimination(pool)  # first: it needs the whole vote, which agreement then finds counted
    vote_agreement(pool, Labels.empty(pool.values.shape[1]))


def main() -> None:
    told = argparse.ArgumentParser(description=__doc__)
    told.add_argument("--models", type=int, default=100)
    told.add_argument("--samples", type=int, default=100_000)
    told.add_argument("--memory", default="4MB")
    told.add_argument("--workers", type=int, nargs="*", default=[], help="Dask clusters of so many workers")
    asked = told.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder) / "pool.npy", Path(folder) / "small.npy"
        np.save(small, pool_of(asked.models, 2000, 10).values)
        np.save(path, pool_of(asked.models, asked.samples, 10).values)
        work: dict[str, Callable[[Path], object]] = {
            "plain read": plain_read,
            "check": lambda file: screen(read(file, memory=asked.memory if file == path else "100KB")),
            "vote, agreement, SDS": lambda file: scores(file, asked.memory if file == path else "100KB"),
            "Dawid-Skene": lambda file: DawidSkene().rank(
                pool := read(file, memory=asked.memory if file == path else "100KB"), Labels.empty(pool.values.shape[1])
            ),
        }
        print(f"{asked.models} models x {asked.samples:,} samples, memory {asked.memory}")
        plain = 0.0
        for what, call in work.items():
            call(small)  # compiles
            spent = seconds(lambda call=call: call(path), times=1)  # type: ignore[misc]
            plain = plain or spent
            print(f"{what:24s} {spent:8.2f} CPU s {spent / plain:8.1f} x")
        print(
            f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB, pages of the file with it"
        )
        for workers in asked.workers:
            print(f"{workers} Dask workers {on_dask(path, small, asked.memory, workers):8.2f} s of wall time")


def on_dask(path: Path, small: Path, memory: str, workers: int) -> float:
    """Wall time of the scores on a cluster of this machine."""
    local: Any = import_module("distributed").LocalCluster  # without types
    with local(workers, threads_per_worker=1, dashboard_address=None) as cluster:
        engine = Dask(cluster.scheduler_address)
        for file in (small, path):
            pool = read(file, memory=memory if file == path else "100KB")
            assert isinstance(pool, PredictionParts)
            pool.engine = engine
            start = perf_counter()
            SDS().discrimination(pool)
            vote_agreement(pool, Labels.empty(pool.values.shape[1]))
        spent = perf_counter() - start
        engine.close()
    return spent


if __name__ == "__main__":
    main()
