"""The plain mean over the labeled samples."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import competition_rank
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.errors import NotEnoughLabels
from adjudge.losses.loss import Loss, default_loss, reported


@dataclass(frozen=True)
class Labeled:
    """Rank models by their mean on the labeled samples, however these were chosen.

    A mean over chosen samples is not an unbiased estimate of the accuracy on the pool, so there is no interval, until
    every sample is labeled: then the mean is exact.
    """

    loss: Loss | None = None
    reference: ClassVar[str] = "plain mean"
    needs: ClassVar[tuple[str, ...]] = ("labels",)
    returns: ClassVar[str] = "mean on the labeled samples, no interval"
    by_parts: ClassVar[bool] = True

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        usable = labels.usable
        if not usable.any():
            raise NotEnoughLabels("no sample is labeled yet; `labeled` needs at least one label")
        loss = self.loss or default_loss(predictions, labels)
        losses = loss(predictions.values[:, labels.sample[usable]], labels.value[usable])
        known = ~np.isnan(losses)
        with np.errstate(invalid="ignore"):
            error = np.where(known, losses, 0.0).sum(axis=1) / known.sum(axis=1)
        value, lower = reported(loss, error), loss.lower_is_better
        if labels.answered.sum() == labels.pool:
            estimate = Estimate(value, value, value, loss.quantity, lower_is_better=lower)
        else:
            estimate = Estimate.without_interval(
                value, f"{loss.quantity} on the labeled samples", lower_is_better=lower
            )
        return Ranking(
            predictions.models,
            competition_rank(-error),  # losses are always on the scale from 0 to 1
            estimate,
            labels=labels.labeled,
            skipped=labels.skipped,
        )
