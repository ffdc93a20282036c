"""Footnote 4 and Section 5.2.1 of Li et al. 2019 (CES): strata by surprise in place of confidence.

Surprise is what a task stores about its samples (`auxiliary_*`). Where it stores features, it is computed: half of the
samples are the reference, the other half the pool.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from adjudge.core.predictions import AUXILIARY
from adjudge.experiments.jobs import Job
from adjudge.experiments.outputs import MISSING, Cell, Grid
from adjudge.experiments.papers.ces_2019_errors import CSS, Efficiency, efficiency_in_theory, errors_of, scores
from adjudge.experiments.papers.ces_2019_published import ACTUAL, SURPRISE
from adjudge.experiments.papers.ces_2019_tables import models_of, with_error
from adjudge.experiments.results import Results
from adjudge.experiments.tasks import Task
from adjudge.methods.papers.surprise import COMPUTED


def surprise_jobs(task: Task, base: Job) -> list[Job]:
    """Strata by each kind of surprise, for each model, at the sizes that its pool allows."""
    made, half = [], int(np.count_nonzero(~np.isnan(task.truth))) // 2
    for model, by in _kinds(task):
        own = replace(base, name=_named(by), method="css", ranker=None, model=model, models=(model,))
        if by == COMPUTED:
            own = replace(own, part=(half, 0), budgets=tuple(size for size in base.budgets if size <= half))
        if own.budgets:
            made.append(replace(own, options={"by": by}))
    return made


def surprises(tasks: Sequence[Task], results: Results) -> Grid:
    """E by surprise, beside E by confidence."""
    rows = []
    for task in tasks:
        for model, by in _kinds(task):
            found = (_efficiency(task, results, model, name) for name in (_named(by), CSS))
            told = SURPRISE if (task.name, model) in ACTUAL else MISSING
            rows.append((Cell(task.name), Cell(model), Cell(by), *map(with_error, found), Cell(told)))
    note = (
        "E against the known variance of SRS, averaged over 35 to 180 labels; below 1 is better than SRS. By "
        f"{COMPUTED!r}: likelihood-based surprise adequacy of the features, half of the samples being the reference "
        "and the other half the pool: one split, whose chance the standard error does not hold."
    )
    header = ("task", "model", "by", "E", "E by confidence", "paper")
    return Grid("surprise", "Section 5.2.1: CSS by surprise", header, tuple(rows), note)


def _kinds(task: Task) -> Iterator[tuple[str, str]]:
    """Models with the name of each kind of surprise that there is about them."""
    for model in models_of(task):
        stored = task.predictions.auxiliary
        yield from ((model, AUXILIARY + name) for name in stored if stored[name].of(model) is not None)
        if model in task.with_features():
            yield model, COMPUTED


def _efficiency(task: Task, results: Results, model: str, name: str) -> Efficiency | None:
    outcomes = [each for each in results.of(task.name, name) if each.job.model == model]
    errors = errors_of(results, task.name, name, model)
    if errors is None:
        return None
    part = outcomes[0].job.part
    pool = task if part is None else task.part(*part, outcomes[0].job.seed)
    return efficiency_in_theory(errors, scores(pool, model))


def _named(by: str) -> str:
    return f"{CSS} by {by}"
