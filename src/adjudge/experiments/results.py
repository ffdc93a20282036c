"""Results: outcomes by task and method, in files and in memory."""

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from adjudge._version import __version__
from adjudge.experiments.jobs import Job, Outcome
from adjudge.io import atomic_write

TEXT = pa.dictionary(pa.int32(), pa.string())
COLUMNS = pa.schema(
    {
        "task": TEXT,
        "method": TEXT,
        "looked_at": TEXT,  # the one model whose features or confidence the method used; empty: none
        "part_samples": pa.int32(),  # how many samples the smaller pool has that was drawn; null: the whole task
        "part_number": pa.int32(),
        "seed": pa.int64(),
        "repetition": pa.int32(),
        "budget": pa.int32(),
        "model": TEXT,
        "value": pa.float64(),
        "rank": pa.int32(),  # by this rankings are judged; null: there was no ranking
        "truth": pa.float64(),
    }
)
VERSIONS = {"adjudge": __version__, "numpy": np.__version__, "python": platform.python_version()}


@dataclass(frozen=True)
class LeftOut:
    """A job that its task has not what it needs for, and why."""

    job: Job
    reason: str


@dataclass(frozen=True, eq=False)
class Results:
    """All outcomes of an experiment, and what had none."""

    outcomes: tuple[Outcome, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.job.task for each in self.outcomes))

    def get(self, task: str, name: str, model: str | None = None) -> Outcome | None:
        """The outcome of a method on a task; None where it was not run."""
        return next((each for each in self.of(task, name) if each.job.model == model), None)

    def of(self, task: str, name: str) -> tuple[Outcome, ...]:
        """The outcomes of a method on a task, one for each model it looked at and each part of the pool."""
        return tuple(self._by_name.get((task, name), ()))

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], list[Outcome]]:
        found: dict[tuple[str, str], list[Outcome]] = {}
        for each in self.outcomes:
            found.setdefault((each.job.task, each.job.name), []).append(each)
        return found


def tidy(outcome: Outcome) -> pa.Table:
    """A row for each repetition, budget and model."""
    repetition, budget, model = np.indices(outcome.values.shape, dtype=np.int32).reshape(3, -1)
    value, rank, job = outcome.values.ravel(), outcome.ranks.ravel(), outcome.job
    same = np.zeros(len(value), dtype=np.int32)
    size, number = job.part or (None, None)
    columns = {
        "task": pa.DictionaryArray.from_arrays(same, pa.array([job.task])),
        "method": pa.DictionaryArray.from_arrays(same, pa.array([job.name])),
        "looked_at": pa.DictionaryArray.from_arrays(same, pa.array([job.model or ""])),
        "part_samples": pa.repeat(pa.scalar(size, pa.int32()), len(value)),
        "part_number": pa.repeat(pa.scalar(number, pa.int32()), len(value)),
        "seed": pa.array(job.seed + repetition.astype(np.int64)),
        "repetition": pa.array(repetition),
        "budget": pa.array(np.array(job.budgets, dtype=np.int32)[budget]),
        "model": pa.DictionaryArray.from_arrays(model, pa.array(outcome.models)),
        "value": pa.array(value, mask=np.isnan(value)),
        "rank": pa.array(np.nan_to_num(rank).astype(np.int32), mask=np.isnan(rank)),
        "truth": pa.array(outcome.truth[model]),
    }
    return pa.table(columns, schema=COLUMNS)


def write_outcome(outcome: Outcome, path: Path) -> None:
    """The tidy table, with the job in its metadata: the same job gives the same bytes, so times stand elsewhere."""
    notes = {
        "job": asdict(outcome.job),
        "models": outcome.models,
        "truth": outcome.truth.tolist(),
        "versions": VERSIONS,
    }
    table = tidy(outcome).replace_schema_metadata({key: json.dumps(value) for key, value in notes.items()})
    with atomic_write(path.with_suffix(".seconds")) as file:
        file.write(f"{outcome.seconds:.6f}\n".encode())
    with atomic_write(path) as file:
        parquet.write_table(table, file, compression="zstd")


def read_outcome(path: Path) -> Outcome:
    table = parquet.read_table(path, columns=["value", "rank"])
    job, models, truth = (json.loads(table.schema.metadata[key]) for key in (b"job", b"models", b"truth"))
    tuples = {name: job[name] and tuple(job[name]) for name in ("budgets", "models", "part")}
    made = Job(**job | tuples)
    values, ranks = (np.asarray(table.column(name).to_numpy(), dtype=np.float64) for name in ("value", "rank"))
    seconds = float(path.with_suffix(".seconds").read_text())
    shape = (made.repetitions, len(made.budgets), len(models))
    return Outcome(made, tuple(models), np.array(truth), values.reshape(shape), ranks.reshape(shape), seconds)


def write_results(results: Results, out: Path) -> None:
    """All outcomes as one tidy Parquet file, the time of each job as CSV, and what was left out."""
    schema = COLUMNS.with_metadata({"versions": json.dumps(VERSIONS)})
    with atomic_write(out / "results.parquet") as file, parquet.ParquetWriter(file, schema, compression="zstd") as rows:
        for each in results.outcomes:  # one at a time: all of them together may be larger than the memory
            rows.write_table(tidy(each).cast(schema))
    times = [(*_named(each.job), each.job.repetitions, f"{each.seconds:.4f}") for each in results.outcomes]
    header = ("task", "method", "looked_at", "part_number")
    _write_csv(out / "times.csv", (*header, "repetitions", "cpu_seconds"), times)
    reasons = [(*_named(each.job), each.reason) for each in results.left_out]
    _write_csv(out / "left-out.csv", (*header, "reason"), reasons)


def _named(job: Job) -> tuple[object, ...]:
    return job.task, job.name, job.model or "", "" if job.part is None else job.part[1]


def _write_csv(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([header, *rows])
    with atomic_write(path) as file:
        file.write(text.getvalue().encode())
