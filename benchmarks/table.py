"""One table of what everything costs: ours, the reference, and the ratio, both measured in this run, as CPU seconds.

`python benchmarks/table.py` is small and takes a few minutes; `--samples 5000000 --pooled 1000000` has the sizes that
are promised. Lines that need crowd-kit say how to get it where it is missing (`pip install crowd-kit`).
"""

import argparse
import resource
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial, reduce
from math import nan
from multiprocessing import get_context
from pathlib import Path
from time import process_time

import active
import commands
import crowd
import kernels
import laf
import numpy as np
import scale
import sds
from pyarrow import parquet
from threadpoolctl import threadpool_limits
from timed import pool_of, seconds

from adjudge.core.cache import cache
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import vote_agreement
from adjudge.decisions.screening import screen
from adjudge.errors import NotEnoughLabels
from adjudge.io.predictions.merge import merge
from adjudge.methods.papers.laf import LaF
from adjudge.methods.papers.sds import SDS
from adjudge.methods.peers.dawid_skene import DawidSkene
from adjudge.methods.peers.glad import GLAD
from adjudge.registry import ranker, selector
from adjudge.simulation.contract import example_pool
from adjudge.simulation.simulate import simulate

NO_CROWD_KIT = "pip install crowd-kit"
GROWS = 12.0  # times the CPU for ten times the samples, at the most


@dataclass(frozen=True)
class Line:
    """What was measured."""

    what: str
    ours: float
    reference: str
    theirs: float
    asked: str = ""

    def __str__(self) -> str:
        ratio = "" if np.isnan(self.theirs) else f"{self.ours / self.theirs:9.3f}"
        theirs = "" if np.isnan(self.theirs) else f"{self.theirs:9.3f}"
        return f"{self.what:48s} {self.ours:9.3f}  {self.reference:34s} {theirs:>9s} {ratio:>9s}  {self.asked}"


def read_lines(samples: int) -> Iterator[Line]:
    """Vote, agreement and SDS scores, beside a plain read."""
    with tempfile.TemporaryDirectory() as name:
        path, small, parts = Path(name, "pool.npy"), Path(name, "small.npy"), Path(name, "parts")
        np.save(small, pool_of(100, 2000, 10).values)
        np.save(path, pool_of(100, samples, 10).values)
        merge(path, parts)
        half = f"{samples * 100 // 2 // 10**6}MB"
        scale.scores(small, "1GB")
        plain = seconds(lambda: scale.plain_read(path))
        for what, given in (("memory map", None), (f"in parts, {half}", half)):
            spent = seconds(lambda given=given: scale.scores(path, given), times=2)  # type: ignore[misc]
            yield Line(f"vote + agreement + SDS scores, {what}", spent, "plain read, memory map", plain, "at most 6")
        table = seconds(
            lambda: [parquet.ParquetFile(file).read(use_threads=False) for file in parts.glob("*.parquet")], 2
        )
        spent = seconds(lambda: scale.scores(parts, None), times=2)
        yield Line("vote + agreement + SDS scores, Parquet", spent, "plain read, Parquet", table, "at most 12")
        yield Line("the same", spent, "plain read, memory map", plain)
        memory_used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        yield Line("peak memory of all of this, GB", memory_used, "", nan, "under 1 at 5,000,000 samples, alone")


def dask_lines(samples: int) -> Iterator[Line]:
    """Two Dask workers against one of the same cluster: wall time, as the work is in other processes."""
    with tempfile.TemporaryDirectory() as name:
        path, small = Path(name, "pool.npy"), Path(name, "small.npy")
        np.save(small, pool_of(100, 2000, 10).values)
        np.save(path, pool_of(100, samples, 10).values)
        one, two = (scale.on_dask(path, small, f"{max(1, samples * 80 // 10**6)}MB", workers) for workers in (1, 2))
        asked = "at most 0.7 at 5,000,000 samples, two idle cores"
        yield Line("votes, SDS: two Dask workers, seconds of wall time", two, "one Dask worker", one, asked)


def vote_lines() -> Iterator[Line]:
    """Votes beside numpy, scipy and crowd-kit; 100 models x 50,000 samples."""
    from scipy.stats import mode

    pool = pool_of(100, 50_000, 10)
    ours = seconds(lambda: vote_agreement(replace(pool), Labels.empty(50_000)))
    yield Line("agreement", ours, "numpy, one-hot votes", seconds(lambda: kernels.plain_agreement(pool.values, 10)))
    yield Line("agreement", ours, "scipy.stats.mode", seconds(lambda: mode(pool.values, axis=0), times=1))
    rows = crowd.rows_of(pool)
    aggregation = crowd.crowd_kit()
    theirs = nan if aggregation is None else seconds(lambda: aggregation.MajorityVote().fit(rows), times=1)
    yield Line("agreement", ours, f"crowd-kit majority vote{_how(theirs)}", theirs)


