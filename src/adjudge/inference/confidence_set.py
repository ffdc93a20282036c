"""A sequential confidence set for the best model: which models may be the best, at any time.

If model j is the best, its total loss over the pool is at most that of any other model k. Each draw gives an unbiased
estimate of the difference of the two totals,

    X = known + lam * expected + (r w) (d - lam c),

with `known` the difference on samples labeled so far, d that on the drawn sample, c and `expected` what a consensus
expects of d and of all open samples, r the open samples and w the weight of the draw. So a bet of s X, with s >= 0
chosen before the draw, has an expected gain of at most zero, and the wealth of several bettors is an e-process: if j is
the best, it reaches 1 / alpha with a chance of at most alpha (Ville's inequality), at any time. A model is excluded
when it does. Only the best model must not be excluded, so nothing is corrected for the number of models; and k may be
another model at each draw, the one that looks best by then.

Where predictions are missing, they may be right or wrong (`inference.missing_predictions`). If j may be the best
whatever they are, its known total is at most that of k plus the number of samples that k lacks.

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

from adjudge.core.arrays import BoolArray, FloatArray, IntArray, running_sums
from adjudge.core.ranking import Guaranteed
from adjudge.inference.anytime import AnytimeIntervals
from adjudge.inference.missing_predictions import n_lacking
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.ranks import TINY
from adjudge.inference.stratum import StratumMean

KELLY = (1.0, 2.0)  # multiples of Kelly's fraction
LARGEST_STAKE = 0.97  # of the stake that may lose everything
CONTROL_COEFFICIENT = 0.2  # lam of the bettors that use the consensus as a control variate
BY_CONSENSUS = 0.9  # share of the initial wealth given to bettors that trust the consensus
SHRINKAGE = 5.0  # draws after which they count half for bettors that trust nothing else
FOR_EXCLUSION = 0.2  # share of the guaranteed loss's error rate that is spent on excluding models
PRIOR_SQUARE, PRIOR_DRAWS = 0.3, 2.0  # the second moment that is assumed before the first draw, and what that counts


@dataclass(frozen=True, eq=False)
class Prospects:
    """What a bettor believes before each draw: (models, draws) each, but for the last."""

    known: FloatArray  # loss on the samples labeled so far
    expected: FloatArray  # loss on all open samples of the stratum
    expected_drawn: FloatArray  # loss on the sample that is drawn
    lacking: IntArray  # (models,): how many samples each lacks
    rivals: BoolArray  # (models,): whether a model has predictions; one without is nobody's rival

    @property
    def total(self) -> FloatArray:
        each = self.known + self.expected + self.lacking[:, None]
        return np.where(self.rivals[:, None], each, np.inf)

    @property
    def rival(self) -> IntArray:
        """(models, draws): whom each model is compared with: the one that looks best, or the second best for itself."""
        others = self.total
        draws = np.arange(others.shape[1])
        first = np.argmin(others, axis=0)
        rival = np.tile(first, (len(others), 1))
        others[first, draws] = np.inf
        rival[first, draws] = np.where(np.isinf(others).all(axis=0), first, np.argmin(others, axis=0))
        return rival


def log_wealth_of_best(mean: PoolMean) -> FloatArray:
    """(models,): the largest log wealth so far of bets that a model is not the best; infinite where that is certain."""
    wealth = log_wealth_paths(mean).max(axis=1, initial=0.0)
    certain = surely_worse(mean, int(np.nanargmin(mean.mean_loss))) | (mean.predictions.n_predicted == 0)
    return np.where(certain, np.inf, wealth)


def surely_worse(mean: PoolMean, leader: int) -> BoolArray:
    """(models,): whether the model is worse than the leader whatever open labels and missing predictions are."""
    known = mean.known.losses.sum(axis=1)
    possible = _most_that_open_samples_gain(mean, leader) + n_lacking(mean.predictions)[leader]
    return np.asarray(known - known[leader] - possible > TINY)


def log_wealth_paths(mean: PoolMean) -> FloatArray:
    """(models, draws): log wealth after each draw of bets that a model is not the best."""
    stratum = mean.strata[0]
    if not stratum.drawn:
        return np.zeros((len(mean.predictions.models), 0))
    bettors = [(0.5 * (1 - BY_CONSENSUS), _believes_draws(mean, stratum), 0.0)]
    if stratum.expected is not None:
        believed = _prospects(mean, stratum, stratum.expected.open_total, stratum.expected.drawn)
        bettors += [(0.25 * BY_CONSENSUS, believed, control) for control in (0.0, CONTROL_COEFFICIENT)]
    whole = sum(share * len(KELLY) for share, _, _ in bettors)
    paths = [
        np.log(share / whole) + path
        for share, prospects, control in bettors
        for path in _paths(mean, stratum, prospects, control)
    ]
    return np.asarray(np.logaddexp.reduce(paths, axis=0))


def confidence_set(log_wealth: FloatArray, level: float) -> BoolArray:
    """(models,): those that may be the best."""
    return np.asarray(log_wealth < -log(1 - level))


def guaranteed(
    mean: PoolMean, leader: int, log_wealth: FloatArray, level: float, max_loss: float, leaders: int = 1
) -> Guaranteed:
    """What the draws prove about the leader at any time; `max_loss` is the largest loss.

    Bounds are one-sided, with Bonferroni's correction over the other models, and over `leaders` if it is one of so many
    that are asked about. A model that was excluded with a part of the error rate cannot be the best.
    """
    models = len(np.unique(np.array(mean.prediction_groups), axis=1).T)
    comparisons = leaders * max(1, models - 1) / 2  # it counts two-sided ones
    every, of_bounds = np.arange(len(mean.predictions.models)), 1 - (1 - FOR_EXCLUSION) * (1 - level)
    intervals = AnytimeIntervals(mean, of_bounds, comparisons)
    lead = intervals.lead(leader) - intervals.missing.lower(every, leader)
    lead = max_loss * np.where(every == leader, 0.0, np.maximum(lead, -1.0))
    log_wealth = np.where(surely_worse(mean, leader), np.inf, log_wealth)
    may_beat_it = (log_wealth < -log(FOR_EXCLUSION * (1 - level))) & (mean.n_judgeable > 0)
    loss = max(0.0, -float(np.min(lead, where=may_beat_it, initial=0.0)))
    return Guaranteed(confidence_set(log_wealth, level), lead, loss, level, ties=intervals.ties)


def _believes_draws(mean: PoolMean, stratum: StratumMean) -> Prospects:
    """The weighted mean of earlier draws, shrunk to zero, is expected of all open samples."""
    draws, losses = stratum.draws, mean.known.losses
    earlier = np.searchsorted(draws.rows, draws.seen)  # draws whose labels were there
    each = running_sums(draws.weight * losses[:, draws.rows])[:, earlier] / (earlier + SHRINKAGE)
    return _prospects(mean, stratum, np.asarray(draws.n_open * each), np.zeros_like(each))


def _prospects(mean: PoolMean, stratum: StratumMean, expected: FloatArray, drawn: FloatArray) -> Prospects:
    draws, losses = stratum.draws, mean.known.losses
    known = losses[:, : draws.start].sum(axis=1)[:, None] + draws.before(losses)
    return Prospects(known, expected, drawn, n_lacking(mean.predictions), mean.predictions.n_predicted > 0)


def _paths(mean: PoolMean, stratum: StratumMean, prospects: Prospects, control: float) -> list[FloatArray]:
    """(models, draws) for each multiple of Kelly's fraction: log wealth after each draw."""
    draws, rival = stratum.draws, prospects.rival
    place = np.arange(len(draws.rows))

    def difference(each: FloatArray) -> FloatArray:
        return each - each[rival, place]

    predicted = mean.predicted[:, draws.rows]
    same = predicted == predicted[rival, place]
    loss = np.where(same, 0.0, difference(mean.known.losses[:, draws.rows]))
    expected = np.where(same, 0.0, difference(prospects.expected_drawn))
    known = difference(prospects.known) + _least_elsewhere(mean, rival) - prospects.lacking[rival]
    rest = difference(prospects.expected)
    start = (known + control * rest) / draws.n_open
    gain = start + draws.weight * (loss - control * expected)
    lowest = (1 + control) * np.nan_to_num(draws.max_weight, nan=np.inf) - start
    hoped = np.maximum(known + rest, 0.0) / draws.n_open
    squares = running_sums(np.square(gain))[:, :-1]
    moment = (squares + PRIOR_DRAWS * PRIOR_SQUARE) / (place + PRIOR_DRAWS)
    limit = LARGEST_STAKE / np.maximum(lowest, TINY)
    stakes = [np.minimum(multiple * hoped / moment, limit) for multiple in KELLY]
    return [np.cumsum(np.log1p(stake * gain), axis=1) for stake in stakes]


def _least_elsewhere(mean: PoolMean, rival: IntArray) -> FloatArray:
    """(models, draws): the lowest possible difference on samples of other strata, about which these draws say nothing.

    It is zero where predictions are equal, as are those of the models that the strata were made of.
    """
    rivals, place = np.unique(rival, return_inverse=True)
    every = np.arange(len(rival))
    least = np.zeros((len(every), len(rivals)))
    for stratum, group in zip(mean.strata[1:], mean.prediction_groups[1:], strict=True):
        if len(np.unique(group)) > 1:
            for column, other in enumerate(rivals):
                least[:, column] -= mean.disagreements(stratum, every, np.full(len(every), other))
    return np.asarray(np.take_along_axis(least, place.reshape(rival.shape), axis=1))


def _most_that_open_samples_gain(mean: PoolMean, leader: int) -> IntArray:
    """(models,): by how much open samples can reduce the difference to the leader at most."""
    every = np.arange(len(mean.predictions.models))
    labeled = np.count_nonzero(mean.predicted != mean.predicted[leader], axis=1)
    differ = [mean.disagreements(stratum, every, np.full(len(every), leader)) for stratum in mean.strata]
    return np.asarray(np.sum(differ, axis=0) - labeled)
