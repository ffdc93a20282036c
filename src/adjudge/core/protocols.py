"""The protocols of methods: selectors, rankers, and what the labeling loop calls."""

from collections.abc import Callable
from typing import Protocol

from adjudge.core.labels import Labels, Pick, Value
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranking

Picker = Callable[[Labels], Pick | None]  # None: no sample is left
Oracle = Callable[[int], Value]  # the only access to true labels
Stop = Callable[[Labels], bool]


class Selector(Protocol):
    """Decides which sample is labeled next.

    `given` are labels from before the run, often none; `budget` is None where only a stopping rule ends the run. The
    picker is a pure function of the log.
    """

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker: ...


class Ranker(Protocol):
    """Orders the models, from the predictions and the labels so far."""

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking: ...
