"""Methods compared on tasks: the general experiment, whose parts the papers' experiments share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from adjudge import metrics, registry
from adjudge.core.arrays import FloatArray
from adjudge.errors import InputError
from adjudge.experiments.jobs import Job, Settings
from adjudge.experiments.outputs import MISSING, Cell, Figure, Grid, Line, Output, Panel, cell
from adjudge.experiments.results import Results, measured
from adjudge.experiments.tasks import Task, digest

Rankings = Mapping[tuple[str, str], FloatArray]  # (task, method) -> an indicator, (repetitions, budgets)


@dataclass(frozen=True)
class Entry:
    """A method of a comparison."""

    name: str
    method: str
    ranker: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)

    def job(self, task: Task, budgets: Sequence[int], repetitions: int, seed: int) -> Job | None:
        """The job on this task; None where the task lacks what the method needs, or is too small."""
        if "probabilities" in registry.describe(self.method).needs and task.predictions.probabilities is None:
            return None
        if "classes" in registry.describe(self.method).needs and task.predictions.classes is None:
            return None
        fitting = tuple(each for each in budgets if each <= len(task.truth))
        if not fitting:
            return None
        random = registry.can_select(self.method) and self.method != "ddg"
        return Job(
            task=task.name,
            data=digest(task.path),
            name=self.name,
            method=self.method,
            budgets=fitting,
            repetitions=repetitions if random else 1,  # nothing else is random
            seed=seed,
            ranker=self.ranker,
            options=dict(self.options),
        )


@dataclass(frozen=True)
class Comparison:
    """Several methods on several tasks at several budgets."""

    entries: tuple[Entry, ...]
    budgets: tuple[int, ...]
    indicators: tuple[str, ...]
    ours: str  # the method that the others are compared with

    def jobs(self, tasks: Sequence[Task], settings: Settings) -> list[Job]:
        if self.ours not in {entry.name for entry in self.entries}:
            raise InputError(f"compare names {self.ours!r}, which is not among the methods")
        made = [
            entry.job(task, self.budgets, settings.repetitions, settings.seed)
            for task in tasks
            for entry in self.entries
        ]
        return [job for job in made if job is not None]

    def outputs(self, tasks: Sequence[Task], results: Results) -> list[Output]:
        names = [entry.name for entry in self.entries]
        outputs: list[Output] = []
        for indicator in self.indicators:
            rankings = rankings_of(results, names, indicator)
            title = title_of(indicator)
            outputs.append(
                comparison_grid(f"table-{indicator}", title, rankings, results, names, self.budgets, self.ours)
            )
            outputs.append(curves(f"figure-{indicator}", title, indicator, rankings, results, names))
        return [*outputs, time_grid(results, names)]


def title_of(indicator: str) -> str:
    return indicator.replace("jaccard_", "Jaccard at ").capitalize()


def rankings_of(results: Results, names: Sequence[str], indicator: str) -> dict[tuple[str, str], FloatArray]:
    """The indicator of every outcome; tasks with too few models for a Jaccard are left out."""
    found = {}
    for task in results.tasks:
        for name in names:
            outcome = results.get(task, name)
            if outcome is None:
                continue
            if indicator.startswith("jaccard_") and int(indicator.removeprefix("jaccard_")) >= len(outcome.models):
                continue
            found[task, name] = measured(outcome, indicator)
    return found


def at(results: Results, rankings: Rankings, task: str, name: str, budget: int) -> FloatArray | None:
    """(repetitions,): the indicator of a method at a budget; None where it was not measured."""
    outcome = results.get(task, name)
    if outcome is None or (task, name) not in rankings or budget not in outcome.job.budgets:
        return None
    return rankings[task, name][:, outcome.job.budgets.index(budget)]


def comparison_grid(
    name: str,
    title: str,
    rankings: Rankings,
    results: Results,
    methods: Sequence[str],
    budgets: Sequence[int],
    ours: str,
) -> Grid:
    """Means at each budget, with the average and our wins, ties and losses below, as in Table II of SDS.

    The best of a row is bold; a method that ours beats (p < 0.05 and delta > 0.147) is shaded.
    """
    rows: list[tuple[Cell, ...]] = []
    for task in dict.fromkeys(task for task, _ in rankings):
        runs = {method: [at(results, rankings, task, method, budget) for budget in budgets] for method in methods}
        means = {method: [None if run is None else float(run.mean()) for run in runs[method]] for method in methods}
        verdicts: dict[str, list[str | None]] = {
            method: [_verdict(own, run) for own, run in zip(runs[ours], runs[method], strict=True)]
            for method in methods
        }
        for place, budget in enumerate(budgets):
            known = [mean for each in means.values() if (mean := each[place]) is not None]
            if not known:
                continue
            best = round(max(known), 3)
            rows.append(
                (
                    Cell(task),
                    Cell(str(budget)),
                    *(
                        cell(
                            mean := means[method][place],
                            bold=mean is not None and round(mean, 3) == best,
                            shaded=method != ours and verdicts[method][place] == "win",
                        )
                        for method in methods
                    ),
                )
            )
        rows.append((Cell(task), Cell("average"), *(cell(_average(means[method])) for method in methods)))
        rows.append((Cell(task), Cell("W/T/L"), *(_record(verdicts[method], method == ours) for method in methods)))
    note = f"Bold: best of the row. Shaded: {ours} wins (p < 0.05 and Cliff's delta > 0.147). W/T/L counts for {ours}."
    return Grid(name, title, ("task", "labels", *methods), tuple(rows), note)


def curves(
    name: str, title: str, indicator: str, rankings: Rankings, results: Results, methods: Sequence[str]
) -> Figure:
    """The mean over repetitions at each budget, a panel for each task."""
    panels = []
    for task in dict.fromkeys(task for task, _ in rankings):
        lines = []
        for method in methods:
            outcome = results.get(task, method)
            if outcome is not None and (task, method) in rankings:
                budgets = np.array(outcome.job.budgets, dtype=np.float64)
                lines.append(Line(method, budgets, rankings[task, method].mean(axis=0)))
        panels.append(Panel(task, tuple(lines)))
    return Figure(name, title, "labels", title_of(indicator), tuple(panels))


def time_grid(results: Results, methods: Sequence[str], name: str = "times") -> Grid:
    """CPU seconds of all repetitions of a method on a task."""
    rows = []
    for task in results.tasks:
        spent = [[each.seconds for each in results.of(task, method)] for method in methods]
        rows.append((Cell(task), *(cell(sum(each), 2) if each else Cell(MISSING) for each in spent)))
    return Grid(name, "CPU seconds, all repetitions", ("task", *methods), tuple(rows))


def _verdict(own: FloatArray | None, other: FloatArray | None) -> str | None:
    return None if own is None or other is None else metrics.win_tie_loss(own, other)


def _average(means: Sequence[float | None]) -> float | None:
    known = [mean for mean in means if mean is not None]
    return float(np.mean(known)) if known else None


def _record(verdicts: Sequence[str | None], ours: bool) -> Cell:
    known = [each for each in verdicts if each is not None]
    if ours or not known:
        return Cell("/" if ours else MISSING)
    return Cell("/".join(str(known.count(each)) for each in ("win", "tie", "loss")))
