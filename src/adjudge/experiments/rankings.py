"""How good the rankings of each method were on each task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.experiments.indicators import LOWER_IS_BETTER, applies, measured
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


Rankings = Mapping[tuple[str, str], Runs]  # by task and name of the method; what was not measured is not there


def rankings_of(results: Results, names: Sequence[str], indicator: str) -> dict[tuple[str, str], Runs]:
    """The indicator of every outcome; tasks with too few models for a Jaccard are left out."""
    found = {(task, name): best_of(results.of(task, name), indicator) for task in results.tasks for name in names}
    return {place: runs for place, runs in found.items() if runs is not None}


def best_of(outcomes: Sequence[Outcome], indicator: str) -> Runs | None:
    """Of several selections, one for each model looked at, the best by the truth at each budget of each repetition."""
    if not outcomes or not applies(indicator, outcomes[0]):
        return None
    each = np.stack([measured(outcome, indicator) for outcome in outcomes])
    return Runs(outcomes[0].job.budgets, (each.min if indicator in LOWER_IS_BETTER else each.max)(axis=0))
