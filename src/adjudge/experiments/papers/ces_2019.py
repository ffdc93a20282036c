"""Li et al. 2019 (CES): its three tables, Figures 3, 4 and 7, and footnotes 4 and 5, on whatever tasks are given.

A task takes part if it holds features of a model, or numbers in place of classes. Another layer than the last hidden
one is given as a task of its own: the same pool as `<task>@<layer>.npz`, with that layer's outputs as `features_<i>`.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.experiments.jobs import Job, Settings
from adjudge.experiments.outputs import MISSING, Cell, Figure, Grid, Line, Output, Panel, cell
from adjudge.experiments.papers.ces_2019_errors import (
    CES,
    CODE,
    CSS,
    SRS,
    Efficiency,
    Errors,
    efficiency,
    errors_of,
    random_variance,
    scores,
)
from adjudge.experiments.papers.ces_2019_small import small_jobs, small_samples
from adjudge.experiments.results import Results
from adjudge.experiments.tasks import Task

SIZES = tuple(range(35, 181, 5))  # Section 4.2
LARGE = (180, 500, 1000, 1500, 2000, 2500)  # footnote 5
TIMED = 100  # labels whose choice is timed (Section 4.2)
FEWER = 5  # large samples and times take so many times less repetitions, for the time that they take
METHODS = (SRS, CSS, CES, CODE)
THEORY = "SRS in theory"
LAYER = "@"  # between a task and the layer in a file's name


def jobs(tasks: Sequence[Task], settings: Settings) -> list[Job]:
    """What all tables and figures need together."""
    made: list[Job] = []
    fewer = max(1, settings.repetitions // FEWER)
    for task in taking_part(tasks):
        sizes, large = (tuple(each for each in some if each <= len(task.truth)) for some in (SIZES, LARGE))
        if not sizes:
            continue
        base = Job(task.name, task.digest, SRS, "random", sizes, settings.repetitions, settings.seed, ranker="labeled")
        own = [replace(base, model=name, models=(name,), ranker=None) for name in task.with_features()]
        ces = [replace(each, name=CES, method="ces") for each in own]
        made += [base, *ces]
        if LAYER in task.name:
            continue
        code = [replace(each, name=CODE, options={"variant": "code"}) for each in ces]
        css = [replace(each, name=CSS, method="css") for each in own if task.predictions.probabilities is not None]
        made += [*css, *code, *_timed_jobs([*css, *ces, *code], fewer)]
        made += [replace(each, name=_large(CES), budgets=large, repetitions=fewer) for each in ces if large]
        made += small_jobs(task, [base, *ces])
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
        times(plain, results),
        layers(kept, results),
    ]


def taking_part(tasks: Sequence[Task]) -> list[Task]:
    """Tasks with features, and regressions, for which random samples can be looked at without any."""
    return [task for task in tasks if models_of(task)]


def models_of(task: Task) -> tuple[str, ...]:
    return task.with_features() or (task.predictions.models if task.predictions.classes is None else ())


def efficiencies(tasks: Sequence[Task], results: Results) -> Grid:
    """Table 1: the models, what they are worth, and E."""
    rows = []
    for task in tasks:
        for model in models_of(task):
            value = float(task.values[task.predictions.models.index(model)])
            found = (_efficiency(results, task.name, name, model) for name in METHODS[1:])
            rows.append((Cell(task.name), Cell(model), cell(100 * value, 2), *map(_with_error, found)))
    note = (
        "E: mean squared error divided by that of as many runs of SRS, averaged over 35 to 180 labels; below 1 is "
        "better than SRS. After ±: its standard error, since so few runs leave E unsure. "
        f"Actual: accuracy or 1 - MSE, in percent. {MISSING}: not measured (no features or no probabilities)."
    )
    header = ("task", "model", "actual", *(f"E of {name}" for name in METHODS[1:]))
    return Grid("table-1", "Table 1: relative efficiency E against SRS", header, tuple(rows), note)


def biases(tasks: Sequence[Task], results: Results) -> Grid:
    """Whether estimates are right on average, which the paper takes for granted (Section 4.2)."""
    rows = []
    for task in tasks:
        for model in models_of(task):
            found = (errors_of(results, task.name, name, model) for name in METHODS)
            rows.append((Cell(task.name), Cell(model), *map(_bias, found)))
    note = f"Mean of estimate minus truth at {TIMED} labels, in percentage points, with its standard error."
    return Grid("bias", f"Bias with {TIMED} labels", ("task", "model", *METHODS), tuple(rows), note)


def pools(tasks: Sequence[Task]) -> Grid:
    """Table 2: what is known about the models."""
    rows = []
    for task in tasks:
        for model in models_of(task):
            units = str(task.features(model).shape[1]) if model in task.with_features() else MISSING
            rows.append((Cell(task.name), Cell(model), Cell(units)))
    note = "Units of the layer whose features are stored. A task does not say how many neurons and layers a model has."
    return Grid("table-2", "Table 2: units of the last hidden layer", ("task", "model", "units"), tuple(rows), note)


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


def large_samples(tasks: Sequence[Task], results: Results) -> Grid:
    """Footnote 5: E of CES up to 2500 labels."""
    rows, runs = [], 0
    for task in tasks:
        for model in models_of(task):
            found = errors_of(results, task.name, _large(CES), model)
            known: dict[int, float] = {}
            if found is not None:
                runs = len(found.values)
                known = dict(zip(found.sizes, found.against_theory(scores(task, model)).tolist(), strict=True))
            mean = float(np.mean(list(known.values()))) if known else None
            rows.append((Cell(task.name), Cell(model), *(cell(known.get(size), 2) for size in LARGE), cell(mean, 2)))
    note = (
        f"E of CES against the known variance of SRS, from {runs} runs each: a single number is good to about "
        f"{np.sqrt(2 / max(runs, 1)):.0%}. {MISSING}: no features, or a smaller pool."
    )
    header = ("task", "model", *map(str, LARGE), "mean")
    return Grid("footnote-5", "Footnote 5: E of CES with more labels", header, tuple(rows), note)


def times(tasks: Sequence[Task], results: Results) -> Grid:
    """What it takes to choose 100 samples (Section 4.2)."""
    rows = []
    for task in tasks:
        for model in task.with_features():
            spent = [_seconds(results, task.name, name, model) for name in (CSS, CES, CODE)]
            units = task.features(model).shape[1]
            rows.append((Cell(task.name), Cell(model), Cell(str(units)), *(cell(each) for each in spent)))
    header = ("task", "model", "units", CSS, CES, CODE)
    note = f"CPU seconds to choose {TIMED} samples and to make the estimate, mean over repetitions."
    return Grid("times", f"Time for {TIMED} labels", header, tuple(rows), note)


def layers(tasks: Sequence[Task], results: Results) -> Grid:
    """Footnote 4: E of CES with another layer's features."""
    others = dict.fromkeys(task.name.partition(LAYER)[2] for task in tasks if LAYER in task.name)
    shown = tuple(others) or ("another layer",)
    rows = []
    for task in tasks:
        if LAYER in task.name or not task.with_features():
            continue
        for model in task.with_features():
            names = (task.name, *(f"{task.name}{LAYER}{layer}" for layer in others))
            found = [_with_error(_efficiency(results, name, CES, model)) for name in names]
            found += [Cell(MISSING)] * (not others)
            rows.append((Cell(task.name), Cell(model), *found))
    note = (
        "E of CES. To give another layer: store the pool once more as <task>@<layer>.npz, with the outputs of that "
        f"layer as features_<i>, and name both with --task. {MISSING}: not given."
    )
    header = ("task", "model", "last hidden", *shown)
    return Grid("footnote-4", "Footnote 4: other layers", header, tuple(rows), note)


