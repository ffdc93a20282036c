"""The weighted estimator with the pool's own opinion as a control variate."""

from dataclasses import dataclass
from typing import ClassVar

from adjudge.core.estimate import Answer
from adjudge.core.labels import Labels
from adjudge.core.losses import Loss
from adjudge.core.predictions import Predictions
from adjudge.estimators.proxy import with_proxy
from adjudge.estimators.weighted import weighted_answer


@dataclass(frozen=True)
class Assisted:
    """Rank models by drawn labels, made more precise by what the pool believes about the others.

    With r samples open, q the chance of the one drawn, l its loss and g the loss expected if the pool is right, a draw
    guesses the sum over the open samples as

        lam * (sum of g over the open samples) + (l - lam * g) / q,

    which is right on average whatever g is. The share lam is fitted for each model and for each difference on earlier
    draws, so a pool whose opinion is worth nothing costs next to nothing. Where all models agree, plain draws count.
    With lam = 0 this is `drawn`.
    """

    loss: Loss | None = None
    level: float = 0.95
    anytime: bool = False  # intervals that hold whenever one stops; wider
    simultaneous: bool = False  # intervals of all models hold at once (Bonferroni)
    reference: ClassVar[str] = "Angelopoulos et al. 2023 (PPI++); Zrnic and Candes 2024"
    needs: ClassVar[tuple[str, ...]] = ("drawn labels",)
    returns: ClassVar[str] = "accuracy with interval and tiers"

    def rank(self, predictions: Predictions, labels: Labels) -> Answer:
        return weighted_answer(
            predictions,
            labels,
            self.loss,
            self.level,
            with_proxy,
            anytime=self.anytime,
            simultaneous=self.simultaneous,
        )
