"""One model, run on all samples: batches, memory that gives out, results that are kept."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np

from adjudge._version import __version__
from adjudge.core.arrays import Array
from adjudge.core.index import counted
from adjudge.errors import AdjudgeError, InputError
from adjudge.models.datasets import Dataset
from adjudge.models.prediction.kept import Growing, Result, find_kept, folder_name, load_kept
from adjudge.models.runners.layers import Layer
from adjudge.models.runners.outputs import answers, meaning_of
from adjudge.models.runners.protocol import NoFeatures, Raw, Request, Runner
from adjudge.models.runners.references import LiveModel, Reference
from adjudge.models.runners.settings import ModelSettings, Output
from adjudge.models.runners.shaping import shaped

BATCH = 256
BATCH_BYTES = 1 << 26  # of inputs as 32-bit floats, where no batch size is told
NO_MEMORY = re.compile(r"out of memory|n.t allocate|not enough memory|bad.alloc|failed to allocate", re.IGNORECASE)


@dataclass(frozen=True)
class Wanted:
    """What is wanted of every model."""

    features: bool = False
    layer: Layer | None = None  # whose; None: what a model's settings say, or the last hidden one
    probabilities: bool = False
    trust: bool = False
    batch: int | None = None
    cache: Path | None = None
    fresh: bool = False


@dataclass(frozen=True)
class Ran:
    """What came of one model, and what a user should know about it."""

    result: Result
    notes: tuple[str, ...] = ()
    reused: bool = False


@dataclass(frozen=True)
class Job:
    """A model that is to be run, and what is done of it so far."""

    reference: Reference
    request: Request
    identity: dict[str, Any]
    target: Path | None  # the folder of the whole result
    samples: int
    notes: list[str]

    @cached_property
    def growing(self) -> Growing:
        """Begun when it is first asked for: a model that cannot be opened leaves no folder behind."""
        return Growing(None if self.target is None else _growing(self.target), self.samples)

    def finished(self) -> Ran:
        """What came of it, once all samples are done."""
        about = self.identity | {"notes": self.notes}
        self.growing.finish(about, self.target)
        if self.target is not None:
            about, arrays = load_kept(self.target)
            return Ran(_result(self.reference.name, about, arrays), tuple(self.notes))
        return Ran(_result(self.reference.name, about | self.growing.state, self.growing.arrays), tuple(self.notes))


def run_model(
    reference: Reference, request: Request, data: Dataset, wanted: Wanted, tell: Callable[[int], None]
) -> Ran:
    """Run one model on all samples, or take what is kept of an earlier run."""
    job = job_for(reference, request, data, wanted)
    if isinstance(job, Ran):
        tell(len(data))
        return job
    runner = opened(reference, request, job.notes)
    tell(job.growing.done)
    try:
        for raw in raw_outputs(runner, request, data, wanted, job.growing.done, len(data), job.notes):
            add_outputs(job, raw, runner.classes)
            tell(job.growing.done)
    finally:
        job.growing.save()
    return job.finished()


def job_for(reference: Reference, request: Request, data: Dataset, wanted: Wanted) -> Job | Ran:
    """What is to be done, or what is kept of an earlier run."""
    if reference.path is not None and not reference.path.exists():
        raise InputError(f"{reference.path} does not exist; check the path")
    identity = _identity(reference, request, data)
    cache = None if isinstance(reference, LiveModel) else wanted.cache  # of which no later run could be the same
    target = None if cache is None else cache / folder_name(reference.name, identity)
    if target is not None and wanted.fresh:
        rmtree(target, ignore_errors=True)
        rmtree(_growing(target), ignore_errors=True)
    if target is not None and (kept := find_kept(target)) is not None:
        about, arrays = kept
        return Ran(_result(reference.name, about, arrays), tuple(about["notes"]), reused=True)
    return Job(reference, request, identity, target, len(data), [])


def _growing(target: Path) -> Path:
    return target.with_name(f"{target.name}.part")


def _identity(reference: Reference, request: Request, data: Dataset) -> dict[str, Any]:
    """All that the numbers depend on."""
    versions = reference.module.versions()  # first, since it tells what is not installed
    settings = {name: value for name, value in asdict(request.settings).items() if name not in _IRRELEVANT_SETTINGS}
    return {
        "model": reference.digest(request.settings),
        "entry": reference.entry,
        "data": data.digest,
        "settings": settings,
        "features": request.features,
        "probabilities": request.probabilities,
        "versions": {"adjudge": __version__, **versions},
    }


_IRRELEVANT_SETTINGS = ("build", "timeout", "retries", "rate", "token", "batch")  # settings that change no number


def opened(reference: Reference, request: Request, notes: list[str]) -> Runner:
    try:
        return reference.module.open_model(request)
    except NoFeatures as problem:
        notes.append(f"{reference.name} gives no features: {problem}")
        return reference.module.open_model(replace(request, features=False))
    except AdjudgeError:
        raise
    except Exception as problem:  # libraries raise nearly anything
        raise InputError(f"it cannot be opened ({_reason(problem)}); save it again, or run it elsewhere") from problem


def raw_outputs(
    runner: Runner, request: Request, data: Dataset, wanted: Wanted, start: int, stop: int, notes: list[str]
) -> Iterator[Raw]:
    """What a model gives for the samples from one place to another, batch by batch."""
    first = runner.takes.batch or batch_size(data, request, wanted)
    size = first
    while start < stop:
        last = min(start + size, stop)
        try:
            raw = _run(runner, data.rows(start, last, request.settings.size), data, request)
        except MemoryError as problem:
            if size == 1 or runner.takes.batch is not None:
                raise InputError(
                    f"there is not enough memory for {counted(size, 'sample')} at a time; make room, or use a "
                    "smaller model"
                ) from problem
            size //= 2
            continue
        start = last
        yield raw
    if size < first:
        notes.append(f"there was not enough memory for {first} samples at a time; it went on with {size}")


def add_outputs(job: Job, raw: Raw, classes: tuple[str, ...] | None) -> None:
    """Note what a model gave for the next samples; `classes` are those that it knows itself."""
    if not job.growing.done:
        job.growing.begin(*_meaning(raw, classes, job.request.settings))
    said = answers(raw, job.growing.state["meaning"])
    job.growing.add(said if job.request.probabilities else replace(said, probabilities=None))


def batch_size(data: Dataset, request: Request, wanted: Wanted) -> int:
    """How many samples at a time, if the model does not say."""
    return wanted.batch or request.settings.batch or _fitting_batch(data, request)


def _fitting_batch(data: Dataset, request: Request) -> int:
    """The usual batch, or fewer samples where they are large."""
    first = data.rows(0, 1, request.settings.size)
    return BATCH if data.kind == "text" else max(1, min(BATCH, BATCH_BYTES // max(1, 4 * math.prod(first.shape))))


def _run(runner: Runner, rows: Array, data: Dataset, request: Request) -> Raw:
    inputs = shaped(rows, data.kind, request.settings, runner.takes)
    count = rows.shape[0]
    lacking = (runner.takes.batch or count) - count
    if lacking:  # a model of a fixed batch is given the last sample again
        inputs = np.concatenate([inputs, np.repeat(inputs[-1:], lacking, axis=0)])
    try:
        raw = runner.run(inputs)
    except (AdjudgeError, MemoryError):
        raise
    except Exception as problem:  # runtimes raise nearly anything
        if NO_MEMORY.search(str(problem)):
            raise MemoryError from problem
        raise InputError(
            f"it failed on inputs of {getattr(inputs, 'dtype', 'a frame')} in the shape {inputs.shape} "
            f"({_reason(problem)}); check that it is fitted, that the data is what it takes, and its TOML if it has one"
        ) from problem
    parts = raw._asdict().items()
    return Raw(*(None if each is None else _cut(name, each, inputs.shape[0], count) for name, each in parts))


def _meaning(raw: Raw, known: tuple[str, ...] | None, settings: ModelSettings) -> tuple[Output, tuple[str, ...] | None]:
    """What the outputs are, and the list of classes, if there is one."""
    meaning = meaning_of(raw, settings)
    if meaning == "numbers":
        return meaning, None
    count = 2 if meaning == "binary" else None if meaning == "labels" or raw.outputs is None else raw.outputs.shape[-1]
    classes = settings.classes or known
    if classes is not None and count is not None and len(classes) != count:
        raise InputError(f"it gives {count} outputs but {len(classes)} classes are named; name one for each output")
    return meaning, classes or (None if count is None else tuple(map(str, range(count))))


def _reason(problem: Exception) -> str:
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    return lines[0][:200] if lines else type(problem).__name__


def _cut(name: str, given: Array, expected: int, wanted: int) -> Array:
    if np.ndim(given) == 0 or len(given) != expected:
        count = len(given) if np.ndim(given) else "one"
        if name == "features":
            raise InputError(f"the layer gave {count} values for {expected} samples; name another layer")
        raise InputError(f"it gave {count} outputs for {expected} samples; give one for each")
    return given[:wanted]


def _result(name: str, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> Result:
    """The result of a whole run; classes without a list are those that were said."""
    classes = about["classes"] or (None if about["meaning"] == "numbers" else about["vocabulary"])
    return Result(
        name,
        **arrays,
        classes=None if classes is None else tuple(classes),
        listed=about["classes"] is not None,
        named=classes is not None and not numbered(classes),
        about=about,
    )


def numbered(classes: Sequence[str]) -> bool:
    return list(classes) == [str(at) for at in range(len(classes))]
