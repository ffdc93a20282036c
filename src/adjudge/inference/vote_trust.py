"""Vote trust: the accuracy of the majority vote, estimated from drawn labels as if the vote were one more model.

And whether labels refute a ranking that was made from the votes.
"""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import Array, BoolArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.ranking import Ranking
from adjudge.core.strata import disputed
from adjudge.core.votes import tie_broken_vote
from adjudge.inference.ranks import TINY
from adjudge.inference.stratum import KnownLosses, known_losses
from adjudge.inference.weighted import mean_of
from adjudge.losses.loss import ZeroOne

GOOD, WEAK, MISLEADING, TOO_FEW = "a good guide", "mostly wrong", "misleading", "too few labels to say"
HALF = 0.5
VOTERS = 3  # models; with two, every disagreement is a tie
MIN_INFORMATIVE_LABELS = 5  # labels that tell models apart; fewer refute no ranking
CLEARLY = 3.0  # standard errors below zero: 2 in 300 random logs at most refuted an order with a correlation above 0.3
Interval = tuple[float, float, float]  # value, low, high


@dataclass(frozen=True)
class VoteTrust:
    """What drawn labels say about the majority vote; values come with their 95% intervals."""

    verdict: str  # GOOD, WEAK, MISLEADING or TOO_FEW
    accuracy: Interval  # of the vote, on the whole pool
    in_dispute: Interval  # accuracy of the vote on the disputed samples
    ahead: Interval  # on the disputed samples: accuracy of the vote minus that of the models that contradict it
    labels: int  # of disputed samples

    def to_dict(self) -> dict[str, object]:
        """All of it as plain types, for JSON."""
        ends = {"value": 0, "low": 1, "high": 2}
        found = {name: getattr(self, name) for name in ("accuracy", "in_dispute", "ahead")}
        intervals = {name: {end: each[place] for end, place in ends.items()} for name, each in found.items()}
        return {"verdict": self.verdict, "sentence": self.sentence, "labels_in_dispute": self.labels, **intervals}

    @property
    def sentence(self) -> str:
        """The verdict as a sentence."""
        _, low, high = self.in_dispute
        share = f"{low:.0%}" if f"{low:.0%}" == f"{high:.0%}" else f"{low:.0%} to {high:.0%}"
        told = f"Where models differ, the majority vote is right on {share} of samples"
        if self.verdict == GOOD:
            return f"{told}, more often than the models that contradict it: the vote is a good guide here."
        if self.verdict == WEAK:
            return f"{told}: more often than the models that contradict it, but it is mostly wrong."
        if self.verdict == MISLEADING:
            return (
                f"{told}, less often than the models that contradict it: it is misleading here, and labels override it."
            )
        return f"{told}: too few labels to say whether the vote is a good guide."


def vote_trust(predictions: Predictions, labels: Labels, level: float = 0.95) -> VoteTrust | None:
    """Judge the majority vote by the labels that were drawn; None if there are none, or no vote.

    The vote is a good guide if, on the disputed samples, it is right more often than a model that contradicts it, and
    misleading if it is right less often; in both cases the interval of the difference excludes zero. If it is right
    more often but, by its interval, on less than half of these samples, it is mostly wrong. Intervals are valid if
    the number of labels was fixed in advance. Ties are broken at random.

    Examples
    --------
    >>> from adjudge.simulation.contract import example_pool
    >>> from adjudge.simulation.loop import bought
    >>> from adjudge.methods.baselines.random import Random
    >>> pool, truth = example_pool(models=7, samples=300)
    >>> vote_trust(pool, bought(Random(), pool, truth.astype(float), 60, seed=0)).verdict
    'a good guide'
    """
    log = labels.settled()
    drawn = log.usable & ~np.isnan(log.weight)
    if predictions.classes is None or len(predictions.models) < VOTERS or not drawn.any():
        return None
    in_dispute = disputed(predictions, log.header.models)
    if not (drawn & in_dispute[log.sample]).any():
        return None
    vote = tie_broken_vote(predictions, np.random.default_rng(0))
    everywhere = _alone(predictions, vote)
    contested = _alone(predictions, np.where(in_dispute, vote, MISSING).astype(vote.dtype))
    behind = _behind(predictions, log, contested)
    value, low, high = (1 - 2 * each for each in _interval(contested, log, behind, level))
    ahead = value, high, low
    accuracy, there = (_accuracy(each, log, level) for each in (everywhere, contested))
    verdict = MISLEADING if ahead[2] < 0 else TOO_FEW
    if ahead[1] > 0:
        verdict = WEAK if there[2] < HALF else GOOD
    return VoteTrust(verdict, accuracy, there, ahead, int((log.usable & in_dispute[log.sample]).sum()))


