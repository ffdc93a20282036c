"""A sequential confidence set for the best model: which models may be the best, however often one looks.

If model j is the best, its total loss over the pool is at most that of any other model k. Each draw gives an unbiased
estimate of the difference of the two totals,

    X = known + lam * expected + (r w) (d - lam c),

with `known` the difference on samples labeled so far, d that on the drawn sample, c and `expected` what a consensus
expects of d and of all open samples, r the open samples and w the weight of the draw. So a bet of s X, with s >= 0
chosen before the draw, has an expected gain of at most zero, and the wealth of several bettors is an e-process: if j is
the best, it reaches 1 / alpha with a chance of at most alpha (Ville's inequality), at any time. A model is excluded
when it does. Only the best model must not be excluded, so nothing is corrected for the number of models; and k may be
another model at each draw, the one that looks best by then.

Bettors differ in whom they believe: the consensus, with and without it as a control variate, or the draws alone. Each
stakes a multiple of Kelly's fraction, the expected gain divided by its second moment.

References
----------
Arnold, Gavrilopoulos, Schulz and Ziegel (2024), Sequential model confidence sets.
https://doi.org/10.48550/arXiv.2404.18678
Waudby-Smith and Ramdas (2024), Estimating means of bounded random variables by betting. JRSS-B 86(1).
https://doi.org/10.1093/jrsssb/qkad009
"""

from dataclasses import dataclass
from math import log

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.ranking import Guaranteed
from adjudge.inference.anytime import AnytimeIntervals
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.ranks import TINY
from adjudge.inference.stratum import StratumMean

KELLY = (0.5, 1.0)  # multiples of Kelly's fraction
LARGEST_STAKE = 0.9  # of the stake that may lose everything
CONTROL = 0.3  # lam of the bettors that use the consensus as a control variate
BY_CONSENSUS = 0.9  # of the first wealth belongs to bettors that believe the consensus, the rest to the others
SHRINKAGE = 5.0  # with so many draws, what they say counts half for bettors that believe nothing else
FOR_EXCLUSION = 0.2  # of the error rate of the guaranteed loss
PRIOR_SQUARE, PRIOR_DRAWS = 0.3, 2.0  # the second moment that is assumed before the first draw, and what that counts


@dataclass(frozen=True, eq=False)
class Prospects:
    """What a bettor believes before each draw: (models, draws) each."""

    known: FloatArray  # loss on the samples labeled so far
    expected: FloatArray  # loss on all open samples of the stratum
    expected_drawn: FloatArray  # loss on the sample that is drawn

    @property
    def rival(self) -> IntArray:
        """(models, draws): whom each model is compared with: the one that looks best, or the second best for itself."""
        total = self.known + self.expected
        draws = np.arange(total.shape[1])
        first = np.argmin(total, axis=0)
        rival = np.tile(first, (len(total), 1))
        if len(total) > 1:
            others = total.copy()
            others[first, draws] = np.inf
            rival[first, draws] = np.argmin(others, axis=0)
        return rival


def log_wealth_of_best(mean: PoolMean) -> FloatArray:
    """(models,): the largest log wealth so far of bets that a model is not the best; infinite where that is certain."""
    scale = mean.said.max() / np.maximum(mean.said, 1)  # a model is judged by its mean over the samples it predicts
    stratum, wealth = mean.strata[0], np.zeros(len(scale))
    known = mean.known.losses.sum(axis=1) * scale
    leader = int(np.argmin(np.where(mean.said > 0, known, np.inf)))
    if stratum.drawn:
        bettors = [(0.5 * (1 - BY_CONSENSUS), _believes_draws(mean, stratum, scale), 0.0)]
        if stratum.expected is not None:
            believed = _believes_consensus(mean, stratum, scale)
            bettors = [*bettors, (0.25 * BY_CONSENSUS, believed, 0.0), (0.25 * BY_CONSENSUS, believed, CONTROL)]
            leader = int(np.argmin((believed.known + believed.expected)[:, -1]))
        total = sum(share * len(KELLY) for share, _, _ in bettors)
        paths = [
            np.log(share / total) + path
            for share, prospects, control in bettors
            for path in _paths(mean, stratum, prospects, scale, control)
        ]
        wealth = np.logaddexp.reduce(paths, axis=0).max(axis=1, initial=0.0)
    certain = known - known[leader] - _most_that_open_samples_gain(mean, leader, scale) > TINY
    return np.where(certain, np.inf, wealth)


def confidence_set(log_wealth: FloatArray, level: float) -> BoolArray:
    """(models,): those that may be the best."""
    return np.asarray(log_wealth < -log(1 - level))


def guaranteed(mean: PoolMean, leader: int, log_wealth: FloatArray, level: float, bound: float) -> Guaranteed:
    """What the draws prove about the leader at any time; `bound` is the largest loss.

    The best model is one of the others, so differences to the leader are bounded on one side and for so many models. A
    model that was excluded with a part of the error rate cannot be the best.
    """
    models = len(np.unique(np.array(mean.prediction_groups), axis=1).T)
    comparisons = max(1, models - 1) / (2 * (1 - FOR_EXCLUSION))  # of two sides each
    lead = bound * AnytimeIntervals(mean, level, comparisons).lead(leader)
    lead[leader] = 0.0
    may_beat_it = (log_wealth < -log(FOR_EXCLUSION * (1 - level))) & (mean.said > 0)
    loss = max(0.0, -float(np.min(lead, where=may_beat_it, initial=0.0)))
    return Guaranteed(confidence_set(log_wealth, level), lead, loss, level)


