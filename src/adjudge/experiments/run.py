"""Run an experiment: every job that is not there yet, in parallel; what is done is kept."""

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import current_thread, main_thread

from adjudge.errors import MethodError
from adjudge.experiments.jobs import Job, Outcome, run_job
from adjudge.experiments.results import LeftOut, Results, read_outcome, write_outcome
from adjudge.experiments.tasks import load
from adjudge.io.files import make_folder, remove_temporary
from adjudge.simulation.engine import Workers
from adjudge.simulation.engine import results as in_parallel


def run(
    jobs: Sequence[Job],
    paths: Mapping[str, Path],
    out: Path,
    workers: Workers = -1,
    progress: Callable[[int], None] = lambda done: None,
) -> Results:
    """Run the jobs whose part is not in `out` yet, and read all parts.

    A part is written whole when its job is done: stop when you like, and the next call goes on from there. A job whose
    method says that the task has not what it needs is left out.
    """
    parts = make_folder(out.resolve() / "parts")
    there = {job.key: outcome for job in jobs if (outcome := _kept(_part(parts, job))) is not None}
    missing = [job for job in jobs if job.key not in there]
    progress(len(there))
    left_out = []
    if missing:
        tasks = {name: path.resolve() for name, path in paths.items()}  # a worker may have another current folder
        try:
            with closing(in_parallel(partial(_run_and_keep, tasks, parts, os.getpid()), missing, workers)) as reasons:
                for done, (job, reason) in enumerate(zip(missing, reasons, strict=True), start=1):
                    if reason is None:
                        there[job.key] = read_outcome(_part(parts, job))
                    else:
                        left_out.append(LeftOut(job, reason))
                    progress(len(jobs) - len(missing) + done)
        except KeyboardInterrupt:
            remove_temporary(parts)  # the other processes were ended wherever they were
            raise
    return Results(tuple(there[job.key] for job in jobs if job.key in there), tuple(left_out))


def _kept(part: Path) -> Outcome | None:
    """An outcome from an earlier run; None where there is none, or its file is damaged and must be made again."""
    try:
        return read_outcome(part)
    except (OSError, ValueError, KeyError):  # Arrow's errors are ValueErrors
        return None


def _run_and_keep(paths: Mapping[str, Path], parts: Path, first: int, job: Job) -> str | None:
    """Write the part of a job; or why there is none."""
    if os.getpid() != first and current_thread() is main_thread():  # Ctrl-C reaches all processes; the first ends them
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        outcome = run_job(job, load(paths[job.task]))
    except MethodError as problem:
        return str(problem)
    write_outcome(outcome, _part(parts, job))
    return None


def _part(parts: Path, job: Job) -> Path:
    return parts / f"{job.key}.parquet"
