"""A job: one method on one task, all its repetitions; the unit that is run, kept and resumed."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from time import process_time

import numpy as np

from adjudge import registry
from adjudge._version import __version__
from adjudge.core.arrays import TIE_DIGITS, Array, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranker
from adjudge.core.sampling import Selector
from adjudge.errors import InputError
from adjudge.experiments.tasks import Task
from adjudge.losses.loss import Loss
from adjudge.methods.papers.surprise import COMPUTED
from adjudge.simulation.simulate import rankings_at, runs


@dataclass(frozen=True)
class RunSettings:
    """What a user may change of an experiment."""

    repetitions: int = 50
    seed: int = 0


@dataclass(frozen=True)
class Job:
    """What to run; two jobs with the same fields give the same numbers.

    `model` names the one model that a method looks at; its features are given to a method that takes them. `models`
    keeps only these models of the pool, `part` only a part of its samples: how many, and the number of the draw.
    """

    task: str
    data: str  # hash of the task's file
    name: str  # how tables call the method, such as SRS
    method: str
    budgets: tuple[int, ...]
    repetitions: int
    seed: int = 0  # of the first repetition; the next has the next
    ranker: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    model: str | None = None
    models: tuple[str, ...] | None = None
    part: tuple[int, int] | None = None

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
    ranks: FloatArray  # the same shape: 1 is best; rankings are judged by these, which need not follow the values
    seconds: float  # CPU time of all repetitions, without reading the task

    def among(self, models: Sequence[str]) -> "Outcome":
        """The same rankings of some models only; right for rankers that value each model by itself."""
        kept = [self.models.index(name) for name in models]
        values, ranks = self.values[:, :, kept], self.ranks[:, :, kept]
        return replace(self, models=tuple(models), truth=self.truth[kept], values=values, ranks=ranks)


def run_job(job: Job, task: Task) -> Outcome:
    """Play all repetitions of a job, with a look at each of its budgets."""
    if job.part is not None:
        task = task.part(*job.part, job.seed)
    if job.options.get("by") == COMPUTED and job.model is not None:
        task = replace(task, predictions=task.surprising(job.model))
    predictions, samples = _kept(task.predictions, job.models), len(task.truth)
    if not job.budgets or min(job.budgets) < 0 or max(job.budgets) > samples:
        raise InputError(
            f"the budgets of {job.name} reach from {min(job.budgets, default=0)} to "
            f"{max(job.budgets, default=0)} but {job.task} has {samples} samples; give others"
        )
    selector, ranker = _method(job, task, task.loss)
    shape = (2, job.repetitions, len(job.budgets), len(predictions.models))
    values, ranks = found = np.empty(shape)
    start = process_time()
    if selector is None:  # nothing is bought and nothing is random: one answer stands for all
        found[:] = np.array(rankings_at(ranker, predictions, Labels.empty(samples), (0,)))[:, None]
    else:
        apart = registry.plans_for_budget(job.method)
        for repetition in range(job.repetitions):
            played = runs(selector, predictions, task.truth, job.budgets, job.seed + repetition, apart=apart)
            found[:, repetition] = np.concatenate([rankings_at(ranker, predictions, *run) for run in played], axis=1)
    seconds = process_time() - start
    kept = [task.predictions.models.index(name) for name in predictions.models]
    # the last bits of a sum depend on how many threads share it: rounded, they are the same in every process
    return Outcome(job, predictions.models, task.values[kept], np.round(values, TIE_DIGITS), ranks, seconds)


def _method(job: Job, task: Task, loss: Loss) -> tuple[Selector | None, Ranker]:
    """What buys the labels, if anything does, and what ranks by them."""
    options = dict(job.options)
    if job.model is not None and registry.takes(job.method, "model"):
        options["model"] = job.model
    if job.model is not None and registry.takes(job.method, "features"):
        options["features"] = task.features(job.model)
    rank_by = job.ranker or registry.ranker_for(job.method)
    ranker = registry.ranker(rank_by, loss, options if rank_by == job.method else None)
    return registry.selector(job.method, options) if registry.can_select(job.method) else None, ranker


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
