"""Stopping rules for labeling, valid however often one looks, and how many more labels they may take."""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.losses import Loss, default_loss
from adjudge.core.predictions import Predictions
from adjudge.core.protocols import Stop
from adjudge.core.ranking import Ranking
from adjudge.core.strata import disputed
from adjudge.errors import InputError, NotEnoughLabels
from adjudge.inference.label_noise import NoiseBounds, check_label_noise, with_label_noise
from adjudge.inference.ranks import TINY
from adjudge.inference.stratum import open_samples
from adjudge.methods.baselines.drawn import Drawn
from adjudge.methods.pooled.pooled import Pooled

UNSURE = 0.5  # the range of an extrapolation lets a gap be off by this share of the half width of its interval


@dataclass(frozen=True)
class StoppingRule:
    """What must be shown before labeling stops: `separated`, or `within` a margin.

    >>> StoppingRule.read("within 0.01")
    StoppingRule(margin=0.01)
    >>> str(StoppingRule.read("separated"))
    'separated'
    """

    margin: float | None = None  # None: separated

    def __post_init__(self) -> None:
        if self.margin is not None and not 0 < self.margin < np.inf:
            raise InputError(f"the margin {self.margin:g} of a stop rule is not above zero; give one such as 0.01")

    @classmethod
    def read(cls, text: str) -> "StoppingRule":
        """Parse a rule."""
        match text.split():
            case ["separated"] | ["best"]:
                return cls()
            case ["within", number] if _is_number(number):
                return cls(float(number))
        raise InputError(f'the stop rule {text!r} is not known; write "separated", or "within 0.01" with your margin')

    def __str__(self) -> str:
        return "separated" if self.margin is None else f"within {self.margin:g}"

    @property
    def allowed(self) -> float:
        """How much worse than the best the first model may be."""
        return self.margin or 0.0

    def pending(self, ranking: Ranking) -> BoolArray:
        """(models,): whether the model still prevents stopping; all do while nothing is known.

        A model that is known to be exactly as good as the first, such as a copy of it, does not.
        """
        if ranking.difference is None:
            return np.ones(len(ranking.models), dtype=bool)
        low, high = np.nan_to_num(ranking.difference.low, nan=-np.inf), ranking.difference.high
        if self.margin is not None:
            pending = low < -self.margin - TINY
        else:
            may_be_best = low <= TINY if ranking.may_be_best is None else ranking.may_be_best
            pending = may_be_best & ~((low >= -TINY) & (high <= TINY))
        pending[ranking.order[0]] = False
        return np.asarray(pending)


@dataclass(frozen=True, eq=False)
class StoppingStatus:
    """Whether a rule is satisfied, and about how many more labels that may take."""

    rule: StoppingRule
    stopped: bool
    ranking: Ranking | None  # with anytime-valid intervals; None: there is no usable label yet that was drawn
    labels: int
    in_dispute: int  # open samples on which models differ
    pending: tuple[str, ...]  # models that prevent stopping, the best first
    left: int  # all open samples
    more: int | None = None  # None: no extrapolation is possible
    more_low: int | None = None
    more_high: int | None = None
    out_of_reach: bool = False  # whether label noise alone keeps the rule from being satisfied, with the gaps of now


def separated(predictions: Predictions, loss: Loss | None = None) -> Stop:
    """Stop when only one model may still be best.

    For use in `loop.steps`. The intervals are anytime-valid, so the rule may be checked after every label: in at least
    95 % of runs the first model is the best of the pool when the rule stops. Copies of it do not prevent stopping.
    """
    return _stop(predictions, StoppingRule(), loss)


def within(predictions: Predictions, margin: float, loss: Loss | None = None) -> Stop:
    """Stop when the first model is at most `margin` worse than any other, with 95 % confidence at any time."""
    return _stop(predictions, StoppingRule(margin), loss)


