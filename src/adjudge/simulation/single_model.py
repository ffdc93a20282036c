"""Single-model simulation: how precisely a method estimates the value of one model, compared with random draws."""

from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np

from adjudge import registry
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions, place_of
from adjudge.core.sampling import Selector
from adjudge.errors import NotEnoughLabels
from adjudge.evaluation import relative_efficiency
from adjudge.losses.loss import Loss, default_loss
from adjudge.simulation.engine import Workers, results
from adjudge.simulation.simulate import Simulation, Spread, runs, spread, true_estimate


@dataclass(frozen=True, eq=False)
class SingleModelSimulation:
    """The estimates for one model over several seeds, nan where there is none yet.

    Attributes
    ----------
    truth
        The value that the model really has.
    values
        (seeds, budgets).
    random
        (seeds, budgets): the same from random draws.
    """

    model: str
    truth: float
    budgets: tuple[int, ...]
    values: FloatArray
    random: FloatArray

    def estimates(self) -> dict[str, Spread]:
        """The estimated value at each budget: mean and standard deviation over seeds."""
        return self._at_budgets(self.values)

    def errors(self) -> dict[str, Spread]:
        """The absolute error at each budget: mean and standard deviation over seeds."""
        return self._at_budgets(np.abs(self.values - self.truth))

    def efficiency(self) -> dict[str, float | None]:
        """Relative efficiency at each budget: mean squared error divided by that of random draws; None: not defined."""
        pairs = zip(self.budgets, self.values.T, self.random.T, strict=True)
        each = {str(shown): relative_efficiency(ours, random, self.truth) for shown, ours, random in pairs}
        return {shown: value if np.isfinite(value) else None for shown, value in each.items()}

    def to_dict(self) -> dict[str, object]:
        return {
            "model": self.model,
            "truth": self.truth,
            "value": self.estimates(),
            "error": self.errors(),
            "efficiency": self.efficiency(),
        }

    def _at_budgets(self, values: FloatArray) -> dict[str, Spread]:
        return {str(shown): spread(column) for shown, column in zip(self.budgets, values.T, strict=True)}


def simulate_single_model(
    predictions: Predictions,
    truth: FloatArray,
    model: str,
    simulation: Simulation,
    *,
    options: registry.Options | None = None,
    loss: Loss | None = None,
    workers: Workers = -1,
) -> SingleModelSimulation | None:
    """Repeat the runs of a simulation and estimate one model, as `estimate` does.

    Parameters
    ----------
    simulation
        What `simulate` returned for the same pool, truth and options.

    Returns
    -------
    SingleModelSimulation | None
        None for a method that buys no label.
    """
    place = place_of(model, predictions)
    if not registry.can_select(simulation.method):
        return None
    loss = loss or default_loss(predictions, Labels.complete(truth))
    budgets = tuple(shown for shown in simulation.budgets if shown)
    played = []
    for method, given in ((simulation.method, options), ("random", None)):
        selector, apart = registry.selector(method, given), registry.plans_for_budget(method)
        run = partial(_estimates, predictions, truth, place, loss, budgets, selector, apart, simulation.batch)
        played.append(np.stack(list(results(run, simulation.seeds, workers))))
    actual = true_estimate(predictions, truth, loss).value[place]
    return SingleModelSimulation(model, float(actual), budgets, *played)


def _estimates(
    predictions: Predictions,
    truth: FloatArray,
    place: int,
    loss: Loss,
    budgets: tuple[int, ...],
    selector: Selector,
    apart: bool,
    batch: int,
    seed: int,
) -> FloatArray:
    """(budgets,): the estimates for the model in one run."""

    def said(log: Labels) -> float:
        if not log.usable.any():
            return np.nan
        ranker = registry.ranker(registry.estimator_for(log), loss)
        with suppress(NotEnoughLabels):
            return float(ranker.rank(predictions, log).estimate.value[place])
        return np.nan

    played = runs(selector, predictions, truth, budgets, seed, apart=apart, batch=batch)
    return np.array([said(log.head(rows)) for log, part in played for rows in part])
