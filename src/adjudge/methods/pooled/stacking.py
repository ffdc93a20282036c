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
NEGLIGIBLE = 1e-4  # share of the evidence


@dataclass(frozen=True, eq=False)
class StackedConsensus:
    """What the models and the labels together say the truth is."""

    truth: FloatArray  # (samples,): nan where no model has a prediction
    left_out: FloatArray  # (usable log rows,): the same with weights that are fitted without the row's own label


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
    evidence = _evidence(shrink, along, scaled @ scaled, variance, len(rows))
    truth, fitted = np.zeros(len(deviation)), np.zeros(len(rows))
    for share, kept in zip(evidence, shrink, strict=True):
        if share < NEGLIGIBLE:
            continue
        truth += share * (right.T @ np.divide(kept * along, singular, out=np.zeros_like(along), where=singular > 0))
        own = np.square(left) @ kept  # the leverage of a row
        fitted += share * (left @ (kept * along) - own * scaled) / (1 - own)
    lowest, highest = predictions.span
    everywhere = median + truth @ deviation / np.sqrt(variance * len(deviation))
    left_out = median[rows] + np.divide(fitted, root[:, 0], out=np.zeros_like(fitted), where=root[:, 0] > 0)
    return StackedConsensus(np.clip(everywhere, lowest, highest), np.clip(left_out, lowest, highest))


def _evidence(shrink: FloatArray, along: FloatArray, square: float, variance: float, count: int) -> FloatArray:
    """(ratios,): the probability of each ratio of variances given the labels, all being equally probable before."""
    misfit = square - shrink @ along**2
    log = 0.5 * np.log1p(-shrink).sum(axis=1)
    log -= 0.5 * (count + PRIOR_LABELS) * np.log(misfit + PRIOR_LABELS * variance)
    share = np.exp(log - log.max())
    return np.asarray(share / share.sum())