def refutation(ranking: Ranking, predictions: Predictions, labels: Labels) -> str | None:
    """The evidence of the labels against an order of the models, as a sentence; None if they do not clearly refute it.

    Each labeled sample adds its share to the covariance, over models, of the ranked value and being right. That
    covariance is positive if the order is right; it is refuted if the mean share is clearly below zero.
    """
    value, rows = ranking.estimate.value, labels.usable
    if predictions.classes is None or np.isnan(value).all():
        return None
    predicted, truth = predictions.values[:, labels.sample[rows]], labels.value[rows]
    voted = predictions.is_present(predicted) & ~np.isnan(value)[:, None]
    right = voted & (predicted == truth)
    share = right.sum(axis=0) / np.maximum(voted.sum(axis=0), 1)
    for_order = np.where(voted, np.nan_to_num(value - np.nanmean(value))[:, None] * (right - share), 0.0).sum(axis=0)
    if np.count_nonzero(np.abs(for_order) > TINY) < MIN_INFORMATIVE_LABELS:
        return None
    error = float(for_order.std(ddof=1)) / np.sqrt(len(truth))
    if for_order.mean() + CLEARLY * error >= 0:
        return None
    count = right.sum(axis=1)
    ahead = value[:, None] > value[None, :] + TINY
    place = np.where(ahead, count[None, :] - count[:, None], -len(truth)).argmax()
    first, second = np.unravel_index(place, ahead.shape)
    return (
        f"its order of the models contradicts their accuracy on the {len(truth):,} labeled samples: "
        f"{ranking.models[first]!r}, which it puts before {ranking.models[second]!r}, is right on {count[first]:,} of "
        f"them, the other on {count[second]:,}"
    )


def _alone(predictions: Predictions, vote: Array) -> Predictions:
    """A pool whose only model is the vote, with the strata of the pool that voted."""
    whole = predictions.whole or predictions
    return Predictions(vote[None], ("the vote",), predictions.samples, predictions.classes, whole=whole)


def _behind(predictions: Predictions, log: Labels, contested: Predictions) -> KnownLosses:
    """(1, rows): (1 - d) / 2, with d the vote's being right minus the accuracy of the models that contradict it."""
    vote, predicted = contested.values[0][log.sample], predictions.values[:, log.sample]
    against: BoolArray = (predicted >= 0) & (predicted != vote)
    right = (against & (predicted == log.value)).sum(axis=0) / np.maximum(against.sum(axis=0), 1)
    known = log.usable & (vote >= 0)
    ahead = np.where(known, (vote == log.value) - right, 1.0)
    return KnownLosses((1 - ahead[None]) / 2, known[None])


def _accuracy(pool: Predictions, log: Labels, level: float) -> Interval:
    value, low, high = _interval(pool, log, known_losses(pool, log, ZeroOne()), level)
    return 1 - value, 1 - high, 1 - low


def _interval(pool: Predictions, log: Labels, known: KnownLosses, level: float) -> Interval:
    value, low, high = mean_of(pool, log, known, bounded=True).interval(level)
    return float(value[0]), float(low[0]), float(high[0])
