"""The weighted estimator with the pooled consensus as a control variate."""

from dataclasses import dataclass
from typing import ClassVar

from adjudge.core.labels import Labels
from adjudge.inference.pool_mean import PoolMean
from adjudge.losses.loss import Loss
from adjudge.methods.baselines.drawn import Drawn
from adjudge.methods.pooled.control_variate import with_control_variate


@dataclass(frozen=True)
class Assisted(Drawn):
    """Rank models by drawn labels, made more precise by a control variate from the pooled consensus.

    With q the probability of the sample drawn, l its loss and g its expected loss under the consensus, a draw estimates
    the sum of the losses over the open samples as

        lam * (sum of g over the open samples) + (l - lam * g) / q,

    which is unbiased whatever g is. The coefficient lam is fitted for each model and for each difference on earlier
    draws, so a consensus that is wrong costs next to nothing. Where all models agree, plain draws are used. With
    lam = 0 this is `drawn`, whose parameters it has.

    References
    ----------
    A. N. Angelopoulos, J. C. Duchi and T. Zrnic 2023, "PPI++: Efficient Prediction-Powered Inference". arXiv 2311.01453

    T. Zrnic and E. J. Candes 2024, "Active Statistical Inference". arXiv 2403.03208
    """

    reference: ClassVar[str] = "Angelopoulos et al. 2023 (PPI++); Zrnic and Candes 2024"

    def _more_precise(self, mean: PoolMean, labels: Labels, loss: Loss) -> PoolMean:
        return with_control_variate(mean, labels, loss)