def stopping_status(
    predictions: Predictions, labels: Labels, rule: StoppingRule, loss: Loss | None = None, label_noise: float = 0.0
) -> StoppingStatus:
    """Whether labeling may stop now, and if not, about how many more labels that may take.

    `label_noise` is the share of labels that may be wrong, which widens all intervals. The number of labels is an
    extrapolation, not a promise. It takes the gaps between the first model and the others as they
    are estimated now and lets the widths of their intervals shrink with the root of the number of labels, down to zero
    when all disputed samples are labeled. Where so many predictions are missing that these labels cannot decide, all
    samples of the pool count in place of the disputed ones. What label noise adds to the widths does not shrink. Its
    range lets each gap be off by half of the half width of its interval.

    >>> from adjudge.simulation.contract import example_pool
    >>> from adjudge.simulation.loop import bought
    >>> pool, truth = example_pool(models=3, samples=200)
    >>> found = stopping_status(pool, bought(Pooled(), pool, truth.astype(float), 20, seed=0), StoppingRule(0.01))
    >>> found.stopped, found.more_low <= found.more <= found.more_high <= 180
    (False, True)
    """
    check_label_noise(label_noise, classes=predictions.classes is not None)
    log, in_dispute = labels.settled(), disputed(predictions, labels.header.models)
    ranking = _anytime(predictions, log, loss)
    done, size = int(in_dispute[log.sample].sum()), int(in_dispute.sum())
    count, open_in_dispute, left = log.labeled, size - done, labels.pool - len(log)
    if ranking is None:
        return StoppingStatus(rule, False, None, count, open_in_dispute, predictions.models, left)
    stays = np.zeros(len(predictions.models))  # the part of each half width that no label removes
    if label_noise:
        bound = (loss or default_loss(predictions, log)).bound
        stays = bound * NoiseBounds.of(predictions, log, label_noise, int(ranking.order[0])).shift
        ranking = with_label_noise(ranking, predictions, log, label_noise, bound)
    pending = _pending(rule, predictions, log, ranking)
    names = tuple(ranking.models[model] for model in ranking.order if pending[model])
    if not names or ranking.difference is None:
        return StoppingStatus(rule, not names, ranking, count, open_in_dispute, names, left)
    gap, half = ranking.difference.value[pending], (ranking.difference.value - ranking.difference.low)[pending]
    gap, half = gap + rule.allowed - stays[pending], half - stays[pending]
    missing = (1 - predictions.said / log.pool)[pending] + 1 - predictions.said[ranking.order[0]] / log.pool
    if ((missing > gap) & (missing > 0) | (missing > 0) & (not open_in_dispute)).any():
        done, size = len(log), log.pool
    if not done:
        return StoppingStatus(rule, False, ranking, count, open_in_dispute, names, left)
    if label_noise and (gap <= 0).any():
        return StoppingStatus(rule, False, ranking, count, open_in_dispute, names, left, out_of_reach=True)

    def more(off: float) -> int:
        needed = _needed(gap + off * half, half, done, size).max()  # the closest model decides
        # labels of unanimous samples are assumed to go on at the same rate
        return min(max(1, int(np.ceil((needed - done) * len(log) / done))), left)

    return StoppingStatus(
        rule, False, ranking, count, open_in_dispute, names, left, more(0.0), more(UNSURE), more(-UNSURE)
    )


def _needed(gap: FloatArray, half: FloatArray, done: int, size: int) -> FloatArray:
    """(models,): labels at which the half width is as small as the gap; all samples where there is no gap.

    With n of N samples labeled, the half width is proportional to the root of 1/n - 1/N.
    """
    share = np.nan_to_num(np.clip(gap, 0.0, half) / np.maximum(half, TINY))
    return np.asarray(1 / (1 / size + (1 / done - 1 / size) * share**2))


def _stop(predictions: Predictions, rule: StoppingRule, loss: Loss | None) -> Stop:
    def stop(labels: Labels) -> bool:
        ranking = _anytime(predictions, labels, loss)
        return ranking is not None and not _pending(rule, predictions, labels, ranking).any()

    return stop


def _pending(rule: StoppingRule, predictions: Predictions, labels: Labels, ranking: Ranking) -> BoolArray:
    """(models,): those that prevent stopping, except models that no label can say anything about."""
    never = np.isnan(ranking.estimate.value) & (open_samples(predictions, labels) == 0)
    return np.asarray(rule.pending(ranking) & ~never)


def _anytime(predictions: Predictions, labels: Labels, loss: Loss | None) -> Ranking | None:
    """The ranking with anytime-valid intervals; None where no usable label was drawn."""
    ranker = Pooled(loss=loss, anytime=True) if labels.stratum.any() else Drawn(loss=loss, anytime=True)
    try:
        ranking = ranker.rank(predictions, labels)
    except NotEnoughLabels:
        return None
    return ranking if ranking.difference is not None else None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
