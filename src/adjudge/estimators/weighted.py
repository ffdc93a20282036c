"""What drawn labels tell about every model: the one way from a log to an answer with intervals."""

from collections.abc import Callable

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.estimate import Answer, Estimate, competition_rank
from adjudge.core.labels import Labels
from adjudge.core.losses import Loss, default_loss
from adjudge.core.predictions import Predictions
from adjudge.errors import NotEnoughLabels
from adjudge.estimators.draws import parts_of
from adjudge.estimators.parts import Part, answered_prefix, known_losses, open_samples, part_of, ratio
from adjudge.estimators.pool import PoolMean

UNKNOWN = 0  # the tier of a model about which nothing is known
TINY = 1e-9  # differences of sums of floats that mean nothing
FEW = 20  # draws below which an interval would rest on a range of values that nobody stated
Helper = Callable[[Predictions, Labels, Loss, list[Part]], list[Part]]


def pool_mean(predictions: Predictions, labels: Labels, loss: Loss, helped: Helper | None = None) -> PoolMean:
    """Mean losses over the pool, from a log that has no gap."""
    known = known_losses(predictions, labels, loss)
    parts = [part_of(predictions, labels, known, draws) for draws in parts_of(predictions, labels)]
    if helped is not None:
        parts = helped(predictions, labels, loss, parts)
    return PoolMean(predictions, parts, known, open_samples(predictions, labels), loss.stated)


def weighted_answer(
    predictions: Predictions, labels: Labels, loss: Loss | None, level: float, helped: Helper | None = None
) -> Answer:
    """Rank by the mean loss over the pool, with intervals and tiers; exact where every sample is labeled."""
    labels = answered_prefix(labels)
    loss = loss or default_loss(predictions, labels)
    known = known_losses(predictions, labels, loss)
    tier: IntArray | None
    if not open_samples(predictions, labels).any():
        error = low = high = ratio(known.losses.sum(axis=1), known.said.sum(axis=1))
        tier = np.where(np.isnan(error), UNKNOWN, np.unique(competition_rank(-error), return_inverse=True)[1] + 1)
    elif not known.said[:, ~np.isnan(labels.weight)].any():
        raise NotEnoughLabels(
            "no label that was drawn at random can be used yet, so nothing can be said about the whole pool; "
            "draw some with `adjudge select --method random`, or rank with `labeled`"
        )
    else:
        mean = pool_mean(predictions, labels, loss, helped)
        error, low, high = mean.interval(level)
        tier = tiers(mean, error, level)
        if not loss.stated and sum(len(part.draws.rows) for part in mean.parts) < FEW:
            low, high, tier = np.full_like(low, np.nan), np.full_like(high, np.nan), None
    value, low, high = (1 - loss.bound * each for each in (error, high, low))
    return Answer(
        predictions.models,
        competition_rank(-error),  # of the losses, whose scale is always that of 0 to 1
        Estimate(value, low, high, loss.quantity, level),
        tier,
        labels=int(labels.usable.sum()),
        skipped=labels.skipped,
    )


def tiers(mean: PoolMean, error: FloatArray, level: float) -> IntArray:
    """A tier reaches down to the last model that is not clearly worse than its leader.

    So every model below a tier is clearly worse than that tier's leader. A model about which nothing is known
    belongs to none.
    """
    tier = np.where(np.isnan(error), UNKNOWN, 1)
    order = np.argsort(error, kind="stable")[: np.count_nonzero(tier)]
    quantile = mean.quantile(level, max(1, len(order) * (len(order) - 1) // 2))
    leader = 0
    while leader < len(order):
        below = order[leader + 1 :]
        _, low, _ = mean.differences(below, order[[leader]], quantile)
        same = np.flatnonzero(~(low[:, 0] > TINY))
        leader += 2 + int(same[-1]) if same.size else 1
        tier[order[leader:]] += 1
    return tier
