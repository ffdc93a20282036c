"""Stopping rules for labeling, and how many more labels they may take."""

import re
from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import BoolArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranking
from adjudge.core.sampling import Stop
from adjudge.decisions.extrapolation import (
    MoreLabels,
    Progress,
    left_by_missing,
    never_guaranteed,
    until_guaranteed,
    until_likely,
)
from adjudge.decisions.recommend import as_good, is_incomplete, may_stop, recommend
from adjudge.errors import InputError, NotEnoughLabels
from adjudge.inference.label_noise import NoiseBounds, check_label_noise, with_label_noise
from adjudge.inference.ranks import TINY
from adjudge.inference.stratum import open_samples
from adjudge.losses.loss import Loss, default_loss
from adjudge.methods.pooled.pooled import Pooled

MARGIN_TEXT = re.compile(r"(likely )?within ([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?) ?(%|percent|points?|pt|pts)?")
PER_POINT = 0.01


@dataclass(frozen=True)
class StoppingRule:
    """What must hold before labeling stops: `separated`, `within` a margin, or `likely within` it.

    Examples
    --------
    >>> StoppingRule.read("within 0.01")
    StoppingRule(margin=0.01, likely=False)
    >>> str(StoppingRule.read("likely within 1 point"))
    'likely within 0.01'
    >>> str(StoppingRule.read("separated"))
    'separated'
    """

    margin: float | None = None  # None: separated
    likely: bool = False  # by the consensus; otherwise by the draws, whatever the consensus says

    def __post_init__(self) -> None:
        if self.margin is not None and not 0 < self.margin < np.inf:
            raise InputError(f"the margin {self.margin:g} of a stopping rule is not above zero; give one such as 0.01")

    @classmethod
    def read(cls, text: str) -> "StoppingRule":
        """Parse a rule."""
        words = " ".join(text.lower().split())
        if words in ("separated", "best"):
            return cls()
        found = MARGIN_TEXT.fullmatch(words)
        if found:
            return cls(float(found[2]) * (PER_POINT if found[3] else 1.0), bool(found[1]))
        raise InputError(
            f'the stopping rule {text!r} is not known; write "likely within 0.01", "within 0.01" or "within 1 point" '
            'with your margin, or "separated"'
        )

    def __str__(self) -> str:
        return "separated" if self.margin is None else f"{'likely ' * self.likely}within {self.margin:g}"

    @property
    def allowed(self) -> float:
        """How much worse than the best the first model may be."""
        return self.margin or 0.0

    def blocking(self, ranking: Ranking, incomplete: bool) -> BoolArray:
        """(models,): whether the model still prevents stopping; all but the first do while nothing is known.

        A model that is known to be exactly as good as the first, such as a copy of it, does not. If the first one is
        incomplete, what is likely does not count.
        """
        likely, proven = ranking.likely, ranking.guaranteed
        if self.likely and likely is not None and not incomplete:
            if may_stop(ranking, self.allowed, incomplete):  # what is guaranteed is likely too
                return np.zeros(len(ranking.models), dtype=bool)
            pending = np.nan_to_num(likely.behind.low) < -self.allowed
            pending[ranking.order[1:2]] = True  # the bound is about all models together
        elif proven is None:
            pending = np.ones(len(ranking.models), dtype=bool)
        elif self.margin is not None:
            pending = (proven.lead < -self.margin - TINY) & (proven.loss > self.margin + TINY)
        else:
            pending = proven.may_be_best & ~as_good(ranking)
        pending[ranking.order[0]] = False
        return np.asarray(pending)


@dataclass(frozen=True, eq=False)
class StoppingStatus:
    """Whether a rule is satisfied, and about how many more labels that may take."""

    rule: StoppingRule
    stopped: bool
    ranking: Ranking | None  # None: there is no label yet that the rule can use
    labels: int
    in_dispute: int  # open samples on which models differ
    blocking: tuple[str, ...]  # models that prevent stopping, the best first
    left: int  # all open samples
    more: MoreLabels | None = None  # None: no extrapolation is possible
    # whether label noise and missing predictions alone keep the rule from being satisfied, as gaps look now
    out_of_reach: bool = False
    by_noise: bool = False  # whether that takes label noise, and missing predictions alone would not do it


def separated(predictions: Predictions, loss: Loss | None = None) -> Stop:
    """Stop when only one model may still be best.

    For use in `loop.steps`. The confidence set is valid at any time, so the rule may be checked after every label: in
    at least 95% of runs the first model is the best of the pool when the rule stops. Copies of it do not prevent
    stopping.
    """
    return _stop(predictions, StoppingRule(), loss)


