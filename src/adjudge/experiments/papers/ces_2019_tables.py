"""Tables of CES: what models are worth, E, bias, larger samples, times and other layers."""

from collections.abc import Sequence

import numpy as np

from adjudge.experiments.outputs import MISSING, Cell, Grid, cell
from adjudge.experiments.papers import ces_2019_published as paper
from adjudge.experiments.papers.ces_2019_errors import (
    AUTHORS,
    CES,
    CSS,
    REVERSED,
    SRS,
    Efficiency,
    Errors,
    efficiency,
    errors_of,
    scores,
)
from adjudge.experiments.papers.ces_2019_published import published
from adjudge.experiments.results import Results
from adjudge.experiments.tasks import Task

METHODS = (SRS, CSS, CES, REVERSED, AUTHORS)
LARGE = (180, 500, 1000, 1500, 2000, 2500)  # footnote 5
TIMED = 100  # labels whose choice is timed (Section 4.2)
LAYER = "@"  # between a task and the layer in a file's name
STORED = "authors' stored runs"


def models_of(task: Task) -> tuple[str, ...]:
    return task.with_features() or (task.predictions.models if task.predictions.classes is None else ())


def efficiencies(tasks: Sequence[Task], results: Results) -> Grid:
    """Table 1: the models, what they are worth, and E."""
    rows = []
    for task in tasks:
        for model in models_of(task):
            value = float(task.values[task.predictions.models.index(model)])
            css, ces, reverse, authors = (
                with_error(_efficiency(results, task.name, name, model)) for name in METHODS[1:]
            )
            actual, css_told, ces_told, stored = (
                published(column, task.name, model)
                for column in (paper.ACTUAL, paper.CSS_EFFICIENCY, paper.CES_EFFICIENCY, paper.STORED_EFFICIENCY)
            )
            measured = (css, css_told, ces, ces_told, reverse, authors, stored)
            rows.append((Cell(task.name), Cell(model), cell(100 * value, 2), actual, *measured))
    note = (
        "E: mean squared error divided by that of as many runs of SRS, averaged over 35 to 180 labels; below 1 is "
        "better than SRS. After ±: its standard error, ? where the runs are too few to know it. "
        f"Actual: accuracy or 1 - MSE, in percent. {MISSING}: not measured (no features or no probabilities), or not "
        f"published. {STORED}: E of the 50 runs that are kept with their programs."
    )
    shown = ("actual", "paper: actual", CSS, f"paper: {CSS}", CES, f"paper: {CES}", REVERSED, AUTHORS, STORED)
    return Grid("table-1", "Table 1: relative efficiency E against SRS", ("task", "model", *shown), tuple(rows), note)


def biases(tasks: Sequence[Task], results: Results) -> Grid:
    """Whether estimates are right on average, which the paper takes for granted (Section 4.2)."""
    rows = []
    for task in tasks:
        for model in models_of(task):
            found = (errors_of(results, task.name, name, model) for name in METHODS)
            stored = published(paper.STORED_BIAS, task.name, model)
            rows.append((Cell(task.name), Cell(model), *map(_bias, found), stored))
    note = f"Mean of estimate minus truth at {TIMED} labels, in percentage points, with its standard error."
    return Grid("bias", f"Bias with {TIMED} labels", ("task", "model", *METHODS, STORED), tuple(rows), note)


def pools(tasks: Sequence[Task]) -> Grid:
    """Table 2: what is known about the models."""
    rows = []
    for task in tasks:
        for model in models_of(task):
            units = str(task.features(model).shape[1]) if model in task.with_features() else MISSING
            told = (published(column, task.name, model) for column in (paper.NEURONS, paper.LAYERS))
            rows.append((Cell(task.name), Cell(model), Cell(units), *told))
    note = (
        "Units: of the layer whose features are stored. Neurons and layers of the whole model: as published, since a "
        "task does not hold them."
    )
    header = ("task", "model", "units", "paper: neurons", "paper: layers")
    return Grid("table-2", "Table 2: units of the last hidden layer", header, tuple(rows), note)


def large_samples(tasks: Sequence[Task], results: Results) -> Grid:
    """Footnote 5: E of CES up to 2500 labels."""
    rows, runs = [], 0
    for task in tasks:
        for model in models_of(task):
            found = errors_of(results, task.name, large(CES), model)
            known: dict[int, float] = {}
            if found is not None:
                runs = len(found.values)
                known = dict(zip(found.sizes, found.against_theory(scores(task, model)).tolist(), strict=True))
            mean = float(np.mean(list(known.values()))) if known else None
            rows.append((Cell(task.name), Cell(model), *(cell(known.get(size), 2) for size in LARGE), cell(mean, 2)))
    note = (
        f"E of CES against the known variance of SRS, from {runs} runs each: a single number is good to about "
        f"{np.sqrt(2 / max(runs, 1)):.0%}. The paper: quite stable up to 2500 labels. {MISSING}: no features, or a "
        "smaller pool."
    )
    header = ("task", "model", *map(str, LARGE), "mean")
    return Grid("footnote-5", "Footnote 5: E of CES with more labels", header, tuple(rows), note)


def times(tasks: Sequence[Task], results: Results) -> Grid:
    """What it takes to choose 100 samples (Section 4.2)."""
    rows = []
    for task in tasks:
        for model in task.with_features():
            spent = [_seconds(results, task.name, name, model) for name in METHODS[1:]]
            units = task.features(model).shape[1]
            rows.append((Cell(task.name), Cell(model), Cell(str(units)), *(cell(each) for each in spent)))
    header = ("task", "model", "units", *METHODS[1:])
    note = (
        f"CPU seconds to choose {TIMED} samples and to make the estimate, mean over repetitions. The paper has 8.27 s "
        "for CES on LeNet-5."
    )
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
            found = [with_error(_efficiency(results, name, CES, model)) for name in names]
            found += [Cell(MISSING)] * (not others)
            rows.append((Cell(task.name), Cell(model), *found))
    note = (
        "E of CES. Another layer is a file of its own beside the task: adjudge predict MODELS --data DATA --labels "
        f"LABELS --features LAYER --out <task>@<layer>.npz; name both with --task. {MISSING}: not given."
    )
    header = ("task", "model", "last hidden", *shown)
    return Grid("footnote-4", "Footnote 4: other layers", header, tuple(rows), note)


def large(name: str) -> str:
    return f"{name}, up to {LARGE[-1]}"


def timed(name: str) -> str:
    return f"{name}, timed"


def with_error(found: Efficiency | None) -> Cell:
    if found is None or np.isnan(found.value):
        return Cell(MISSING)
    # from few runs the error itself is hardly known
    error = f"±{found.error:.2f}".replace("±0.", "±.") if found.error < found.value else "±?"
    return Cell(f"{found.value:.3f} {error}")


def _seconds(results: Results, task: str, name: str, model: str) -> float | None:
    """CPU seconds of one run of so many labels."""
    found = results.get(task, timed(name), model)
    return None if found is None else found.seconds / found.job.repetitions


def _efficiency(results: Results, task: str, name: str, model: str) -> Efficiency | None:
    ours, random = (errors_of(results, task, each, model) for each in (name, SRS))
    return None if ours is None or random is None else efficiency(ours, random)


def _bias(found: Errors | None) -> Cell:
    if found is None or TIMED not in found.sizes or len(found.values) < 2:
        return Cell(MISSING)
    missed = 100 * found.values[:, found.sizes.index(TIMED)]
    return Cell(f"{missed.mean():+.2f} ±{missed.std(ddof=1) / np.sqrt(len(missed)):.2f}".replace("±0.", "±."))
