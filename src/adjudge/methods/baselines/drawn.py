"""The one weighted estimator: unbiased for every method that draws, with intervals and tiers."""

from dataclasses import dataclass
from typing import ClassVar

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.losses import Loss
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranking
from adjudge.inference.weighted import ControlVariate, pool_mean, weighted_ranking


@dataclass(frozen=True)
class Drawn:
    """Rank models by the weighted mean of drawn labels, with intervals and tiers.

    Each drawn row estimates the mean of the whole pool: what was known when it was drawn, plus its
    weight for the rest. With r samples in the rest and W the largest weight that the draw could have
    had, rows are averaged with shares 1 / (W r (r - 1)); W is left out where the log does not say it.
    For step-by-step draws with one W this is the LURE estimator, for a plan the stratified mean, for
    equal chances the plain mean. Labels that were chosen, not drawn, count as known. The interval is
    the mid-p one with the correction for a finite pool; it holds for a budget fixed beforehand, not for
    one who stops when the numbers please. Models below a tier are clearly worse than its leader.
    """

    loss: Loss | None = None
    level: float = 0.95
    anytime: bool = False  # intervals that hold whenever one stops; wider
    simultaneous: bool = False  # intervals of all models hold at once (Bonferroni)
    reference: ClassVar[str] = "Farquhar et al. 2021 (LURE); Lancaster 1961 (mid-p)"
    needs: ClassVar[tuple[str, ...]] = ("drawn labels",)
    returns: ClassVar[str] = "accuracy with interval and tiers"

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        return weighted_ranking(
            predictions,
            labels.settled(),
            self.loss,
            self.level,
            self._control_variate,
            anytime=self.anytime,
            simultaneous=self.simultaneous,
        )

    @property
    def _control_variate(self) -> ControlVariate | None:
        return None


def drawn_error(predictions: Predictions, labels: Labels, loss: Loss) -> FloatArray:
    """(models,): the mean loss over the pool as the drawn rows tell it, even where that is outside [0, 1]."""
    return pool_mean(predictions, labels, loss).error
