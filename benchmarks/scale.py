"""What a pool in parts costs, beside a plain read of the same file; and one Dask worker against two.

`python benchmarks/scale.py --samples 5000000 --workers 1 2` is the large one; the default is small.
"""

import argparse
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from timed import pool_of, seconds

from adjudge.core.labels import Labels
from adjudge.core.votes import vote_agreement
from adjudge.decisions.screening import screen
from adjudge.io import read
from adjudge.methods.papers.sds import SDS
from adjudge.methods.peers.dawid_skene import DawidSkene

BLOCK = 1 << 16


def plain_read(path: Path) -> int:
    """Every byte once, and nothing more than their sum."""
    values = np.load(path, mmap_mode="r")
    return sum(int(values[:, start : start + BLOCK].sum()) for start in range(0, values.shape[1], BLOCK))


def scores(path: Path, memory: str | None) -> None:
    """Vote, agreement and SDS scores."""
    pool = read(path, memory=memory)
    SDS().discrimination(pool)  # first: it needs the whole vote, which agreement then finds counted
    vote_agreement(pool, Labels.empty(pool.values.shape[1]))


def dawid_skene(path: Path, memory: str) -> None:
    pool = read(path, memory=memory)
    DawidSkene().rank(pool, Labels.empty(pool.values.shape[1]))


WORK: dict[str, Callable[[Path, str], object]] = {
    "plain read": lambda path, _: plain_read(path),
    "vote, agreement, SDS": scores,
    "the same, memory map": lambda path, _: scores(path, None),
    "check": lambda path, memory: screen(read(path, memory=memory)),
    "Dawid-Skene": dawid_skene,
}


def alone(what: str, path: Path, small: Path, memory: str) -> tuple[float, float]:
    """CPU seconds, at best, and the most memory in MB, pages of the file with it: in a process of its own."""
    WORK[what](small, "100KB")  # compiles
    spent = seconds(lambda: WORK[what](path, memory), times=3 if "SDS" in what or "map" in what else 1)
    return spent, most_memory()


def most_memory() -> float:
    """MB that this process has taken at most: getrusage would count the process that started it as well."""
    [peak] = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(peak.split()[1]) / 1024


def main() -> None:
    told = argparse.ArgumentParser(description=__doc__)
    told.add_argument("--models", type=int, default=100)
    told.add_argument("--samples", type=int, default=100_000)
    told.add_argument("--memory", default="4MB")
    told.add_argument("--only", nargs="*", choices=[*WORK], default=[*WORK])
    told.add_argument("--workers", type=int, nargs="*", default=[], help="Dask clusters of so many workers")
    asked = told.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder) / "pool.npy", Path(folder) / "small.npy"
        np.save(small, pool_of(asked.models, 2000, 10).values)
        np.save(path, pool_of(asked.models, asked.samples, 10).values)
        print(f"{asked.models} models x {asked.samples:,} samples, memory {asked.memory}")
        plain = seconds(lambda: plain_read(path))
        for what in asked.only:
            with ProcessPoolExecutor(1, get_context("spawn")) as process:
                spent, peak = process.submit(alone, what, path, small, asked.memory).result()
            print(f"{what:24s} {spent:8.2f} CPU s {spent / plain:8.1f} x {peak:8.0f} MB at most", flush=True)
        for workers in asked.workers:
            print(
                f"{workers} Dask workers {on_dask(path, small, asked.memory, workers):8.2f} s of wall time", flush=True
            )


def on_dask(path: Path, small: Path, memory: str, workers: int) -> float:
    """Wall time of the scores on a cluster of this machine, at best of three times."""
    local: Any = import_module("distributed").LocalCluster  # without types
    with local(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster:
        spent = []
        for file in (small, path, path, path):
            pool = read(
                file, memory=memory if file == path else "100KB", engine="dask", scheduler=cluster.scheduler_address
            )
            start = perf_counter()
            SDS().discrimination(pool)
            vote_agreement(pool, Labels.empty(pool.values.shape[1]))
            spent.append(perf_counter() - start)
            vars(pool)["engine"].close()  # and what it stored
    return min(spent[1:])


if __name__ == "__main__":
    main()