def crowd_lines() -> Iterator[Line]:
    """Dawid-Skene and GLAD with crowd-kit's rounds; 30 models x 10,000 samples, and 10 x 300."""
    aggregation = crowd.crowd_kit()
    pool, empty = pool_of(30, 10_000, 10), Labels.empty(10_000)
    DawidSkene().rank(pool, empty)
    theirs, rounds = nan, 100
    if aggregation is not None:
        theirs, rounds, _ = crowd.with_crowd_kit(pool)
    same = DawidSkene(rounds, tolerance=-np.inf)
    ours = seconds(lambda: same.rank(replace(pool), empty))
    yield Line(f"dawid-skene, {rounds} rounds", ours, f"crowd-kit Dawid-Skene{_how(theirs)}", theirs, "at most 0.1")
    pool, empty = pool_of(10, 300, 10), Labels.empty(300)
    GLAD().rank(pool, empty)
    rows = crowd.rows_of(pool)
    theirs = nan if aggregation is None else seconds(lambda: aggregation.GLAD().fit(rows), times=1)
    yield Line(
        "glad, to its end", seconds(lambda: GLAD().rank(replace(pool), empty)), f"crowd-kit GLAD{_how(theirs)}", theirs
    )


def loop_lines() -> Iterator[Line]:
    """The authors' algorithms as they are written; 30 models x 10,000 samples."""
    pool, empty = pool_of(30, 10_000, 10), Labels.empty(10_000)
    sds.cold(pool)
    loop = seconds(lambda: sds.as_in_algorithm_1(pool.values, 10), times=1)
    yield Line("SDS scores", seconds(lambda: sds.cold(pool)), "SDS, Algorithm 1 as a loop", loop, "at most 0.01")
    LaF().rank(pool, empty)
    loop = seconds(lambda: laf.plain_laf(pool.values, 10), times=1)
    yield Line("laf", seconds(lambda: LaF().rank(replace(pool), empty)), "LaF, authors' steps in numpy", loop)
    made, truth = example_pool(active.MODELS, active.SAMPLES, active.CLASSES)
    pool = Predictions(made.values.astype(np.int8), made.models, range(active.SAMPLES), made.classes)
    active.step_seconds(selector("coda"), pool, truth)
    right, wrong = np.full((active.MODELS, active.CLASSES), 2.2), np.full((active.MODELS, active.CLASSES), 2.1)
    start = process_time()
    for sample in range(active.TRIED):
        active.plain_step(right, wrong, pool.values[:, sample])
    exact = (process_time() - start) * active.SAMPLES / active.TRIED
    step = active.step_seconds(selector("coda"), replace(pool), truth)[2]
    yield Line("coda, a step", step, "CODA exact, integral by integral", exact, "at most 0.0125")


