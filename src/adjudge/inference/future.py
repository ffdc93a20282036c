"""Intervals for future data: what samples that are all labeled say about the population they came from.

Once every sample of a pool is labeled, its values are exact, about these samples. New data of the same kind (more
independent draws from the same population) will give other values; how far off is ordinary inference from a sample.

References
----------
Tango (1998), Equivalence test and confidence interval for the difference in proportions for the paired-sample design.
Statistics in Medicine 17(8).
"""

from dataclasses import dataclass

import numpy as np
import scipy  # a part of it is imported where it is first used

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate
from adjudge.inference.clusters import Clusters, widened
from adjudge.inference.intervals import guard_size, guarded_variance, mid_p_interval, normal_quantile, student_quantile
from adjudge.inference.mcnemar import EXACT, NUISANCES, STEPS, tango_score
from adjudge.inference.stratum import known_losses, ratio
from adjudge.inference.weighted import MIN_LABELS_UNBOUNDED
from adjudge.losses.loss import Loss, reported_interval

SURE = 1e-9  # smallest flip probability tried; at 0, an observed flip would be impossible


@dataclass(frozen=True, eq=False)
class FutureIntervals:
    """What to expect of each model on future data of the same kind, from a pool that is labeled to the last sample."""

    estimate: Estimate  # the values on the pool, with intervals for future data
    difference_to_leader: Estimate  # value of the leader minus that of each, on the samples that both predicted
    leader: int
    samples: IntArray  # (models,): on which each was judged

    @property
    def half_width(self) -> FloatArray:
        """(models,): half the width of the intervals, the "+-" of a sentence."""
        return np.asarray((self.estimate.high - self.estimate.low) / 2)

    def ends(self, model: int) -> dict[str, float | None]:
        """The interval of one model as plain types, for JSON; None where nothing is known."""
        found = {name: float(getattr(self.estimate, name)[model]) for name in ("low", "high")}
        return {name: None if np.isnan(end) else end for name, end in found.items()}


def future_intervals(
    predictions: Predictions,
    labels: Labels,
    loss: Loss,
    level: float = 0.95,
    *,
    leader: int | None = None,
    clusters: Clusters | None = None,
) -> FutureIntervals | None:
    """What to expect of each model on future data; None while a sample is open.

    `leader` is the model that the others are compared with, the one with the highest value if none is given. Each
    interval holds by itself. Samples have to be independent, or those of different clusters: ten rows of one document
    tell little more than one.

    >>> from adjudge.losses.loss import ZeroOne
    >>> pool = Predictions(np.array([[0] * 95 + [1] * 5, [0] * 80 + [1] * 20]), ("a", "b"), range(100), ("x", "y"))
    >>> found = future_intervals(pool, Labels.complete(np.zeros(100)), ZeroOne())
    >>> found.estimate.value.tolist(), found.estimate.low.round(2).tolist(), found.estimate.high.round(2).tolist()
    ([0.95, 0.8], [0.89, 0.71], [0.98, 0.87])
    >>> found.difference_to_leader.low.round(2).tolist()
    [0.0, 0.09]
    """
    if np.count_nonzero(labels.answered) < labels.pool:
        return None
    known = known_losses(predictions, labels, loss)
    error = ratio(known.losses.sum(axis=1), known.observed.sum(axis=1))
    low, high = future_means(known.losses, known.observed, level)
    few = (known.observed.sum(axis=1) < MIN_LABELS_UNBOUNDED) & (not loss.bounded)
    low, high = np.where(few, np.nan, low), np.where(few, np.nan, high)
    first = int(np.nanargmin(error)) if leader is None and not np.isnan(error).all() else leader or 0
    apart, lower, upper = _differences(known.losses, known.observed, first, level)
    if clusters is not None:
        rows, losses, used = clusters.of_rows(labels.sample), known.losses, known.observed
        both = used & used[first]
        stretch, paired = (
            rows.stretch(rows.design_effect(each, counted), counted, level)
            for each, counted in ((losses, used), (losses - losses[first], both))
        )
        low, high = widened(error, low, high, stretch, 0.0, 1.0)
        paired[first] = 1.0
        lower, upper = widened(apart, lower, upper, paired, -1.0, 1.0)
    behind, lower, upper = (loss.max_loss * each for each in (apart, lower, upper))
    value, low, high = reported_interval(loss, (error, low, high))
    return FutureIntervals(
        Estimate(value, low, high, loss.quantity, level, lower_is_better=loss.lower_is_better),
        Estimate(behind, lower, upper, f"{loss.quantity} behind the leader", level),
        first,
        np.asarray(known.observed.sum(axis=1)),
    )