def _believes_draws(mean: PoolMean, stratum: StratumMean, scale: FloatArray) -> Prospects:
    """The weighted mean of earlier draws, shrunk to zero, is expected of all open samples."""
    draws, losses = stratum.draws, mean.known.losses
    weighted: FloatArray = np.cumsum(draws.weight * losses[:, draws.rows], axis=1)
    earlier = np.searchsorted(draws.rows, draws.seen)  # draws whose labels were there
    each = np.pad(weighted, ((0, 0), (1, 0)))[:, earlier] / (earlier + SHRINKAGE)
    return _prospects(mean, stratum, np.asarray(draws.rest * each), np.zeros_like(each), scale)


def _believes_consensus(mean: PoolMean, stratum: StratumMean, scale: FloatArray) -> Prospects:
    assert stratum.expected is not None
    return _prospects(mean, stratum, stratum.expected.rest, stratum.expected.drawn, scale)


def _prospects(
    mean: PoolMean, stratum: StratumMean, expected: FloatArray, drawn: FloatArray, scale: FloatArray
) -> Prospects:
    draws, losses = stratum.draws, mean.known.losses
    first = losses[:, : draws.start].sum(axis=1)[:, None]
    known = first + draws.before(losses)
    never = np.where(mean.said > 0, 0.0, np.inf)[:, None]  # a model without predictions is nobody's rival
    each = scale[:, None]
    return Prospects(known * each + never, expected * each, drawn * each)


def _paths(
    mean: PoolMean, stratum: StratumMean, prospects: Prospects, scale: FloatArray, control: float
) -> list[FloatArray]:
    """(models, draws) for each multiple of Kelly's fraction: log wealth after each draw."""
    draws, rival = stratum.draws, prospects.rival
    place = np.arange(len(draws.rows))

    def difference(each: FloatArray) -> FloatArray:
        return each - each[rival, place]

    said = mean.answers[:, draws.rows]
    same = (said == said[rival, place]) & (scale[:, None] == scale[rival])
    loss = np.where(same, 0.0, difference(mean.known.losses[:, draws.rows] * scale[:, None]))
    expected = np.where(same, 0.0, difference(prospects.expected_drawn))
    known, rest = difference(prospects.known) + _least_elsewhere(mean, rival, scale), difference(prospects.expected)
    start = (known + control * rest) / draws.rest
    gain = start + draws.weight * (loss - control * expected)
    lowest = (scale[rival] + control * scale[:, None]) * np.nan_to_num(draws.max_weight, nan=np.inf) - start
    hoped = np.maximum(known + rest, 0.0) / draws.rest
    squares = np.pad(np.cumsum(np.square(gain), axis=1), ((0, 0), (1, 0)))[:, :-1]
    moment = (squares + PRIOR_DRAWS * PRIOR_SQUARE) / (place + PRIOR_DRAWS)
    limit = LARGEST_STAKE / np.maximum(lowest, TINY)
    with np.errstate(invalid="ignore"):  # a model without predictions has no losses
        stakes = [np.clip(np.nan_to_num(multiple * hoped / moment), 0.0, limit) for multiple in KELLY]
        return [np.cumsum(np.log1p(np.where(stake > 0, stake * gain, 0.0)), axis=1) for stake in stakes]


def _least_elsewhere(mean: PoolMean, rival: IntArray, scale: FloatArray) -> FloatArray:
    """(models, draws): the lowest possible difference on samples of other strata, about which these draws say nothing.

    It is zero where predictions are equal, as are those of the models that the strata were made of.
    """
    rivals, place = np.unique(rival, return_inverse=True)
    least = np.zeros((len(scale), len(rivals)))
    for stratum, group in zip(mean.strata[1:], mean.prediction_groups[1:], strict=True):
        assert stratum.draws.members is not None  # as in all logs with several strata
        if len(np.unique(group)) > 1 or len(np.unique(scale)) > 1:
            every = np.arange(len(scale))
            for column, other in enumerate(rivals):
                differ = mean.disagreements(stratum, every, np.full(len(every), other))
                least[:, column] -= _most_gained(differ, int(np.count_nonzero(stratum.draws.members)), scale, other)
    return np.asarray(np.take_along_axis(least, place.reshape(rival.shape), axis=1))


def _most_that_open_samples_gain(mean: PoolMean, leader: int, scale: FloatArray) -> FloatArray:
    """(models,): by how much open samples can reduce the difference to the leader at most."""
    every = np.arange(len(scale))
    labeled = np.count_nonzero(mean.answers != mean.answers[leader], axis=1)
    differ = np.sum(
        [mean.disagreements(stratum, every, np.full(len(every), leader)) for stratum in mean.strata], axis=0
    )
    return _most_gained(differ - labeled, mean.predictions.values.shape[1] - len(mean.sample), scale, leader)


def _most_gained(differ: IntArray, samples: int, scale: FloatArray, other: int) -> FloatArray:
    """(models,): the most that models can gain on another on so many samples, given on how many of them they differ."""
    return np.asarray(differ * scale[other] + (samples - differ) * np.maximum(scale[other] - scale, 0.0))