def growth_lines(samples: int) -> Iterator[Line]:
    """Ten times the samples."""
    work: dict[str, Callable[[Predictions], object]] = {
        "check": screen,
        "agreement": lambda pool: vote_agreement(pool, Labels.empty(len(pool.samples))),
        "SDS scores": SDS().discrimination,
        "dawid-skene": lambda pool: DawidSkene().rank(pool, Labels.empty(len(pool.samples))),
        "laf": lambda pool: LaF().rank(pool, Labels.empty(len(pool.samples))),
        "pooled, first pick": lambda pool: _picks(pool, 1),
    }
    few, many = pool_of(100, samples // 10, 10), pool_of(100, samples, 10)
    for what, call in work.items():
        call(pool_of(100, 2000, 10))
        small, large = (seconds(partial(_cold, call, pool), times=1) for pool in (few, many))
        name = f"{what}, 100 x {samples:,}"
        limit = {"laf": f", {1.2e-4 * samples:.0f} s"}.get(what, "") if samples >= 100_000 else ""
        yield Line(name, large, f"{what}, 100 x {samples // 10:,}", small, f"at most {GROWS:g}{limit}")


def _cold(call: Callable[[Predictions], object], pool: Predictions) -> None:
    cache.clear()
    call(replace(pool))


def _picks(pool: Predictions, count: int) -> list[float]:
    """CPU seconds of the first picks of the default; what the last model says is taken for the truth."""
    labels, spent = Labels.empty(len(pool.samples)), list[float]()
    picker = selector("pooled").start(pool, labels, max(count, 10), 0)
    for _ in range(count):
        start = process_time()
        pick = picker(labels)
        spent.append(process_time() - start)
        assert pick is not None
        labels = labels.add(pick, int(pool.values[-1, pick.sample]))
    return spent


def _with_probabilities(samples: int) -> float:
    """GB at most for three picks from 25 models with probabilities of 10 classes in half precision."""
    pool, rng = pool_of(25, samples, 10), np.random.default_rng(1)
    probabilities = np.empty((25, samples, 10), dtype=np.float16)
    for row, stated in zip(pool.values, probabilities, strict=True):
        odds = rng.random((samples, 10), dtype=np.float32)
        odds[np.arange(samples), row] += 2
        stated[:] = odds / odds.sum(axis=1, keepdims=True)
    _picks(replace(pool, probabilities=probabilities), 3)
    return scale.most_memory() / 1024


def pooled_lines(samples: int) -> Iterator[Line]:
    """The first pick of the default, and those after it; and its memory."""
    made = pool_of(100, samples, 10)
    _picks(pool_of(4, 50, 10), 2)
    first, *later = _picks(made, 6)
    plain = seconds(lambda: active.plain_pass(made.values), times=1)
    yield Line(f"pooled, first pick, 100 x {samples:,}", first, "plain pass over the votes", plain, "8 s at 1,000,000")
    yield Line("pooled, a later one", float(np.mean(later)), "plain pass over the votes", plain, "0.3 s")
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        peak = process.submit(_with_probabilities, samples).result()
    stored = 25 * samples * 10 * 2 / 2**30
    yield Line("pooled with probabilities, GB at most", peak, "these in half precision", stored, "4 at 1,000,000")


def simulate_lines() -> Iterator[Line]:
    """Runs of the default method with a ranking after each label; 30 models x 2,000 samples, 2 runs of 40 labels."""
    pool = pool_of(30, 2000, 10)
    truth, ranks = pool.values[-1].astype(np.float64), ranker("pooled")
    simulate(pool, truth, "pooled", 5, 1, workers=1)
    ours = seconds(lambda: simulate(replace(pool), truth, "pooled", 40, 2, workers=1), times=1)

    def apart(labels: Labels, run: int) -> Labels:
        """A ranking and a pick, each as if nothing had been found out before."""
        cache.clear()
        with suppress(NotEnoughLabels):
            ranks.rank(pool, labels)
        cache.clear()
        pick = selector("pooled").start(pool, labels, 40, run)(labels)
        assert pick is not None
        return labels.add(pick, float(truth[pick.sample]))

    alone = seconds(lambda: [reduce(apart, [run] * 40, Labels.empty(2000)) for run in range(2)], times=1)
    yield Line("simulate, pooled, 2 runs of 40 labels", ours, "the same, nothing kept", alone)


def command_lines() -> Iterator[Line]:
    """Small commands: as after installation, and with compiled code in place."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commands.write_pool(folder)
        plain = min(commands.cpu_seconds(folder, commands.PLAIN, "none") for _ in range(3))
        for what, words in commands.COMMANDS.items():
            call = partial(commands.cpu_seconds, folder, ("-m", "adjudge", *words), what)
            yield Line(f"adjudge {what}, first use", call(), "import numpy, pyarrow", plain, "10 s")
            yield Line(
                f"adjudge {what}, 26 x 900", min(call() for _ in range(3)), "import numpy, pyarrow", plain, "0.9 s"
            )


def _how(theirs: float) -> str:
    return f" ({NO_CROWD_KIT})" if np.isnan(theirs) else ""


def main() -> None:
    told = argparse.ArgumentParser(description=__doc__)
    told.add_argument("--samples", type=int, default=1_000_000, help="of the pool that is read")
    told.add_argument("--growth", type=int, default=100_000, help="of the larger of two pools that are compared")
    told.add_argument("--pooled", type=int, default=20_000, help="of the pool that the default method picks from")
    asked = told.parse_args()
    print(f"{'CPU seconds':48s} {'ours':>9s}  {'reference':34s} {'':9s} {'ratio':>9s}  asked")
    for lines in (
        read_lines(asked.samples),
        dask_lines(asked.samples),
        vote_lines(),
        crowd_lines(),
        loop_lines(),
        growth_lines(asked.growth),
        pooled_lines(asked.pooled),
        simulate_lines(),
        command_lines(),
    ):
        for line in lines:
            print(line, flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