def future_means(losses: FloatArray, observed: BoolArray, level: float) -> tuple[FloatArray, FloatArray]:
    """(models,): intervals of mean losses in [0, 1], from (models, samples) of losses and whether there is one.

    The mid-p interval; for losses that are not just 0 or 1, with the effective sample size and Student's quantile.
    """
    count = observed.sum(axis=1).astype(np.float64)
    mean = ratio((losses * observed).sum(axis=1), count)
    if np.isin(losses, (0.0, 1.0)).all():
        return mid_p_interval(mean, count, normal_quantile(level))
    spread = ratio(((losses - mean[:, None]) ** 2 * observed).sum(axis=1), count - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        effective = np.where(spread > 0, count * mean * (1 - mean) / spread, count)
    return mid_p_interval(mean, effective, student_quantile(level, np.maximum(count, 2)))


def future_difference(wins: int, losses: int, count: int, level: float) -> tuple[float, float]:
    """The interval of P(win) - P(loss) from `count` independent samples, for one pair of models.

    Tango's score interval. Up to 200 samples it is made exact: widened until the chance of an outcome with as extreme a
    score is small enough for every share of flips that is tried. It contains zero wherever the exact McNemar test (the
    sign test of the flips) does not reject.

    >>> [round(end, 3) for end in future_difference(8, 1, 10, 0.95)], future_difference(0, 0, 0, 0.95)
    ([0.084, 0.956], (-1.0, 1.0))
    """
    if not count:
        return -1.0, 1.0
    low, high = _lower(wins, losses, count, level), -_lower(losses, wins, count, level)
    return (low, high) if sign_test(wins, losses) <= 1 - level else (min(low, 0.0), max(high, 0.0))


def sign_test(wins: int, losses: int) -> float:
    """The two-sided p-value of the exact McNemar test for an infinite population.

    >>> sign_test(6, 0), sign_test(3, 3)
    (0.03125, 1.0)
    """
    return min(1.0, 2 * float(scipy.special.bdtr(min(wins, losses), wins + losses, 0.5)))


def future_differences(
    wins: IntArray, losses: IntArray, count: IntArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """(pairs,): score intervals of many pairs at once, which hold their level on average, not for each share of flips.

    Without a common sample, anything is possible.
    """
    some = np.maximum(count, 1)
    low, high = _score_lower(wins, losses, some, level), -_score_lower(losses, wins, some, level)
    return np.where(count > 0, low, -1.0), np.where(count > 0, high, 1.0)


def mean_difference_interval(
    mean: FloatArray, spread: FloatArray, size: FloatArray, count: IntArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """(pairs,): Student intervals of mean paired differences, with two guarding draws (see `guarded_variance`)."""
    half = student_quantile(level, np.maximum(count, 2)) * np.sqrt(
        guarded_variance(mean, spread, size, np.maximum(count, 1), 1 / np.maximum(count, 1))
    )
    return np.clip(mean - half, -1.0, 1.0), np.clip(mean + half, -1.0, 1.0)


def _differences(
    losses: FloatArray, observed: BoolArray, leader: int, level: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(models,): how much more each model loses than the leader where both are judged, with its interval."""
    both = observed & observed[leader]
    gain, count = np.where(both, losses - losses[leader], 0.0), both.sum(axis=1)
    mean = ratio(gain.sum(axis=1), count)
    if np.isin(losses, (0.0, 1.0)).all():
        low, high = future_differences((gain > 0).sum(axis=1), (gain < 0).sum(axis=1), count, level)
    else:
        spread = ratio(((gain - mean[:, None]) ** 2 * both).sum(axis=1), count - 1)
        low, high = mean_difference_interval(mean, spread, guard_size(gain), count, level)
    itself = np.arange(len(mean)) == leader
    return mean, np.where(itself, 0.0, low), np.where(itself, 0.0, high)


def _lower(wins: int, losses: int, count: int, level: float) -> float:
    accepted = float(_score_lower(np.array([wins]), np.array([losses]), np.array([count]), level)[0])
    if count > EXACT:
        return accepted
    refused = -1.0
    outcome = _Outcomes.of(count)
    for _ in range(STEPS // 2):
        middle = (accepted + refused) / 2
        if outcome.tail(wins, losses, middle) > (1 - level) / 2:
            accepted = middle
        else:
            refused = middle
    return accepted


def _score_lower(wins: IntArray, losses: IntArray, count: IntArray, level: float) -> FloatArray:
    low, high, quantile = np.full(len(wins), -1.0), (wins - losses) / count, normal_quantile(level)
    for _ in range(STEPS):
        middle = (low + high) / 2
        too_low = tango_score(wins, losses, count, middle) > quantile
        low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
    return low


@dataclass(frozen=True, eq=False)
class _Outcomes:
    """Every outcome of `samples`, and the logarithm of the number of orders in which it may come."""

    count: int
    wins: IntArray
    losses: IntArray
    ways: FloatArray

    @classmethod
    def of(cls, count: int) -> "_Outcomes":
        wins, losses = np.divmod(np.arange((count + 1) ** 2), count + 1)
        wins, losses = wins[wins + losses <= count], losses[wins + losses <= count]
        each = (
            scipy.special.gammaln(wins + 1.0)
            + scipy.special.gammaln(losses + 1.0)
            + scipy.special.gammaln(count - wins - losses + 1.0)
        )
        return cls(count, wins, losses, scipy.special.gammaln(count + 1.0) - each)

    def tail(self, wins: int, losses: int, difference: float) -> float:
        """The largest chance, over all shares of flips, of a score at least as high as that of this outcome."""
        scores = tango_score(self.wins, self.losses, self.count, difference)
        here = tango_score(np.array([wins]), np.array([losses]), self.count, difference)[0]
        extreme = scores >= here - 1e-9
        least, most = max(0.0, -difference), (1 - difference) / 2
        even, close = (
            np.linspace(least, most, NUISANCES),
            least + np.geomspace(SURE, max(most - least, SURE), NUISANCES),
        )
        against = np.append(even, close)[:, None]  # the least favorable share is often close to the smallest
        chance = np.exp(
            self.ways[extreme]
            + scipy.special.xlogy(self.wins[extreme], np.maximum(against + difference, 0.0))
            + scipy.special.xlogy(self.losses[extreme], against)
            + scipy.special.xlogy(
                (self.count - self.wins - self.losses)[extreme], np.maximum(1 - difference - 2 * against, 0.0)
            )
        )
        return float(chance.sum(axis=1).max())
