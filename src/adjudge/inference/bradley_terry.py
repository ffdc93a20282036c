"""The Bradley-Terry model: strengths of models from votes on pairs of them.

P(i wins against j) = 1 / (1 + exp(-(strength i - strength j)))

A tie counts as half a win for each, so a strength says what share of wins to expect, ties included. The likelihood has
Firth's penalty, which keeps strengths finite where a model won all of its votes, and takes most of their bias away.
Variances are robust (sandwich): they hold though ties vary less than wins, though the model does not fit every pair,
and though votes on one sample go together.

References
----------
Bradley and Terry (1952), Rank analysis of incomplete block designs. Biometrika 39. https://doi.org/10.2307/2334029
Firth (1993), Bias reduction of maximum likelihood estimates. Biometrika 80. https://doi.org/10.1093/biomet/80.1.27
Chiang et al. (2024), Chatbot Arena. ICML (ties as half wins, robust variances).
https://doi.org/10.48550/arXiv.2403.04132
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy  # a part of it is imported where it is first used

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.inference.intervals import mid_p_interval, student_quantile

STEPS, CLOSE = 200, 1e-10  # of Newton's method, and the step at which it ends
LONGEST = 2.0  # largest change of a strength in one step


@dataclass(frozen=True, eq=False)
class Votes:
    """Votes on pairs of models: (votes,) each."""

    models: int
    first: IntArray
    second: IntArray
    won: FloatArray  # by the first: 1, 0, or 0.5 for a tie
    cluster: IntArray  # votes on one sample have the same number

    @cached_property
    def clusters(self) -> int:
        return len(np.unique(self.cluster))

    @cached_property
    def counts(self) -> FloatArray:
        """(models, models): how often two models were compared."""
        each = np.zeros((self.models, self.models))
        np.add.at(each, (self.first, self.second), 1.0)
        return each + each.T

    @cached_property
    def wins(self) -> FloatArray:
        """(models, models): how often the first won against the second, ties as half."""
        each = np.zeros((self.models, self.models))
        np.add.at(each, (self.first, self.second), self.won)
        np.add.at(each, (self.second, self.first), 1 - self.won)
        return each

    @cached_property
    def groups(self) -> IntArray:
        """(models,): models have the same number if they were compared with each other, if only through others."""
        return np.unique(_reached(self.counts > 0), axis=0, return_inverse=True)[1].reshape(-1)

    def among(self, kept: BoolArray) -> "Votes":
        """The votes on pairs of these models, which are numbered anew."""
        place, inside = np.cumsum(kept) - 1, kept[self.first] & kept[self.second]
        pairs = place[self.first[inside]], place[self.second[inside]]
        return Votes(int(kept.sum()), *pairs, self.won[inside], self.cluster[inside])


@dataclass(frozen=True, eq=False)
class Strengths:
    """Strengths of models that were all compared, if only through others."""

    votes: Votes
    value: FloatArray  # (models,): their mean is 0
    covariance: FloatArray  # (models, models): robust
    naive: FloatArray  # (models, models): the covariance if the model were right and votes independent

    def variance(self, left: IntArray, right: IntArray) -> FloatArray:
        """(pairs,): of the difference between two strengths."""
        return _of_differences(self.covariance, left, right)

    def differences(
        self, left: IntArray, right: IntArray, level: float, comparisons: int = 1
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(pairs,): the strength of the left model minus that of the right one, with its interval.

        An end is infinite where the votes set no bound: against a model that lost all of its votes, any strength is
        possible. The error rate is shared among `comparisons` (Bonferroni).
        """
        value = self.value[left] - self.value[right]
        half = student_quantile(level, max(2, self.votes.clusters), comparisons) * np.sqrt(self.variance(left, right))
        low = np.where(self._won_or_tied[left, right], value - half, -np.inf)
        return value, low, np.where(self._won_or_tied[right, left], value + half, np.inf)

    @cached_property
    def _won_or_tied(self) -> BoolArray:
        """(models, models): whether the first won or tied against the second, if only through others."""
        return _reached(self.votes.wins > 0)


