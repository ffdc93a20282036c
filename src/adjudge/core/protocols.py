"""The few shapes that every method fits."""

from collections.abc import Callable
from typing import Protocol

from adjudge.core.labels import Labels, Pick, Value
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranking

Picker = Callable[[Labels], Pick | None]  # None: nothing left to ask
Oracle = Callable[[int], Value]  # the only door to true labels
Stop = Callable[[Labels], bool]


class Selector(Protocol):
    """Decides which sample is labeled next.

    `given` are labels that exist before the run, often none; `budget` is None where only a stop
    rule ends the run. The picker is a pure function of the log.
    """

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker: ...


class Ranker(Protocol):
    """Orders the models, from the predictions and whatever labels there are."""

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking: ...
