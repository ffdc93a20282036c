"""The one weighted estimator: unbiased for every method that draws, with intervals and tiers."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.estimate import Answer, Estimate, competition_rank
from adjudge.core.labels import Labels
from adjudge.core.losses import Loss, default_loss
from adjudge.core.predictions import Predictions
from adjudge.errors import LabelsError, NotEnoughLabels
from adjudge.estimators.intervals import clearly_different, joined, normal_quantile, student_quantile, wilson

UNKNOWN = 0  # the tier of a model about which nothing is known
FEW = 20  # draws below which an interval would rest on a range of values that nobody stated


@dataclass(frozen=True)
class Drawn:
    """Rank models by the weighted mean of drawn labels, with intervals and tiers.

    Each drawn row estimates the mean of the whole pool: what was known when it was drawn, plus its
    weight for the rest. With r samples in the rest, rows are averaged with shares 1 / (r (r - 1)).
    For step-by-step draws this is the LURE estimator, for a plan the stratified mean, for equal
    chances the plain mean. Labels that were chosen, not drawn, count as known. The interval is
    Wilson's with the correction for a finite pool; it holds for a budget fixed beforehand, not for
    one who stops when the numbers please. Models below a tier are clearly worse than its leader.
    """

    loss: Loss | None = None
    level: float = 0.95
    reference: ClassVar[str] = "Farquhar et al. 2021 (LURE); Wilson 1927"
    needs: ClassVar[tuple[str, ...]] = ("drawn labels",)
    returns: ClassVar[str] = "accuracy with interval and tiers"

    def rank(self, predictions: Predictions, labels: Labels) -> Answer:
        labels = _answered_prefix(labels)
        loss = self.loss or default_loss(predictions, labels)
        known = _known_losses(predictions, labels, loss)
        open_samples = predictions.said - _spoken(predictions, labels).sum(axis=1)
        tier: IntArray | None
        if not open_samples.any():
            error = low = high = _ratio(known.losses.sum(axis=1), known.said.sum(axis=1))
            tier = np.where(np.isnan(error), UNKNOWN, np.unique(competition_rank(-error), return_inverse=True)[1] + 1)
        elif not known.said[:, ~np.isnan(labels.weight)].any():
            raise NotEnoughLabels(
                "no label that was drawn at random can be used yet, so nothing can be said about the whole pool; "
                "draw some with `adjudge select --method random`, or rank with `labeled`"
            )
        else:
            mean = drawn_mean(predictions, labels, known)
            error, low, high = self._interval(mean, known, open_samples, loss)
            tier = self._tiers(mean, error)
            if not loss.stated and len(mean.share) < FEW:
                low, high, tier = np.full_like(low, np.nan), np.full_like(high, np.nan), None
        value, low, high = (1 - loss.bound * each for each in (error, high, low))
        return Answer(
            predictions.models,
            competition_rank(-error),  # of the losses, whose scale is always that of 0 to 1
            Estimate(value, low, high, loss.quantity, self.level),
            tier,
            labels=int(labels.usable.sum()),
            skipped=labels.skipped,
        )

    def _interval(
        self, mean: "DrawnMean", known: "KnownLosses", open_samples: IntArray, loss: Loss
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Error and interval over the whole pool, kept within what the labels leave possible."""
        rest, count = np.clip(mean.rest, 0.0, 1.0), mean.count
        draws, quantile = len(mean.share), normal_quantile(self.level)
        if draws > 1 and not mean.classical:
            spread, variance = rest * (1 - rest), mean.variance(mean.residual)
            count = np.where((spread > 0) & (variance > 0), _ratio(spread, variance), count)
            quantile = student_quantile(self.level, draws)
        low, high = (np.nan_to_num(end, nan=side) for side, end in enumerate(wilson(rest, count, quantile)))
        if mean.strata is not None and mean.binary and mean.complete.all():
            low, high = joined(mean.losses, mean.strata, mean.size, normal_quantile(self.level))
        wrong, said = known.losses.sum(axis=1), known.said.sum(axis=1)
        at_least, at_most = np.zeros(len(rest)), np.ones(len(rest))
        if loss.stated:
            at_least, at_most = _ratio(wrong, said + open_samples), _ratio(wrong + open_samples, said + open_samples)
        return (
            np.clip(mean.over_pool(mean.rest), at_least, at_most),
            np.clip(np.fmax(mean.over_pool(low), at_least), at_least, at_most),
            np.clip(np.fmin(mean.over_pool(high), at_most), at_least, at_most),
        )

    def _tiers(self, mean: "DrawnMean", error: FloatArray) -> IntArray:
        """A tier reaches down to the last model that is not clearly worse than its leader.

        So every model below a tier is clearly worse than that tier's leader. A model about which nothing is known
        belongs to none.
        """
        tier = np.where(np.isnan(error), UNKNOWN, 1)
        order = np.argsort(error, kind="stable")[: np.count_nonzero(tier)]
        pairs = max(1, len(order) * (len(order) - 1) // 2)
        quantile = normal_quantile(self.level, comparisons=pairs)
        leader = 0
        while len(mean.share) > 1 and leader < len(order):
            below = order[leader + 1 :]
            same = np.flatnonzero(~mean.clearly_worse(below, order[leader], quantile))
            leader += 2 + int(same[-1]) if same.size else 1
            tier[order[leader:]] += 1
        return tier


@dataclass(frozen=True, eq=False)
class KnownLosses:
    """(models, rows): the loss on each answered row, 0 where there is none, and whether there is one."""

    losses: FloatArray
    said: BoolArray


@dataclass(frozen=True, eq=False)
class DrawnMean:
    """Mean losses over the samples that were not known before the first draw."""

    rest: FloatArray  # (models,)
    losses: FloatArray  # (models, draws)
    residual: FloatArray  # (models, draws): how far from the mean each draw puts it
    share: FloatArray  # (draws,): adds up to one
    strata: FloatArray | None  # (draws,): the weights of a plan, which are those of its strata; None: no plan
    size: int  # samples that were not known before the first draw
    count: FloatArray  # (models,): equally weighted draws from an endless pool that would be as good
    binary: bool  # all losses are 0 or 1
    equal: bool  # all draws had the same chance
    complete: BoolArray  # (models,): whether each draw has a loss
    known_wrong: FloatArray  # (models,): sum of losses known before the first draw
    known_said: FloatArray  # (models,): their number
    rest_said: FloatArray  # (models,): how many samples the rest holds for the model

    @property
    def classical(self) -> bool:
        """Whether the variance of a mean follows from the mean."""
        return self.binary and self.equal

    def over_pool(self, rest: FloatArray) -> FloatArray:
        """The mean over the whole pool that belongs to a mean over the rest."""
        return _ratio(self.known_wrong + rest * self.rest_said, self.known_said + self.rest_said)

    def variance(self, residual: FloatArray) -> FloatArray:
        """(models,): of the mean."""
        draws = len(self.share)
        return np.asarray(draws / (draws - 1) * (residual**2 @ self.share**2))

    def clearly_worse(self, models: IntArray, leader: int, quantile: float) -> BoolArray:
        """Which of the models are worse than the leader by more than chance."""
        count, draws = np.fmin(self.count[models], self.count[leader]), len(self.share)
        # late draws take most of the share when little is left, so their spread says little about all draws
        plain = self.equal & self.complete[models] & self.complete[leader]
        paired = self.losses[models] - self.losses[leader]
        spread = np.where(
            plain,
            paired.var(axis=1, ddof=1),
            self.variance(self.residual[models] - self.residual[leader]) * count,
        )
        difference = self.rest[models] - self.rest[leader]
        largest = np.ones(len(models)) if self.binary else np.abs(paired).max(axis=1)
        return clearly_different(difference, spread, largest, draws, draws / count, quantile)


def drawn_error(predictions: Predictions, labels: Labels, loss: Loss) -> FloatArray:
    """(models,): the mean loss over the pool as the drawn rows tell it, even where that is outside [0, 1]."""
    mean = drawn_mean(predictions, labels, _known_losses(predictions, labels, loss))
    return mean.over_pool(mean.rest)


def drawn_mean(predictions: Predictions, labels: Labels, known: KnownLosses) -> DrawnMean:
    """Average the drawn rows of a log that has no gap; unbiased where nothing was skipped."""
    drawn = np.flatnonzero(~np.isnan(labels.weight))
    if labels.frame[drawn].any():
        raise LabelsError(
            f"row {drawn[labels.frame[drawn] > 0][0]} of the log was drawn from a part of the pool "
            "that is not known here; give the labels whose frame is 0"
        )
    seen, weight = labels.seen[drawn], labels.weight[drawn]
    start = int(seen.min())
    size, rest = labels.pool - start, labels.pool - seen
    share = _shares(rest)
    scale = rest * weight / size
    losses_before = _before(known.losses, start, seen)
    each_loss = losses_before / size + scale * known.losses[:, drawn]
    mean_loss = each_loss @ share
    known_said = known.said[:, :start].sum(axis=1).astype(np.float64)
    each_said = _before(known.said, start, seen) / size + scale * known.said[:, drawn]
    # where a model lacks predictions, or a sample could not be labeled, how many count is itself estimated
    certain = (predictions.said == labels.pool) & (labels.skipped == 0)
    mean_said = np.where(certain, 1.0, each_said @ share)
    ratio = _ratio(mean_loss, mean_said)
    residual = each_loss - ratio[:, None] * np.where(certain[:, None], 1.0, each_said)
    return DrawnMean(
        rest=ratio,
        losses=known.losses[:, drawn],
        residual=_ratio(residual, mean_said[:, None]),
        share=share,
        strata=weight if len(drawn) > 1 and (seen == start).all() else None,
        size=size,
        count=_ratio(mean_said**2, known.said[:, drawn] @ (share * scale) ** 2),
        binary=bool(np.isin(known.losses, (0.0, 1.0)).all()),
        equal=bool((weight == 1).all()),
        complete=np.asarray(known.said[:, drawn].all(axis=1)),
        known_wrong=known.losses[:, :start].sum(axis=1),
        known_said=known_said,
        rest_said=mean_said * size,
    )


def _before(rows: FloatArray | BoolArray, start: int, seen: IntArray) -> FloatArray:
    """(models, draws): sums over the rows from `start` to those seen at each draw."""
    total = np.cumsum(rows[:, start:], axis=1, dtype=np.float64)
    return np.asarray(np.pad(total, ((0, 0), (1, 0)))[:, seen - start])


def _shares(rest: IntArray) -> FloatArray:
    """Proportional to 1 / (r (r - 1)); a draw of the last open sample knows everything and takes all."""
    smallest = rest.min()
    share = (rest == 1).astype(np.float64) if smallest == 1 else 1.0 / (rest * (rest - 1.0))
    return np.asarray(share / share.sum())


def _known_losses(predictions: Predictions, labels: Labels, loss: Loss) -> KnownLosses:
    usable = labels.usable
    losses = np.zeros((len(predictions.models), len(labels)))
    losses[:, usable] = loss(predictions.values[:, labels.sample[usable]], labels.value[usable])
    return KnownLosses(np.nan_to_num(losses), _spoken(predictions, labels) & usable)


def _spoken(predictions: Predictions, labels: Labels) -> BoolArray:
    """(models, rows): whether the model said anything about the row's sample."""
    values = predictions.values[:, labels.sample]
    return np.asarray(~np.isnan(values) if predictions.classes is None else values >= 0)


def _answered_prefix(labels: Labels) -> Labels:
    """The rows before the first that is still pending: a later draw depends on its answer."""
    pending = np.flatnonzero(~labels.answered)
    return labels.head(int(pending[0])) if pending.size else labels


def _ratio(top: FloatArray, bottom: FloatArray | IntArray) -> FloatArray:
    """Nan where the bottom is zero: a model about which nothing is known."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1), np.nan))
