"""Models on the workers of a Dask cluster: a task is a range of samples for one model."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from threading import Lock
from typing import NamedTuple

import numpy as np

from adjudge.engine.cluster import Dask
from adjudge.errors import AdjudgeError
from adjudge.models.datasets import Dataset
from adjudge.models.prediction.running import Job, Ran, Wanted, add_outputs, batch_size, opened, raw_outputs
from adjudge.models.runners.protocol import Raw, Request, Runner
from adjudge.models.runners.references import Reference

SAMPLES = 2048  # of a task, at least, in whole batches: as many as are run here, so that numbers are the same
OPEN = 2  # models that a worker holds: tasks come model by model


class Task(NamedTuple):
    """What a worker is asked for."""

    reference: Reference
    identity: str  # of the model: a hash of its files, so that one that was changed is opened again
    request: Request
    start: int
    stop: int


@dataclass(frozen=True)
class Answer:
    """What a worker says: what the model gave, or why it gave nothing."""

    raw: Raw | None = None
    classes: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    problem: AdjudgeError | None = None


def run_jobs(
    jobs: Sequence[Job], data: Dataset, wanted: Wanted, cluster: Dask, tell: Callable[[int], None]
) -> Iterator[Ran | AdjudgeError]:
    """What came of each model, in order; `tell` is told how many samples of all of them are done."""
    tasks = [_tasks(job, data, wanted) for job in jobs]
    answers = cluster.map(partial(_run_task, data, wanted), [task for some in tasks for task in some])
    for place, (job, some) in enumerate(zip(jobs, tasks, strict=True)):
        yield _collected(job, islice(answers, len(some)))
        tell((place + 1) * len(data))


def _tasks(job: Job, data: Dataset, wanted: Wanted) -> list[Task]:
    batch = batch_size(data, job.request, wanted)
    size = batch * -(-SAMPLES // batch)
    file = job.request.path
    request = job.request if file is None else replace(job.request, path=file.absolute())  # workers run elsewhere
    starts = range(job.growing.done, len(data), size)
    model = job.reference, job.identity["model"], request
    return [Task(*model, start, min(start + size, len(data))) for start in starts]


def _collected(job: Job, answers: Iterator[Answer]) -> Ran | AdjudgeError:
    problem: AdjudgeError | None = None
    try:
        for answer in answers:  # all of them, since those of the next model come after
            problem = problem or answer.problem or _added(job, answer)
    finally:
        job.growing.save()
    return job.finished() if problem is None else problem


def _added(job: Job, answer: Answer) -> AdjudgeError | None:
    assert answer.raw is not None
    try:
        add_outputs(job, answer.raw, answer.classes)
    except AdjudgeError as problem:
        return problem
    job.notes.extend(note for note in answer.notes if note not in job.notes)
    return None


def _run_task(data: Dataset, wanted: Wanted, task: Task) -> Answer:
    """On a worker: a model that cannot be run is an answer too, so that the others go on."""
    try:
        runner, notes = _held.get(task)
        told: list[str] = []
        found = list(raw_outputs(runner, task.request, data, wanted, task.start, task.stop, told))
    except AdjudgeError as problem:
        return Answer(problem=problem)
    columns = zip(*found, strict=True)
    joined = Raw(*(None if each[0] is None else np.concatenate(each) for each in columns))
    return Answer(joined, runner.classes, (*notes, *told))


class _Held:
    """The models that this process has opened last: a file is read once, not for each task."""

    def __init__(self) -> None:
        self._open: dict[tuple[Reference, str, str], tuple[Runner, tuple[str, ...]]] = {}
        self._lock = Lock()

    def get(self, task: Task) -> tuple[Runner, tuple[str, ...]]:
        key = task.reference, task.identity, repr(task.request)
        with self._lock:
            if key not in self._open:
                notes: list[str] = []
                self._open[key] = opened(task.reference, task.request, notes), tuple(notes)
                while len(self._open) > OPEN:
                    del self._open[next(iter(self._open))]
            return self._open[key]


_held = _Held()
