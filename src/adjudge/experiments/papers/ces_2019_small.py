"""Table 3 of Li et al. 2019 (CES): small pools, drawn from the tasks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.experiments.jobs import Job
from adjudge.experiments.outputs import MISSING, Cell, Grid, cell
from adjudge.experiments.papers.ces_2019_errors import CES, SRS, random_variance, scores
from adjudge.experiments.papers.ces_2019_published import SMALL_POOLS
from adjudge.experiments.results import Results
from adjudge.experiments.tasks import Task

POOLS = 30  # of each size (Section 4.3.4)
SMALL = ((100, 30), (300, 50))  # samples of a pool, and labels (Section 4.3.4)
RUNS = 20  # at most, in each pool
HEAD, MEASURES = ("task", "model", "labels"), ("average", "deviation", "maximum")


def small_jobs(task: Task, jobs: Sequence[Job]) -> list[Job]:
    """The same methods in small pools; a size that the task has too few labels for is left out."""
    known = np.count_nonzero(~np.isnan(task.truth))
    return [
        replace(
            job,
            name=_named(job.name, samples, labels),
            budgets=(labels,),
            repetitions=min(RUNS, job.repetitions),
            part=(samples, number),
        )
        for job in jobs
        for samples, labels in SMALL
        for number in range(POOLS)
        if samples <= known
    ]


@dataclass(frozen=True, eq=False)
class SmallPools:
    """What came out in small pools of one size."""

    value: FloatArray  # (pools,): what the model is worth in each
    variance: FloatArray  # (pools,): of random samples
    random: FloatArray  # (pools, runs): absolute error of random samples
    chosen: FloatArray | None  # (pools, runs): that of CES; None without features

    def efficiencies(self) -> FloatArray | None:
        """(pools,): E of each pool; those on which the model makes no error at all have none and are left out."""
        if self.chosen is None:
            return None
        known = self.variance > 0
        return np.asarray(np.mean(self.chosen[known] ** 2, axis=1) / self.variance[known])


def small_pools(task: Task, results: Results, samples: int, labels: int) -> dict[str, SmallPools]:
    """What came out for each model; nothing where the task has too few samples."""
    drawn = results.of(task.name, _named(SRS, samples, labels))
    pools = [task.part(*each.job.part, each.job.seed) for each in drawn if each.job.part is not None]
    looked_at: dict[str, list[FloatArray]] = {}
    for each in results.of(task.name, _named(CES, samples, labels)):
        looked_at.setdefault(each.models[0], []).append(np.abs(each.values[:, 0, 0] - each.truth[0]))
    found = {}
    for place, model in enumerate(task.predictions.models if pools else ()):
        missed = [np.abs(each.values[:, 0, place] - each.truth[place]) for each in drawn]
        found[model] = SmallPools(
            value=np.array([each.truth[place] for each in drawn]),
            variance=np.array([random_variance(scores(pool, model), [labels])[0] for pool in pools]),
            random=np.stack(missed),
            chosen=np.stack(looked_at[model]) if model in looked_at else None,
        )
    return found


def small_samples(tasks: Sequence[tuple[Task, Sequence[str]]], results: Results) -> list[Grid]:
    """Table 3, for these models of the tasks: E in small pools, and the errors behind it."""
    ratios, errors, runs = [], [], 0
    for task, models in tasks:
        found = {size: small_pools(task, results, *size) for size in SMALL}
        for model in models:
            for samples, labels in SMALL:
                size = f"{labels} of {samples}"
                named = (Cell(task.name), Cell(model), Cell(size))
                told = map(Cell, SMALL_POOLS.get((task.name, model, size), (MISSING,) * 3))
                pools = found[samples, labels].get(model)
                if pools is None:
                    ratios.append((*named, *[Cell(MISSING)] * 4, *told))
                    errors.append((*named, *[Cell(MISSING)] * 6))
                    continue
                runs = pools.random.shape[1]
                found_here = (cell(100 * float(pools.value.mean()), 1), *_three(pools.efficiencies()))
                ratios.append((*named, *found_here, *told))
                errors.append((*named, *_three(pools.random), *_three(pools.chosen)))
    drawn = f"{POOLS} pools of each size, drawn by the seed, with {runs} runs in each."
    note = (
        f"{drawn} E of a pool: mean squared error of CES divided by the known variance of SRS in it; average, standard "
        f"deviation and maximum over pools. Actual: percent, mean over pools. {MISSING}: no features, or too small."
    )
    behind = f"{drawn} Absolute difference between the estimate and the value in the pool."
    both = (f"{method} {each}" for method in (SRS, CES) for each in MEASURES)
    header = (*HEAD, "actual", *MEASURES, *(f"paper: {each}" for each in MEASURES))
    return [
        Grid("table-3", "Table 3: E of CES in small pools", header, tuple(ratios), note),
        Grid("table-3-errors", "Table 3: errors in small pools", (*HEAD, *both), tuple(errors), behind),
    ]


def _named(method: str, samples: int, labels: int) -> str:
    return f"{method}, {labels} of {samples}"


def _three(values: FloatArray | None) -> list[Cell]:
    """Average, standard deviation and maximum."""
    if values is None or values.size < 2:
        return [Cell(MISSING)] * 3
    return [cell(float(values.mean())), cell(float(values.std(ddof=1))), cell(float(values.max()))]
