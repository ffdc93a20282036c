"""Tables that experiments share: means with wins, ties and losses; times; what tasks hold."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from adjudge import evaluation
from adjudge.core.arrays import FloatArray, stating
from adjudge.core.votes import votes
from adjudge.experiments.outputs import MISSING, Cell, Figure, Grid, Output, cell
from adjudge.experiments.rankings import Outcomes, Rankings
from adjudge.experiments.results import Results
from adjudge.experiments.tasks import Task

VERDICTS = ("win", "tie", "loss")
FIRST = 30  # labels that CES draws at random before it chooses any (Li et al. 2019, Algorithm 1)
RANDOM_START = f"CES begins with {FIRST} random draws (5 in pools of up to 300 samples); fewer labels show only these."


def comparison_grid(
    name: str,
    title: str,
    rankings: Rankings,
    tasks: Sequence[str],
    methods: Sequence[str],
    budgets: Sequence[int],
    ours: str,
    *,
    lower: bool = False,
) -> Grid:
    """Means at each budget, with the average and our wins, ties and losses below, as in Table II of SDS.

    The best of a row is bold; a method that ours beats (p < 0.05 and delta > 0.147) is shaded. `lower` says that
    less is better.
    """
    rows: list[tuple[Cell, ...]] = []
    for task in tasks:
        if not any((task, method) in rankings for method in methods):
            rows.append((Cell(task), *[Cell(MISSING)] * (len(methods) + 1)))
            continue
        runs = {
            method: [rankings[task, method].at(budget) for budget in budgets]
            if (task, method) in rankings
            else [None] * len(budgets)
            for method in methods
        }
        rows += _rows_of(task, runs, budgets, ours, lower)
    note = f"Bold: best of the row. Shaded: {ours} wins (p < 0.05 and Cliff's delta > 0.147). W/T/L counts for {ours}. "
    return Grid(
        name,
        title,
        ("task", "labels", *methods),
        tuple(rows),
        note + f"{MISSING}: not measured; a Jaccard at k needs more than k models.",
    )


def _rows_of(
    task: str, runs: Mapping[str, Sequence[FloatArray | None]], budgets: Sequence[int], ours: str, lower: bool
) -> list[tuple[Cell, ...]]:
    means = {method: [None if run is None else float(run.mean()) for run in each] for method, each in runs.items()}
    verdicts = {
        method: [_verdict(own, run, lower) for own, run in zip(runs[ours], each, strict=True)]
        for method, each in runs.items()
    }
    rows: list[tuple[Cell, ...]] = []
    for place, budget in enumerate(budgets):
        known = [mean for each in means.values() if (mean := each[place]) is not None]
        best = round((min if lower else max)(known), 3) if known else None
        cells = (
            cell(
                mean := means[method][place],
                bold=mean is not None and round(mean, 3) == best,
                shaded=method != ours and verdicts[method][place] == "win",
            )
            for method in runs
        )
        rows.append((Cell(task), Cell(str(budget)), *cells))
    rows.append((Cell(task), Cell("average"), *(cell(average(each)) for each in means.values())))
    rows.append((Cell(task), Cell("W/T/L"), *(_record(verdicts[method], method == ours) for method in runs)))
    return rows


def with_random_start(outputs: Sequence[Output], results: Results) -> list[Output]:
    """Tables and figures, with a note on those that show CES at budgets at which it has chosen nothing yet."""
    jobs = (outcome.job for outcome in results.outcomes)
    early = {job.name for job in jobs if job.method == "ces" and min(job.budgets) < FIRST}
    return [
        replace(each, note=f"{each.note} {RANDOM_START}".strip()) if early & _shown(each) else each for each in outputs
    ]


def _shown(output: Output) -> set[str]:
    """The methods that a table or figure has numbers of."""
    if isinstance(output, Figure):
        return {line.label for panel in output.panels for line in panel.lines}
    columns = zip(output.header, *output.rows, strict=True)
    return {name for name, *column in columns if any(each.text != MISSING for each in column)}


def time_grid(
    outcomes: Outcomes, tasks: Sequence[str], methods: Sequence[str], name: str = "times", title: str = "Time"
) -> Grid:
    """CPU seconds of all repetitions of a method on a task, all budgets and all guides together."""
    rows = []
    for task in tasks:
        spent = [outcomes.get((task, method)) for method in methods]
        rows.append((Cell(task), *(cell(None if each is None else each.seconds, 2) for each in spent)))
    return Grid(name, title, ("task", *methods), tuple(rows), "CPU seconds of all repetitions: to choose and to rank.")


def pool_grid(tasks: Sequence[Task], name: str, title: str) -> Grid:
    """What each task holds."""
    header = ("task", "models", "samples", "classes", "accuracy", "vote", "p", "features")
    note = (
        "Accuracy: from the worst to the best model, and of the majority vote. p, features: how many models have "
        "probabilities and features."
    )
    return Grid(name, title, header, tuple(map(_pool_row, tasks)), note)


def _pool_row(task: Task) -> tuple[Cell, ...]:
    predictions = task.predictions
    models, samples = predictions.values.shape
    known = ~np.isnan(task.truth)
    return (
        Cell(task.name),
        Cell(str(models)),
        Cell(str(samples)),
        Cell(MISSING if predictions.classes is None else str(len(predictions.classes))),
        Cell(f"{task.values.min():.4f}-{task.values.max():.4f}"),
        Cell(MISSING) if predictions.classes is None else cell(float(vote_match(task)[known].mean()), 4),
        Cell(str(stating(predictions.probabilities))),
        Cell(str(len(task.with_features()))),
    )


def vote_match(task: Task) -> FloatArray:
    """(samples,): whether the majority vote is the truth; a k-th of it where k classes tie; nan where not known."""
    poll = votes(task.predictions)
    backers = (task.predictions.values == task.truth).sum(axis=0)
    match = np.where((backers == poll.top) & (poll.top > 0), 1 / np.maximum(poll.tied, 1), 0.0)
    return np.where(np.isnan(task.truth), np.nan, match)


def _verdict(own: FloatArray | None, other: FloatArray | None, lower: bool) -> str | None:
    if own is None or other is None:
        return None
    return evaluation.win_tie_loss(-own, -other) if lower else evaluation.win_tie_loss(own, other)


def average(means: Sequence[float | None]) -> float | None:
    """The mean of a column; None where a part of it is missing, which would not compare with the others."""
    known = [mean for mean in means if mean is not None]
    return float(np.mean(known)) if known and len(known) == len(means) else None


def _record(verdicts: Sequence[str | None], ours: bool) -> Cell:
    known = [each for each in verdicts if each is not None]
    if ours or not known:
        return Cell("/" if ours else MISSING)
    return Cell("/".join(str(known.count(each)) for each in VERDICTS))
