"""The consensus of predicted numbers, once there are labels: the median plus a weighted sum of deviations from it.

With d the deviations of a sample's predictions from their median m, the label is taken to be y = m + d b + e. The
weights b are normal with mean zero, so that without labels the consensus is the median; how large they and the noise e
are is averaged over by the evidence (MacKay, 1992). This is stacking (Wolpert, 1992; Breiman, 1996) with a prior. A
row counts as often as it stands for samples of the pool, so that the errors of the consensus do not go along with any
model's deviations, however the labels were drawn.
"""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions

NOISE_TO_WEIGHTS = np.append(10.0 ** np.arange(-3, 4.5, 0.5), 1e9)  # variances, divided; the last one: the median alone
PRIOR_LABELS = 1.0  # labels that the guess counts as much as that the median errs as much as models differ from it


@dataclass(frozen=True, eq=False)
class StackedConsensus:
    """What the models and the labels together say the truth is."""

    truth: FloatArray  # (samples,): nan where no model has a prediction
    left_out: FloatArray  # (usable log rows,): the same, as if the row's own label were not known


def stacked_consensus(
    predictions: Predictions, labels: Labels, median: FloatArray, weight: FloatArray
) -> StackedConsensus:
    """Fitted to all usable rows, which have these weights (log rows,)."""
    deviation = np.nan_to_num(predictions.values - median)
    variance = float(np.square(deviation).mean())
    rows, times = labels.sample[labels.usable], weight[labels.usable]
    error = np.nan_to_num(labels.value[labels.usable] - median[rows])
    if not variance or not times.any():
        return StackedConsensus(median, median[rows])
    root = np.sqrt(times * len(rows) / times.sum())[:, None]
    features = deviation[:, rows].T * root / np.sqrt(variance * len(deviation))
    left, singular, right = np.linalg.svd(features, full_matrices=False)
    scaled = error * root[:, 0]
    along = left.T @ scaled
    shrink = singular**2 / (singular**2 + NOISE_TO_WEIGHTS[:, None])  # (ratios, directions)
    misfit, scale = scaled @ scaled - shrink @ along**2, PRIOR_LABELS * variance
    determinant = 0.5 * np.log1p(-shrink).sum(axis=1)
    evidence = _normalized(determinant - 0.5 * (len(rows) + PRIOR_LABELS) * np.log(misfit + scale))
    weights = right.T @ np.divide(evidence @ shrink * along, singular, out=np.zeros_like(along), where=singular > 0)
    everywhere = median + weights @ deviation / np.sqrt(variance * len(deviation))
    # without a row: its residual grows by its leverage, and its part of determinant and misfit goes
    own, error = shrink @ np.square(left.T), scaled - shrink * along @ left.T  # (ratios, rows)
    misfit_without = np.maximum(misfit[:, None] - error**2 / (1 - own), 0.0)
    without = _normalized(
        (determinant[:, None] - 0.5 * np.log1p(-own))
        - 0.5 * (len(rows) - 1 + PRIOR_LABELS) * np.log(misfit_without + scale)
    )
    fitted = (without * (scaled - error / (1 - own))).sum(axis=0)
    left_out = median[rows] + np.divide(fitted, root[:, 0], out=np.zeros_like(fitted), where=root[:, 0] > 0)
    lowest, highest = predictions.span
    return StackedConsensus(np.clip(everywhere, lowest, highest), np.clip(left_out, lowest, highest))


def _normalized(log: FloatArray) -> FloatArray:
    """The probability of each ratio of variances (first axis), all being equally probable before."""
    share = np.exp(log - log.max(axis=0))
    return np.asarray(share / share.sum(axis=0))
