"""Stopping simulation: how many labels a stopping rule takes against a known truth, and how often it is wrong."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from adjudge import registry
from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Selector
from adjudge.decisions.stopping import StoppingRule, stopping_status
from adjudge.decisions.until import checked_rule
from adjudge.errors import InputError
from adjudge.inference.ranks import TINY
from adjudge.losses.loss import Loss, default_loss
from adjudge.simulation.engine import Workers, all_results
from adjudge.simulation.loop import answers_of, steps
from adjudge.simulation.simulate import checked_budget, spread, true_estimate


@dataclass(frozen=True, eq=False)
class StoppingSimulation:
    """The results of a stopping rule over several seeds; all arrays are (seeds,).

    Attributes
    ----------
    labels
        How many were used.
    stopped
        Whether the rule ended the run; the others reached the budget.
    regret
        The value of the best model minus that of the first; nan: there was no ranking.
    """

    method: str
    rule: StoppingRule
    budget: int
    seeds: tuple[int, ...]
    labels: FloatArray
    stopped: BoolArray
    regret: FloatArray

    @property
    def broken(self) -> BoolArray:
        """Runs in which the rule stopped at a model that is more than the margin worse than the best."""
        return np.asarray(self.stopped & (self.regret > self.rule.allowed + TINY))

    @property
    def missed(self) -> BoolArray:
        """Runs, including those that reached the budget, whose first model is more than the margin worse."""
        return np.asarray(~(self.regret <= self.rule.allowed + TINY))

    def to_dict(self) -> dict[str, object]:
        """All of it as plain types, for JSON."""
        return {
            "method": self.method,
            "until": str(self.rule),
            "budget": self.budget,
            "seeds": list(self.seeds),
            "labels": self.labels.astype(int).tolist(),
            "stopped": self.stopped.tolist(),
            "regret": self.regret.tolist(),
            "summary": {
                "labels": spread(self.labels),
                "regret": spread(self.regret),
                "stopped": float(self.stopped.mean()),
                "broken": float(self.broken.mean()),
                "missed": float(self.missed.mean()),
            },
        }


def simulate_stopping(
    predictions: Predictions,
    truth: FloatArray,
    rule: StoppingRule | str,
    method: str = registry.DEFAULT_SELECTOR,
    budget: int | None = None,
    seeds: int = 20,
    *,
    options: registry.Options | None = None,
    loss: Loss | None = None,
    seed: int = 0,
    workers: Workers = -1,
    progress: Callable[[int], None] = lambda done: None,
) -> StoppingSimulation:
    """Let `method` buy labels from the truth until the rule stops it or the budget is used up, `seeds` times.

    The rule is checked after every label. The model that is ranked first at the end is the one chosen.

    Parameters
    ----------
    truth
        (samples,): the true class code or number, nan where it is not known.
    rule
        As of `until`.
    """
    rule = checked_rule(rule, predictions, loss)
    truth = np.asarray(truth, dtype=np.float64)
    budget = checked_budget(predictions, truth, budget, seeds)
    selects = registry.can_select(method)
    if not selects or not registry.describe(method).draws or registry.plans_for_budget(method):
        why = "plans for its whole budget" if selects and registry.plans_for_budget(method) else "draws no samples"
        raise InputError(f"a stopping rule needs samples drawn one by one, and {method!r} {why}; use pooled or random")
    loss = loss or default_loss(predictions, Labels.empty(len(truth)))
    numbers = tuple(range(seed, seed + seeds))
    play = partial(_play, predictions, truth, rule, registry.selector(method, options), budget, loss)
    played = all_results(play, numbers, workers, progress)
    labels, stopped, regret = (np.array(each) for each in zip(*played, strict=True))
    return StoppingSimulation(method, rule, budget, numbers, labels.astype(np.float64), stopped, regret)


def _play(
    predictions: Predictions,
    truth: FloatArray,
    rule: StoppingRule,
    selector: Selector,
    budget: int,
    loss: Loss,
    seed: int,
) -> tuple[int, bool, float]:
    """Labels used, whether the rule stopped, and the regret of the first model."""
    none = Labels.empty(len(truth))
    found = stopping_status(predictions, none, rule, loss)

    def stop(labels: Labels) -> bool:
        nonlocal found
        found = stopping_status(predictions, labels, rule, loss)
        return found.stopped or len(labels) >= budget

    *_, labels = steps(selector.start(predictions, none, None, seed), answers_of(truth), stop, none)
    actual = true_estimate(predictions, truth, loss).goodness
    lacks = np.nan if found.ranking is None else float(np.nanmax(actual) - actual[found.ranking.order[0]])
    return len(labels), found.stopped, lacks