def fit_strengths(votes: Votes) -> Strengths:
    """Fit by Newton's method; all models must have been compared with each other, if only through others."""
    counts, wins, strength = votes.counts, votes.wins, np.zeros(votes.models)
    for _ in range(STEPS):
        chance = win_chance(strength[:, None] - strength[None, :])
        leverage, _ = _leverage(counts, chance)
        # Firth's penalty is worth `leverage` votes, half of them won, for each vote
        gradient = (wins - counts * chance + counts * leverage * (0.5 - chance)).sum(axis=1)
        step = _bread(counts, chance, leverage) @ gradient  # without these votes, twice too far for one
        strength = strength + step * min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < CLOSE:
            break
    chance = win_chance(strength[:, None] - strength[None, :])
    leverage, inverse = _leverage(counts, chance)
    bread = _bread(counts, chance, leverage)
    guard = _laplacian(counts * leverage * (chance**2 + (1 - chance) ** 2) / 2)
    few = votes.clusters / max(votes.clusters - 1, 1)
    covariance = bread @ (few * _meat(votes, chance) + guard) @ bread
    return Strengths(votes, strength - strength.mean(), covariance, inverse)


def win_shares(votes: Votes, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(models,): the share of its votes that a model won, ties as half, with its interval; nan without a vote."""
    total, won = votes.counts.sum(axis=1), votes.wins.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = won / total
        apart = _by_cluster(votes, votes.won - share[votes.first], 1 - votes.won - share[votes.second])
        samples = np.asarray(_by_cluster(votes, *np.ones((2, len(votes.won)))).getnnz(axis=0), dtype=np.float64)
        variance = np.asarray(apart.power(2).sum(axis=0)).reshape(-1) / total**2 * samples / (samples - 1)
        size = np.where(variance > 0, share * (1 - share) / variance, samples)
    low, high = mid_p_interval(share, size, student_quantile(level, np.maximum(samples, 2)))
    return share, low, high


def _meat(votes: Votes, chance: FloatArray) -> FloatArray:
    """(models, models): the sum over samples of the squared gradient of their votes."""
    off = votes.won - chance[votes.first, votes.second]
    each = _by_cluster(votes, off, -off)
    return np.asarray((each.T @ each).toarray())


def _by_cluster(votes: Votes, of_first: FloatArray, of_second: FloatArray) -> Any:
    """(clusters, models), sparse: sums of what each vote says about its two models."""
    rows, columns = np.tile(votes.cluster, 2), np.concatenate([votes.first, votes.second])
    values = np.concatenate([of_first, of_second])
    return scipy.sparse.coo_matrix((values, (rows, columns)), (int(votes.cluster.max()) + 1, votes.models)).tocsr()


def _leverage(counts: FloatArray, chance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(models, models): the leverage of one vote on a pair, and the inverse of the information."""
    weight = chance * (1 - chance)
    inverse = np.asarray(np.linalg.pinv(_laplacian(counts * weight), hermitian=True), dtype=np.float64)
    spread = np.diag(inverse)[:, None] + np.diag(inverse)[None, :] - 2 * inverse
    return weight * spread, inverse


def _bread(counts: FloatArray, chance: FloatArray, leverage: FloatArray) -> FloatArray:
    """(models, models): the inverse of the information, with the votes that Firth's penalty is worth."""
    information = _laplacian(counts * (1 + leverage) * chance * (1 - chance))
    return np.asarray(np.linalg.pinv(information, hermitian=True), dtype=np.float64)


def _laplacian(weight: FloatArray) -> FloatArray:
    return np.asarray(np.diag(weight.sum(axis=1)) - weight)


def _of_differences(covariance: FloatArray, left: IntArray, right: IntArray) -> FloatArray:
    found = covariance[left, left] + covariance[right, right] - 2 * covariance[left, right]
    return np.asarray(np.maximum(found, 0.0))


def win_chance(log_odds: FloatArray) -> FloatArray:
    """The expected share of wins at a difference of strengths; 0 or 1 where that is infinite."""
    return np.asarray(scipy.special.expit(log_odds))


def _reached(edges: BoolArray) -> BoolArray:
    """(models, models): whether a path leads from the first to the second; each reaches itself."""
    found = edges | np.eye(len(edges), dtype=bool)
    while True:
        wider = (found.astype(np.float64) @ found) > 0
        if (wider == found).all():
            return found
        found = wider
