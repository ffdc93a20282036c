"""Methods compared on tasks: the general experiment, by method, task and budget."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from adjudge import registry
from adjudge.errors import InputError
from adjudge.experiments.curves import curves
from adjudge.experiments.indicators import LOWER_IS_BETTER, title_of
from adjudge.experiments.jobs import Job, RunSettings
from adjudge.experiments.outputs import Output
from adjudge.experiments.rankings import outcomes_of, rankings_of
from adjudge.experiments.results import Results
from adjudge.experiments.tables import comparison_grid, time_grid, with_random_start
from adjudge.experiments.tasks import Task


@dataclass(frozen=True)
class Entry:
    """A method of a comparison.

    One that takes the features of a model is run with each model that has some as the guide, and in each repetition
    the guide is kept that ranks best by the truth: an oracle, as in the papers. Give it a name that says so.
    """

    name: str
    method: str
    ranker: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse an unknown method or option before anything is run."""
        if registry.takes(self.method, "model") and "model" not in self.options:
            raise InputError(f"{self.name} looks at one model; name it, as in options = {{model = 'net'}}")
        if registry.can_select(self.method):
            registry.selector(self.method, self.options)
        rank_by = self.ranker or registry.ranker_for(self.method)
        registry.ranker(rank_by, options=self.options if rank_by == self.method else None)

    def jobs(self, task: Task, budgets: Sequence[int], settings: RunSettings) -> list[Job]:
        """The jobs on this task, at the budgets that its samples allow."""
        fitting = tuple(each for each in budgets if each <= len(task.truth))
        if not fitting:
            return []
        looked_at: tuple[str | None, ...] = (None,)
        if registry.takes(self.method, "features"):
            looked_at = task.with_features() or (None,)  # which the method itself refuses, with its reason
        return [
            Job(
                task=task.name,
                data=task.digest,
                name=self.name,
                method=self.method,
                budgets=fitting,
                repetitions=settings.repetitions,
                seed=settings.seed,
                ranker=self.ranker,
                options=dict(self.options),
                model=model,
            )
            for model in looked_at
        ]


@dataclass(frozen=True)
class MethodComparison:
    """Several methods on several tasks at several budgets."""

    entries: tuple[Entry, ...]
    budgets: tuple[int, ...]
    indicators: tuple[str, ...]
    ours: str  # the method that the others are compared with

    def __post_init__(self) -> None:
        names = [entry.name for entry in self.entries]
        if self.ours not in names:
            raise InputError(f"compare names {self.ours!r}, which is not among the methods {', '.join(names)}")
        if twice := [name for name in names if names.count(name) > 1]:
            raise InputError(f"two methods are named {twice[0]!r}; give each a name of its own")
        for entry in self.entries:
            entry.check()
        for indicator in self.indicators:
            title_of(indicator)

    def jobs(self, tasks: Sequence[Task], settings: RunSettings) -> list[Job]:
        jobs = [job for task in tasks for entry in self.entries for job in entry.jobs(task, self.budgets, settings)]
        if not jobs:
            raise InputError(
                f"no task has as many samples as the smallest budget of {min(self.budgets)}; give smaller budgets"
            )
        return jobs

    def outputs(self, tasks: Sequence[Task], results: Results) -> list[Output]:
        names, labels = [entry.name for entry in self.entries], [task.name for task in tasks]
        outcomes = outcomes_of(results, names)
        outputs: list[Output] = []
        for indicator in self.indicators:
            rankings = rankings_of(outcomes, names, indicator)
            title = title_of(indicator)
            outputs.append(
                comparison_grid(
                    f"table-{indicator}",
                    title,
                    rankings,
                    labels,
                    names,
                    self.budgets,
                    self.ours,
                    lower=indicator in LOWER_IS_BETTER,
                )
            )
            outputs.append(curves(f"figure-{indicator}", title, title, rankings, labels, names))
        return [*with_random_start(outputs, results), time_grid(outcomes, labels, names)]
