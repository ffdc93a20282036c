"""The weighted estimator with the pool's own opinion as a control variate."""

from dataclasses import dataclass
from typing import ClassVar

from adjudge.inference.weighted import ControlVariate
from adjudge.methods.baselines.drawn import Drawn
from adjudge.methods.pooled.control_variate import with_proxy


@dataclass(frozen=True)
class Assisted(Drawn):
    """Rank models by drawn labels, made more precise by what the pool believes about the others.

    With r samples open, q the chance of the one drawn, l its loss and g the loss expected if the pool is right, a draw
    guesses the sum over the open samples as

        lam * (sum of g over the open samples) + (l - lam * g) / q,

    which is right on average whatever g is. The share lam is fitted for each model and for each difference on earlier
    draws, so a pool whose opinion is worth nothing costs next to nothing. Where all models agree, plain draws count.
    With lam = 0 this is `drawn`.
    """

    reference: ClassVar[str] = "Angelopoulos et al. 2023 (PPI++); Zrnic and Candes 2024"

    @property
    def _control_variate(self) -> ControlVariate:
        return with_proxy
