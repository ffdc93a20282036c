"""Results: outcomes by task and method, in files and in memory, and the indicators that follow from them."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from adjudge import metrics
from adjudge.core.arrays import FloatArray
from adjudge.experiments.jobs import Job, Outcome
from adjudge.readers import atomic_write

Indicator = Callable[[FloatArray, FloatArray], float]  # (estimated, truth) of the models -> a number


def indicator(name: str) -> Indicator:
    """Spearman, Kendall, regret, or Jaccard at k by the name jaccard_k.

    >>> indicator("jaccard_1")(np.array([0.5, 0.9]), np.array([0.6, 0.7]))
    1.0
    """
    if name.startswith("jaccard_"):
        return lambda estimated, truth: metrics.jaccard(estimated, truth, int(name.removeprefix("jaccard_")))
    known: dict[str, Indicator] = {
        "spearman": metrics.spearman,
        "kendall": metrics.kendall,
        "regret": metrics.regret,
    }
    return known[name]


@dataclass(frozen=True, eq=False)
class Results:
    """All outcomes of an experiment."""

    outcomes: tuple[Outcome, ...]

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.job.task for each in self.outcomes))

    def get(self, task: str, name: str, model: str | None = None) -> Outcome | None:
        """The outcome of a method on a task; None where it was not run."""
        for each in self.outcomes:
            if (each.job.task, each.job.name, each.job.model) == (task, name, model):
                return each
        return None

    def of(self, task: str, name: str) -> tuple[Outcome, ...]:
        """The outcomes of a method on a task, one for each model it looked at."""
        return tuple(each for each in self.outcomes if (each.job.task, each.job.name) == (task, name))


def measured(outcome: Outcome, name: str) -> FloatArray:
    """(repetitions, budgets): an indicator of each ranking against the true one."""
    measure = indicator(name)
    shape = outcome.values.shape[:2]
    flat = outcome.values.reshape(-1, outcome.values.shape[2])
    return np.array([measure(row, outcome.truth) for row in flat]).reshape(shape)


def tidy(outcome: Outcome) -> pa.Table:
    """A row for each repetition, budget and model."""
    repetition, budget, model = np.indices(outcome.values.shape, dtype=np.int32).reshape(3, -1)
    value, job = outcome.values.ravel(), outcome.job
    same = np.zeros(len(value), dtype=np.int32)
    return pa.table(
        {
            "task": pa.DictionaryArray.from_arrays(same, pa.array([job.task])),
            "method": pa.DictionaryArray.from_arrays(same, pa.array([job.name])),
            "looked_at": pa.DictionaryArray.from_arrays(same, pa.array([job.model or ""])),
            "repetition": pa.array(repetition),
            "budget": pa.array(np.array(job.budgets, dtype=np.int32)[budget]),
            "model": pa.DictionaryArray.from_arrays(model, pa.array(outcome.models)),
            "value": pa.array(value, mask=np.isnan(value)),
            "truth": pa.array(outcome.truth[model]),
        }
    )


def write_outcome(outcome: Outcome, path: Path) -> None:
    """The tidy table, with the job in its metadata: the same job gives the same bytes, so times stand elsewhere."""
    notes = {"job": asdict(outcome.job), "models": outcome.models, "truth": outcome.truth.tolist()}
    table = tidy(outcome).replace_schema_metadata({key: json.dumps(value) for key, value in notes.items()})
    with atomic_write(path.with_suffix(".seconds")) as file:
        file.write(f"{outcome.seconds:.6f}\n".encode())
    with atomic_write(path) as file:
        parquet.write_table(table, file, compression="zstd")


def read_outcome(path: Path) -> Outcome:
    table = parquet.read_table(path)
    job, models, truth = (json.loads(table.schema.metadata[key]) for key in (b"job", b"models", b"truth"))
    kept = job["models"] and tuple(job["models"])
    made = Job(**job | {"budgets": tuple(job["budgets"]), "models": kept})
    values = np.asarray(table.column("value").to_numpy(), dtype=np.float64)
    seconds = float(path.with_suffix(".seconds").read_text())
    shape = (made.repetitions, len(made.budgets), len(models))
    return Outcome(made, tuple(models), np.array(truth), values.reshape(shape), seconds)
