"""How good the rankings of each method were on each task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.experiments.indicators import applies, measured
from adjudge.experiments.jobs import Outcome
from adjudge.experiments.outputs import Line
from adjudge.experiments.results import Results


@dataclass(frozen=True, eq=False)
class Runs:
    """An indicator of a method on a task."""

    budgets: tuple[int, ...]
    values: FloatArray  # (repetitions, budgets)

    def at(self, budget: int) -> FloatArray | None:
        """(repetitions,): at a budget; None where there is none."""
        if budget not in self.budgets:
            return None
        values = self.values[:, self.budgets.index(budget)]
        return None if np.isnan(values).any() else values

    def line(self, label: str) -> Line:
        """The mean over repetitions."""
        return Line(label, np.array(self.budgets, dtype=np.float64), self.values.mean(axis=0))


Outcomes = Mapping[tuple[str, str], Outcome]  # by task and name of the method; what was not run is not there
Rankings = Mapping[tuple[str, str], Runs]  # the same; what was not measured is not there
ORACLE = "CES (best guide, oracle)"  # how the papers compare with CES: `best_guide`


def outcomes_of(results: Results, names: Sequence[str]) -> dict[tuple[str, str], Outcome]:
    """One outcome for each task and method; that of the best guide where there is one for each."""
    found = {(task, name): best_guide(results.of(task, name)) for task in results.tasks for name in names}
    return {place: outcome for place, outcome in found.items() if outcome is not None}


def rankings_of(outcomes: Outcomes, names: Sequence[str], indicator: str) -> dict[tuple[str, str], Runs]:
    """The indicator of every outcome of these methods; tasks with too few models for a Jaccard are left out."""
    return {
        (task, name): Runs(outcome.job.budgets, measured(outcome, indicator))
        for (task, name), outcome in outcomes.items()
        if name in names and applies(indicator, outcome)
    }


def best_guide(outcomes: Sequence[Outcome]) -> Outcome | None:
    """Of several selections, one for each guide, the best by the mean of Spearman over budgets.

    A guide is the one model that a method looks at. The choice uses the truth and is made in each repetition; all
    indicators are then taken of this selection (SDS, Section IV-B, and the notes of its authors; LaF, Section 4.4).
    """
    if len(outcomes) < 2:
        return outcomes[0] if outcomes else None
    best = np.stack([_scores(outcome) for outcome in outcomes]).argmax(axis=0)
    values, ranks = (
        np.stack([getattr(outcome, name) for outcome in outcomes])[best, np.arange(len(best))]
        for name in ("values", "ranks")
    )
    return replace(_together(outcomes, 0), values=values, ranks=ranks)


def better_of(outcomes: Sequence[Outcome]) -> Outcome:
    """Of several forms of a method, the one with the highest mean of Spearman over budgets and repetitions.

    The choice uses the truth. The time is that of all forms.
    """
    return _together(outcomes, int(np.argmax([_scores(outcome).mean() for outcome in outcomes])))


def _scores(outcome: Outcome) -> FloatArray:
    """(repetitions,): the mean of Spearman over budgets; no ranking is as good as one that says nothing."""
    return np.asarray(np.nan_to_num(measured(outcome, "spearman")).mean(axis=1))


def _together(outcomes: Sequence[Outcome], chosen: int) -> Outcome:
    """One outcome for several, with the time of all."""
    job = replace(outcomes[chosen].job, model=None)
    return replace(outcomes[chosen], job=job, seconds=sum(each.seconds for each in outcomes))
