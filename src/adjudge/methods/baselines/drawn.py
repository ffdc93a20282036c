"""The weighted estimator of all methods that draw: unbiased, with intervals and tiers."""

from dataclasses import dataclass
from typing import ClassVar

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranking
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.weighted import mean_of_draws, pool_mean, weighted_ranking
from adjudge.losses.loss import Loss, default_loss


@dataclass(frozen=True)
class Drawn:
    """Rank models by the weighted mean of drawn labels, with intervals and tiers.

    Each drawn row estimates the mean of the whole pool: what was known when it was drawn, plus its inverse-propensity
    weighted loss for the rest. With r samples in the rest and W the largest weight that the draw could have had, rows
    are averaged with weights proportional to 1 / (W r (r - 1)); W is left out where the log does not have it. For
    step-by-step draws with one W this is the LURE estimator, for a plan the stratified mean, for equal probabilities
    the plain mean. Labels that were chosen, not drawn, count as known. The interval is the mid-p interval with a
    finite-population correction. It holds for a budget that is fixed in advance, not if one stops when the numbers
    look good (see `anytime`). Models below a tier are clearly worse than its leader.

    Parameters
    ----------
    loss
        What a wrong prediction costs.
    level
        The confidence level of the intervals.
    anytime
        Confidence sequences, which hold whenever one stops; wider.
    simultaneous
        Whether the intervals of all models hold at once (Bonferroni).

    References
    ----------
    S. Farquhar et al. 2021, "On Statistical Bias in Active Learning: How and When to Fix It" (LURE). arXiv 2101.11665

    H. O. Lancaster 1961, "Significance Tests in Discrete Distributions" (mid-p).
    https://doi.org/10.1080/01621459.1961.10482105
    """

    loss: Loss | None = None
    level: float = 0.95
    anytime: bool = False
    simultaneous: bool = False
    reference: ClassVar[str] = "Farquhar et al. 2021 (LURE); Lancaster 1961 (mid-p)"
    needs: ClassVar[tuple[str, ...]] = ("drawn labels",)
    by_parts: ClassVar[bool] = True
    returns: ClassVar[str] = "accuracy with interval and tiers"

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        labels = labels.settled()
        loss = self.loss or default_loss(predictions, labels)
        mean = mean_of_draws(predictions, labels, loss)
        return weighted_ranking(
            predictions,
            labels,
            loss,
            self.level,
            mean=None if mean is None else self._more_precise(mean, labels, loss),
            anytime=self.anytime,
            simultaneous=self.simultaneous,
        )

    def _more_precise(self, mean: PoolMean, labels: Labels, loss: Loss) -> PoolMean:
        """The mean with what else is known about the samples: here nothing."""
        return mean


def drawn_error(predictions: Predictions, labels: Labels, loss: Loss) -> FloatArray:
    """(models,): the unbiased estimate of the mean loss over the pool, which may be outside [0, 1]."""
    return pool_mean(predictions, labels, loss).mean_loss