def within(predictions: Predictions, margin: float, loss: Loss | None = None) -> Stop:
    """Stop when the first model is at most `margin` worse than any other, with 95% confidence at any time."""
    return _stop(predictions, StoppingRule(margin), loss)


def in_points(text: str) -> bool:
    """Whether the margin of a rule is written in hundredths."""
    found = MARGIN_TEXT.fullmatch(" ".join(text.lower().split()))
    return found is not None and found[3] is not None


def stopping_status(
    predictions: Predictions,
    labels: Labels,
    rule: StoppingRule,
    loss: Loss | None = None,
    label_noise: float = 0.0,
    level: float = 0.95,
) -> StoppingStatus:
    """Whether labeling may stop now, and if not, about how many more labels that may take.

    `label_noise` is the share of labels that may be wrong, which widens all intervals; what is likely takes the labels
    as right. The number of labels is an extrapolation, not a promise (`decisions.extrapolation`).

    >>> from adjudge.simulation.contract import example_pool
    >>> from adjudge.simulation.loop import bought
    >>> pool, truth = example_pool(models=3, samples=200)
    >>> found = stopping_status(pool, bought(Pooled(), pool, truth.astype(float), 20, seed=0), StoppingRule(0.01))
    >>> found.stopped, found.more.low <= found.more.about <= found.more.high <= 180
    (False, True)
    """
    check_label_noise(label_noise, classes=predictions.classes is not None)
    log = labels.settled()
    progress, ranking = Progress.of(predictions, log), _anytime(predictions, log, loss, rule, level)
    status = StoppingStatus(rule, False, None, log.labeled, progress.in_dispute, predictions.models, progress.left)
    if ranking is None:
        return status
    priced = loss or default_loss(predictions, log)
    missing = left_by_missing(predictions, ranking, priced)
    stays = missing  # the part of each half width that no label removes
    if label_noise:
        max_loss = priced.max_loss
        stays = stays + max_loss * NoiseBounds.of(predictions, log, label_noise, int(ranking.order[0])).shift
        ranking = with_label_noise(ranking, predictions, log, label_noise, max_loss)
    pending = _pending(rule, predictions, log, ranking)
    names = tuple(ranking.models[model] for model in ranking.order if pending[model])
    advice = recommend(predictions, labels, ranking, loss, margin=rule.margin, stop=not names)
    ranking = replace(ranking, recommendation=advice)
    status = replace(status, stopped=not names, ranking=ranking, blocking=names)
    if not names:
        return status
    if rule.likely and ranking.likely is not None and not advice.incomplete:
        return replace(status, more=until_likely(ranking, progress, rule.allowed))
    more = until_guaranteed(ranking, progress, rule.allowed, pending, stays)
    if more is not None and advice.lacking:  # what missing predictions leave open shrinks most with the last labels
        more = more._replace(high=progress.left)
    out_of_reach = bool(stays.any()) and more is None and progress.done > 0
    by_missing = never_guaranteed(predictions, ranking, rule.allowed, priced) & (missing > 0)
    by_noise = out_of_reach and label_noise > 0 and not by_missing[pending].any()
    return replace(status, more=more, out_of_reach=out_of_reach, by_noise=by_noise)


def _stop(predictions: Predictions, rule: StoppingRule, loss: Loss | None) -> Stop:
    def stop(labels: Labels) -> bool:
        ranking = _anytime(predictions, labels, loss, rule)
        return ranking is not None and not _pending(rule, predictions, labels, ranking).any()

    return stop


def _pending(rule: StoppingRule, predictions: Predictions, labels: Labels, ranking: Ranking) -> BoolArray:
    """(models,): those that prevent stopping, except models that no label can say anything about."""
    never = np.isnan(ranking.estimate.value) & (open_samples(predictions, labels) == 0)
    return np.asarray(rule.blocking(ranking, is_incomplete(predictions, ranking)) & ~never)


def _anytime(
    predictions: Predictions, labels: Labels, loss: Loss | None, rule: StoppingRule, level: float = 0.95
) -> Ranking | None:
    """The ranking with anytime-valid intervals; None where no usable label says anything for the rule."""
    try:
        ranking = Pooled(loss=loss, level=level, anytime=True).rank(predictions, labels)
    except NotEnoughLabels:
        return None
    likely = rule.likely and ranking.likely is not None and ranking.labels > 0
    return ranking if likely or ranking.guaranteed is not None else None
