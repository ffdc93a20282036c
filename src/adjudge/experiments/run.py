"""Run an experiment: every job that is not there yet, in parallel; what is done is kept."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from adjudge.engine import results as in_parallel
from adjudge.experiments.jobs import Job, run_job
from adjudge.experiments.results import Results, read_outcome, tidy, write_outcome
from adjudge.experiments.tasks import load
from adjudge.readers import atomic_write


def run(
    jobs: Sequence[Job],
    paths: dict[str, Path],
    out: Path,
    workers: int = -1,
    progress: Callable[[int], None] = lambda done: None,
) -> Results:
    """Run the jobs whose part is not in `out` yet, and read all parts.

    A part is written whole when its job is done: stop when you like, and the next call goes on from there.
    """
    parts = out / "parts"
    parts.mkdir(parents=True, exist_ok=True)
    missing = [job for job in jobs if not _part(parts, job).exists()]
    progress(len(jobs) - len(missing))
    if missing:
        work = partial(_run_and_keep, paths, parts)
        for done, _ in enumerate(in_parallel(work, missing, workers), start=1):
            progress(len(jobs) - len(missing) + done)
    return Results(tuple(read_outcome(_part(parts, job)) for job in jobs))


def write_results(results: Results, out: Path) -> None:
    """All outcomes as one tidy Parquet file, and the time of each job as CSV."""
    table = pa.concat_tables([tidy(each) for each in results.outcomes]).unify_dictionaries()
    with atomic_write(out / "results.parquet") as file:
        parquet.write_table(table, file, compression="zstd")
    lines = ["task,method,looked_at,repetitions,cpu_seconds"]
    lines += [
        f"{job.task},{job.name},{job.model or ''},{job.repetitions},{each.seconds:.4f}"
        for each in results.outcomes
        for job in [each.job]
    ]
    with atomic_write(out / "times.csv") as file:
        file.write("\n".join([*lines, ""]).encode())


def _run_and_keep(paths: dict[str, Path], parts: Path, job: Job) -> None:
    write_outcome(run_job(job, load(paths[job.task])), _part(parts, job))


def _part(parts: Path, job: Job) -> Path:
    return parts / f"{job.key}.parquet"
