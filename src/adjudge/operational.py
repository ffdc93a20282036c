"""How well a method estimates the value of one model: its error, and its labels compared with random draws."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from adjudge import registry
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import SKIP, Labels, Value
from adjudge.core.losses import Loss, default_loss
from adjudge.core.predictions import Predictions, place_of
from adjudge.core.protocols import Selector
from adjudge.engine import results
from adjudge.errors import NotEnoughLabels
from adjudge.loop import budget as budget_stop
from adjudge.loop import steps
from adjudge.metrics import relative_efficiency
from adjudge.simulation import Simulation, Spread, spread, true_values


@dataclass(frozen=True, eq=False)
class SingleModel:
    """What a method said about one model over several seeds, nan where it could not say anything yet."""

    model: str
    truth: float
    budgets: tuple[int, ...]
    values: FloatArray  # (seeds, budgets)
    random: FloatArray  # (seeds, budgets): the same from random draws

    def estimates(self) -> dict[str, Spread]:
        """The estimated value at each budget: mean and standard deviation over seeds."""
        return self._at_budgets(self.values)

    def errors(self) -> dict[str, Spread]:
        """The absolute error at each budget: mean and standard deviation over seeds."""
        return self._at_budgets(np.abs(self.values - self.truth))

    def efficiency(self) -> dict[str, float | None]:
        """E at each budget: mean squared error divided by that of random draws; None where there is none."""
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


def single_model(
    predictions: Predictions,
    truth: FloatArray,
    model: str,
    simulation: Simulation,
    *,
    options: registry.Options | None = None,
    loss: Loss | None = None,
    workers: int = -1,
) -> SingleModel | None:
    """Play the runs of a simulation again and look at one model; None for a method that buys no label.

    The estimate is that of `adjudge estimate`: `drawn` where labels have weights, else `labeled`. A budget below the
    last sees the first labels of a whole run, as the simulation does.
    """
    place = place_of(model, predictions)
    if not registry.can_select(simulation.method):
        return None
    everything = Labels.known(len(truth), np.arange(len(truth)), truth)
    loss = loss or default_loss(predictions, everything)
    budgets = tuple(shown for shown in simulation.budgets if shown)
    played = []
    for selector in (registry.selector(simulation.method, options), registry.selector("random")):
        run = partial(_estimates, predictions, truth, place, selector, loss, budgets)
        played.append(np.stack(list(results(run, simulation.seeds, workers))))
    actual = true_values(predictions, truth, loss)[place]
    return SingleModel(model, float(actual), budgets, *played)


def _estimates(
    predictions: Predictions,
    truth: FloatArray,
    place: int,
    selector: Selector,
    loss: Loss,
    budgets: tuple[int, ...],
    seed: int,
) -> FloatArray:
    """(budgets,): what is said about the model in one run."""

    def oracle(sample: int) -> Value:
        return SKIP if np.isnan(truth[sample]) else float(truth[sample])

    none = Labels.empty(len(truth))
    picker = selector.start(predictions, none, max(budgets), seed)
    *_, log = steps(picker, oracle, budget_stop(max(budgets)), none)
    ranker = registry.ranker("labeled" if np.isnan(log.weight).all() else "drawn", loss)
    values = np.full(len(budgets), np.nan)
    for at, rows in enumerate(budgets):
        try:
            values[at] = ranker.rank(predictions, log.head(rows)).estimate.value[place]
        except NotEnoughLabels:  # then nothing is known yet
            continue
    return values