def _timed_jobs(jobs: Sequence[Job], repetitions: int) -> list[Job]:
    return [
        replace(each, name=_timed(each.name), budgets=(TIMED,), repetitions=repetitions)
        for each in jobs
        if TIMED in each.budgets
    ]


def _large(name: str) -> str:
    return f"{name}, up to {LARGE[-1]}"


def _timed(name: str) -> str:
    return f"{name}, timed"


def _seconds(results: Results, task: str, name: str, model: str) -> float | None:
    """CPU seconds of one run of so many labels."""
    found = results.get(task, _timed(name), model)
    return None if found is None else found.seconds / found.job.repetitions


def _efficiency(results: Results, task: str, name: str, model: str) -> Efficiency | None:
    ours, random = (errors_of(results, task, each, model) for each in (name, SRS))
    return None if ours is None or random is None else efficiency(ours, random)


def _with_error(found: Efficiency | None) -> Cell:
    if found is None or np.isnan(found.value):
        return Cell(MISSING)
    # from few runs the error itself is hardly known
    error = f" ±{found.error:.2f}".replace("±0.", "±.") if found.error < found.value else ""
    return Cell(f"{found.value:.3f}{error}")


def _bias(found: Errors | None) -> Cell:
    if found is None or TIMED not in found.sizes or len(found.values) < 2:
        return Cell(MISSING)
    missed = 100 * found.values[:, found.sizes.index(TIMED)]
    return Cell(f"{missed.mean():+.2f} ±{missed.std(ddof=1) / np.sqrt(len(missed)):.2f}".replace("±0.", "±."))


def _line(label: str, sizes: Sequence[int], values: FloatArray) -> Line:
    return Line(label, np.array(sizes, dtype=np.float64), values)
