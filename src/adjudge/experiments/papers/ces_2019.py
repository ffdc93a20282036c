"""Li et al. 2019 (CES): its three tables, Figures 3, 4 and 7, and footnotes 4 and 5, on whatever tasks are given.

A task takes part if it holds features of a model, or numbers in place of classes. Another layer than the last hidden
one is given as a task of its own: the same pool as `<task>@<layer>.npz`, with that layer's outputs as `features_<i>`.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.experiments.jobs import Job, RunSettings
from adjudge.experiments.outputs import Figure, Line, Output, Panel
from adjudge.experiments.papers.ces_2019_errors import (
    AUTHORS,
    CES,
    CSS,
    REVERSED,
    SRS,
    errors_of,
    random_variance,
    scores,
)
from adjudge.experiments.papers.ces_2019_small import small_jobs, small_samples
from adjudge.experiments.papers.ces_2019_surprise import surprise_jobs, surprises
from adjudge.experiments.papers.ces_2019_tables import (
    LARGE,
    LAYER,
    METHODS,
    TIMED,
    biases,
    efficiencies,
    large,
    large_samples,
    layers,
    models_of,
    pools,
    timed,
    times,
)
from adjudge.experiments.results import Results
from adjudge.experiments.tasks import Task

SIZES = tuple(range(35, 181, 5))  # Section 4.2
FEWER = 5  # times are taken from a fifth of the repetitions
THEORY = "SRS in theory"
# sections and objective in the authors' programs, where they differ from those of the mutants
PROGRAMS: dict[str, dict[str, object]] = {
    "LeNet-1": {"sections": 4, "variant": "authors-cross-entropy"},
    "LeNet-4": {"sections": 9, "variant": "authors-cross-entropy"},
    "LeNet-5": {"sections": 29},
}


def jobs(tasks: Sequence[Task], settings: RunSettings) -> list[Job]:
    """What all tables and figures need together."""
    made: list[Job] = []
    for task in taking_part(tasks):
        sizes, more = (tuple(each for each in some if each <= len(task.truth)) for some in (SIZES, LARGE))
        if not sizes:
            continue
        base = Job(task.name, task.digest, SRS, "random", sizes, settings.repetitions, settings.seed, ranker="labeled")
        own = [replace(base, model=name, models=(name,), ranker=None) for name in task.with_features()]
        ces = [replace(each, name=CES, method="ces") for each in own]
        made += [base, *ces]
        if LAYER in task.name:
            continue
        reversed_ = [replace(each, name=REVERSED, options={"variant": "reversed-kl"}) for each in ces]
        authors = [replace(each, name=AUTHORS, options=_program(each.model)) for each in ces]
        css = [replace(each, name=CSS, method="css") for each in own if task.predictions.probabilities is not None]
        fewer = max(1, settings.repetitions // FEWER)
        made += [*css, *reversed_, *authors, *_timed_jobs([*css, *ces, *reversed_, *authors], fewer)]
        made += [replace(each, name=large(CES), budgets=more) for each in ces if more]
        made += [*small_jobs(task, [base, *ces]), *surprise_jobs(task, base)]
    return made


def outputs(tasks: Sequence[Task], results: Results) -> list[Output]:
    kept = taking_part(tasks)
    plain = [task for task in kept if LAYER not in task.name]
    return [
        efficiencies(plain, results),
        biases(plain, results),
        pools(plain),
        *(deviations(task, results) for task in plain),
        *(by_size(task, results) for task in plain if task.with_features()),
        large_samples(plain, results),
        *small_samples([(task, models_of(task)) for task in plain], results),
        surprises(plain, results),
        times(plain, results),
        layers(kept, results),
    ]


def taking_part(tasks: Sequence[Task]) -> list[Task]:
    """Tasks with features, and regressions, for which random samples can be looked at without any."""
    return [task for task in tasks if models_of(task)]


def deviations(task: Task, results: Results) -> Figure:
    """Figures 3, 4 and 7: the error over sizes, a panel for each model."""
    panels = []
    for model in models_of(task):
        found = {name: errors_of(results, task.name, name, model) for name in METHODS}
        lines = [_line(name, each.sizes, each.deviation()) for name, each in found.items() if each is not None]
        if not lines:
            continue
        sizes = tuple(each for each in SIZES if each <= len(task.truth))
        theory = np.sqrt(random_variance(scores(task, model), sizes))
        panels.append(Panel(model, (*lines, _line(THEORY, sizes, theory))))
    return Figure(
        f"figure-3-{task.name}",
        f"Figures 3, 4 and 7: {task.name}",
        "labels",
        "standard deviation",
        tuple(panels),
        note="Root of the mean squared error of the estimate over repetitions.",
        labels=(*METHODS, THEORY),
    )


def by_size(task: Task, results: Results) -> Figure:
    """E at each size, with random samples as theory knows them: less noise than runs have."""
    panels = []
    for model in task.with_features():
        score = scores(task, model)
        lines = [_line(SRS, SIZES, np.ones(len(SIZES)))]  # a line, so that colors are those of the other figures
        for name in METHODS[1:]:
            found = errors_of(results, task.name, name, model)
            if found is not None:
                lines.append(_line(name, found.sizes, found.against_theory(score)))
        if len(lines) > 1:
            panels.append(Panel(model, tuple(lines)))
    note = "Mean squared error divided by the variance of random samples, which is known."
    return Figure(f"figure-e-{task.name}", f"E over sizes: {task.name}", "labels", "E", tuple(panels), note=note)


def _program(model: str | None) -> dict[str, object]:
    return {"variant": "authors"} | PROGRAMS.get(model or "", {})


def _timed_jobs(jobs: Sequence[Job], repetitions: int) -> list[Job]:
    return [
        replace(each, name=timed(each.name), budgets=(TIMED,), repetitions=repetitions)
        for each in jobs
        if TIMED in each.budgets
    ]


def _line(label: str, sizes: Sequence[int], values: FloatArray) -> Line:
    return Line(label, np.array(sizes, dtype=np.float64), values)
