"""A job: one method on one task, all its repetitions; the unit that is run, kept and resumed."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from time import process_time

import numpy as np

from adjudge import registry
from adjudge._version import __version__
from adjudge.core.arrays import Array, FloatArray
from adjudge.core.labels import SKIP, Labels, Value
from adjudge.core.losses import default_loss
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError, NotEnoughLabels
from adjudge.experiments.tasks import Task
from adjudge.loop import budget as budget_stop
from adjudge.loop import steps


@dataclass(frozen=True)
class Settings:
    """What a user may change of an experiment."""

    repetitions: int = 50
    seed: int = 0


@dataclass(frozen=True)
class Job:
    """What to run; two jobs with the same fields give the same numbers.

    `model` names the one model whose value is estimated, by methods that look at one model; its features are given
    to a method that takes them. `models` keeps only these models of the pool.
    """

    task: str
    data: str  # hash of the task's file
    name: str  # how tables call the method, such as SRS
    method: str
    budgets: tuple[int, ...]
    repetitions: int
    seed: int = 0
    ranker: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    model: str | None = None
    models: tuple[str, ...] | None = None

    @property
    def key(self) -> str:
        """A file name that differs wherever the numbers may."""
        told = json.dumps(asdict(self) | {"version": __version__}, sort_keys=True)
        digest = hashlib.sha256(told.encode()).hexdigest()[:10]
        readable = "".join(each if each.isalnum() else "-" for each in f"{self.task}-{self.name}-{self.model or ''}")
        return f"{readable.strip('-')}-{digest}"


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came out: the value each ranking gave each model, nan where it could give none."""

    job: Job
    models: tuple[str, ...]
    truth: FloatArray  # (models,): the value each model really has
    values: FloatArray  # (repetitions, budgets, models)
    seconds: float  # CPU time of all repetitions, without reading the task


def run_job(job: Job, task: Task) -> Outcome:
    """Play all repetitions of a job, with a look at each of its budgets."""
    predictions, truth = _kept(task.predictions, job.models), task.truth
    samples = len(truth)
    if not job.budgets or min(job.budgets) < 0 or max(job.budgets) > samples:
        raise InputError(
            f"the budgets of {job.name} reach from {min(job.budgets, default=0)} to "
            f"{max(job.budgets, default=0)} but {job.task} has {samples} samples; give others"
        )
    options = dict(job.options)
    if job.model is not None and registry.takes(job.method, "model"):
        options["model"] = job.model
    if job.model is not None and registry.takes(job.method, "features"):
        options["features"] = task.features(job.model)
    loss = default_loss(predictions, Labels.known(samples, np.arange(samples), truth))
    rank_by = job.ranker or registry.ranker_for(job.method)
    ranker = registry.ranker(rank_by, loss, options if rank_by == job.method else None)
    selector = registry.selector(job.method, options) if registry.can_select(job.method) else None
    start, none = process_time(), Labels.empty(samples)
    values = np.full((job.repetitions, len(job.budgets), len(predictions.models)), np.nan)
    for repetition in range(job.repetitions):
        labels = none
        if selector is not None:
            picker = selector.start(predictions, none, max(job.budgets), job.seed + repetition)
            *_, labels = steps(picker, lambda sample: _answer(truth, sample), budget_stop(max(job.budgets)), none)
        for place, rows in enumerate(job.budgets):
            with suppress(NotEnoughLabels):  # then nothing is known yet
                values[repetition, place] = ranker.rank(predictions, labels.head(rows)).estimate.value
    seconds = process_time() - start
    kept = [task.predictions.models.index(name) for name in predictions.models]
    return Outcome(job, predictions.models, task.values[kept], values, seconds)


def _answer(truth: FloatArray, sample: int) -> Value:
    return SKIP if np.isnan(truth[sample]) else float(truth[sample])


def _kept(predictions: Predictions, models: tuple[str, ...] | None) -> Predictions:
    if models is None:
        return predictions
    rows = [predictions.models.index(name) for name in models]
    probabilities: Array | None = predictions.probabilities
    return replace(
        predictions,
        values=predictions.values[rows],
        models=models,
        probabilities=None if probabilities is None else probabilities[rows],
    )
