"""When one may stop labeling: rules that hold whenever one looks, and how far a log is from them."""

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

UNSURE = 0.5  # share of its half width by which a gap may be off in the range of an extrapolation


@dataclass(frozen=True)
class Rule:
    """What must be shown before one stops: `separated`, or `within` a margin.

    >>> Rule.read("within 0.01")
    Rule(margin=0.01)
    >>> str(Rule.read("separated"))
    'separated'
    """

    margin: float | None = None  # None: separated

    def __post_init__(self) -> None:
        if self.margin is not None and not 0 < self.margin < np.inf:
            raise InputError(f"the margin {self.margin:g} of a stop rule is not above zero; give one such as 0.01")

    @classmethod
    def read(cls, text: str) -> "Rule":
        """The rule that is written so."""
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
        """(models,): whether the model still stands against stopping; all do where nothing is known.

        A model that is known to be exactly as good as the first, such as a copy of it, stands against nothing.
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
class Standing:
    """Where a log stands with a rule, and about how many more labels it may take."""

    rule: Rule
    stopped: bool
    ranking: Ranking | None  # with intervals that hold at any time; None: no label that was drawn can be used yet
    labels: int
    in_dispute: int  # open samples on which models differ: where no prediction is missing, all that is left to learn
    pending: tuple[str, ...]  # models that stand against stopping, the best first
    left: int  # open samples, in dispute or not
    more: int | None = None  # None: nothing can be said
    more_low: int | None = None
    more_high: int | None = None
    out_of_reach: bool = False  # whether wrong labels leave more open than the gaps, as they look now, allow


def separated(predictions: Predictions, loss: Loss | None = None) -> Stop:
    """Stop when one model only may still be best.

    For use in `loop.steps`. The intervals hold at all times at once, so one may look after every label: in at least
    95 % of runs the first model is the best of the pool when the rule stops. Exact copies of it are no obstacle.
    """
    return _stop(predictions, Rule(), loss)


def within(predictions: Predictions, margin: float, loss: Loss | None = None) -> Stop:
    """Stop when the first model is at most `margin` worse than any other, with 95 % confidence whenever one looks."""
    return _stop(predictions, Rule(margin), loss)


def standing(
    predictions: Predictions, labels: Labels, rule: Rule, loss: Loss | None = None, label_noise: float = 0.0
) -> Standing:
    """Whether one may stop now, and if not, about how many more labels that may take.

    `label_noise` is the share of labels that may be wrong, which widens all intervals.

    The number is an extrapolation and no promise. It takes the gaps between the first model and the others as they
    look now and lets the widths of their intervals shrink with the root of the number of labels, down to zero when
    all samples in dispute are labeled, or all samples of the pool where predictions are missing or samples were
    skipped: then models are not judged on the same samples, and agreement tells them apart too. What label noise
    adds to the widths does not shrink. Its range lets each gap be off by half of the half width of its interval.

    >>> from adjudge.simulation.contract import example_pool
    >>> from adjudge.simulation.loop import bought
    >>> pool, truth = example_pool(models=3, samples=200)
    >>> found = standing(pool, bought(Pooled(), pool, truth.astype(float), 20, seed=0), Rule(0.01))
    >>> found.stopped, found.more_low <= found.more <= found.more_high <= 180
    (False, True)
    """
    check_label_noise(label_noise, classes=predictions.classes is not None)
    log, in_dispute = labels.settled(), disputed(predictions, labels.header.models)
    ranking = _anytime(predictions, log, loss)
    stays = np.zeros(len(predictions.models))  # half of each width that no label takes away
    if label_noise and ranking is not None:
        bound = (loss or default_loss(predictions, log)).bound
        stays = bound * NoiseBounds.of(predictions, log, label_noise, int(ranking.order[0])).shift
        ranking = with_label_noise(ranking, predictions, log, label_noise, bound)
    done, size = int(in_dispute[log.sample].sum()), int(in_dispute.sum())
    count, open_in_dispute, left = log.labeled, size - done, labels.pool - len(log)
    if ranking is None:
        return Standing(rule, False, None, count, open_in_dispute, predictions.models, left)
    pending = _pending(rule, predictions, log, ranking)
    names = tuple(ranking.models[model] for model in ranking.order if pending[model])
    if log.skipped or (predictions.said < log.pool).any():
        done, size = len(log), log.pool
    if not names or ranking.difference is None or not done:
        return Standing(rule, not names, ranking, count, open_in_dispute, names, left)
    gap, half = ranking.difference.value[pending], (ranking.difference.value - ranking.difference.low)[pending]
    gap, half = gap + rule.allowed - stays[pending], half - stays[pending]
    if label_noise and (gap <= 0).any():
        return Standing(rule, False, ranking, count, open_in_dispute, names, left, out_of_reach=True)

    def more(off: float) -> int:
        needed = _needed(gap + off * half, half, done, size).max()  # the closest model decides
        # labels of samples that are not in dispute go on being bought at the rate they were
        return min(max(1, int(np.ceil((needed - done) * len(log) / done))), left)

    return Standing(rule, False, ranking, count, open_in_dispute, names, left, more(0.0), more(UNSURE), more(-UNSURE))


def _needed(gap: FloatArray, half: FloatArray, done: int, size: int) -> FloatArray:
    """(models,): labels at which the half width is down to the gap; all there can be where there is none.

    With n of N samples the half width goes with the root of 1/n - 1/N.
    """
    share = np.nan_to_num(np.clip(gap, 0.0, half) / np.maximum(half, TINY))
    return np.asarray(1 / (1 / size + (1 / done - 1 / size) * share**2))


def _stop(predictions: Predictions, rule: Rule, loss: Loss | None) -> Stop:
    def stop(labels: Labels) -> bool:
        ranking = _anytime(predictions, labels, loss)
        return ranking is not None and not _pending(rule, predictions, labels, ranking).any()

    return stop


def _pending(rule: Rule, predictions: Predictions, labels: Labels, ranking: Ranking) -> BoolArray:
    """(models,): those that stand against stopping, without the ones that no label can tell anything about."""
    never = np.isnan(ranking.estimate.value) & (open_samples(predictions, labels) == 0)
    return np.asarray(rule.pending(ranking) & ~never)


def _anytime(predictions: Predictions, labels: Labels, loss: Loss | None) -> Ranking | None:
    """The answer with intervals that hold at any time; None where no label that was drawn can be used."""
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
