"""Exact McNemar test and score interval for the paired difference of two models in a finite set of samples.

References
----------
McNemar (1947), Note on the sampling error of the difference between correlated proportions or percentages.
Psychometrika 12(2). https://doi.org/10.1007/BF02295996
Tango (1998), Equivalence test and confidence interval for the difference in proportions for the paired-sample design.
Statistics in Medicine 17(8).
"""

from functools import cache
from math import inf

import numpy as np
import scipy  # a part of it is imported where it is first used

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.inference.intervals import normal_quantile

EXACT = 200  # draws up to which the interval is exact, by adding up the chances of all outcomes
NUISANCES = 24  # values of the nuisance parameter (flips against the difference) that are tried for each difference
TABLE = 2**20  # numbers below which logarithms of factorials are looked up
STEPS = 60  # of bisection: more than the bits of a float


def exact_mcnemar(wins: int, losses: int, drawn: int, size: int) -> float:
    """The two-sided p-value of a split of flips, if each model wins equally many of the `size` samples.

    A flip (discordant pair) is a sample on which exactly one model is right. The test is exact and conditional on the
    number of flips (McNemar, 1947). Draws are without replacement, so the split is hypergeometric; all samples that
    were not drawn are taken for flips, which makes the test conservative. Without a flip the p-value is 1; it is 0
    where the samples left cannot even out the split.

    >>> round(exact_mcnemar(8, 1, 9, 10**6), 4), exact_mcnemar(0, 0, 50, 60), exact_mcnemar(3, 1, 10, 10)
    (0.0391, 1.0, 0.0)
    """
    flips, more = wins + losses, max(wins, losses)
    if wins == losses:
        return 1.0
    if abs(wins - losses) > size - drawn:
        return 0.0
    most = flips + size - drawn
    counts = np.arange(more, flips + 1)
    chances = [
        np.exp(log_binomial(half, counts) + log_binomial(most - half, flips - counts) - log_binomial(most, flips)).sum()
        for half in {most // 2, (most + 1) // 2}
    ]
    return min(1.0, 2 * float(max(chances)))


def paired_interval(wins: int, losses: int, drawn: int, size: int, level: float) -> tuple[float, float]:
    """The interval of (wins - losses) / size in a set of `size` samples, of which `drawn` were drawn uniformly.

    The score interval of Tango (1998) with a finite-population correction. Up to 200 draws it is made exact: widened
    until the chance of an outcome with as extreme a score is small enough for every number of flips, since the score
    interval itself holds its level on average only. It contains zero wherever the exact McNemar test does not reject.

    >>> [round(end, 3) for end in paired_interval(8, 1, 10, 1000, 0.95)], paired_interval(0, 0, 0, 10, 0.95)
    ([0.087, 0.956], (-1.0, 1.0))
    """
    low = _lower(wins, losses, drawn, size, level)
    high = -_lower(losses, wins, drawn, size, level)
    if exact_mcnemar(wins, losses, drawn, size) > 1 - level:
        return min(low, 0.0), max(high, 0.0)
    return low, high


def _lower(wins: int, losses: int, drawn: int, size: int, level: float) -> float:
    surplus, open_samples = wins - losses, size - drawn
    if drawn in (0, size):
        return float(surplus - open_samples) / max(size, 1)
    left = open_samples / (size - 1)  # finite-population correction
    low, high, quantile = -1.0, surplus / drawn, normal_quantile(level)
    for _ in range(STEPS):
        middle = (low + high) / 2
        too_low = tango_score(np.array([wins]), np.array([losses]), drawn, middle, left)[0] > quantile
        low, high = (middle, high) if too_low else (low, middle)
    possible, accepted = surplus - open_samples, max(int(np.ceil(low * size - 1e-9)), surplus - open_samples)
    if drawn <= EXACT:
        refused = possible - 1
        while accepted - refused > 1:
            middle_count = (accepted + refused) // 2
            if _tail(wins, losses, drawn, size, middle_count) > (1 - level) / 2:
                accepted = middle_count
            else:
                refused = middle_count
    return accepted / size


def tango_score(
    wins: IntArray, losses: IntArray, drawn: IntArray | int, difference: FloatArray | float, left: float = 1.0
) -> FloatArray:
    """Tango's score: standard errors between the split and a difference, with the constrained maximum likelihood.

    `left` is the finite-population correction of the variance.
    """
    linear = (2 * drawn - wins + losses) * difference - wins - losses
    constant = -losses * difference * (1 - difference)
    reverse = (np.sqrt(np.maximum(linear**2 - 8 * drawn * constant, 0.0)) - linear) / (4 * drawn)
    variance = drawn * left * np.maximum(2 * reverse + difference * (1 - difference), 0.0)
    distance = wins - losses - drawn * difference
    with np.errstate(divide="ignore", invalid="ignore"):
        known = np.where(np.abs(distance) < 1e-9, 0.0, np.sign(distance) * inf)
        return np.asarray(np.where(variance > 1e-12, distance / np.sqrt(variance), known))


def _tail(wins: int, losses: int, drawn: int, size: int, surplus: int) -> float:
    """The largest chance, over all numbers of flips, of a score at least as high as this one."""
    one, other = np.divmod(np.arange((drawn + 1) ** 2), drawn + 1)
    one, other = one[one + other <= drawn], other[one + other <= drawn]
    left = (size - drawn) / (size - 1)
    scores = tango_score(one, other, drawn, surplus / size, left)
    here = tango_score(np.array([wins]), np.array([losses]), drawn, surplus / size, left)[0]
    extreme = scores >= here - 1e-9
    one, other = one[extreme], other[extreme]
    same = drawn - wins - losses
    least, most = max(losses, wins - surplus, -surplus, 0), (size - surplus - same) // 2
    if least > most:
        return 0.0  # these draws are impossible in a pool with this surplus
    even, close = np.linspace(least, most, NUISANCES), least - 1 + np.geomspace(1, most - least + 1, NUISANCES)
    # the least favorable value is often close to the smallest
    reverse = np.unique(np.append(even, close).round().astype(np.int64))[:, None]
    chance = np.exp(
        log_binomial(reverse + surplus, one)
        + log_binomial(reverse, other)
        + log_binomial(size - 2 * reverse - surplus, drawn - one - other)
        - log_binomial(size, drawn)
    )
    return float(chance.sum(axis=1).max())


def log_binomial(total: IntArray | int, chosen: IntArray | int) -> FloatArray:
    """The logarithm of the binomial coefficient, -inf where it is zero."""
    total, chosen = np.asarray(total, dtype=np.int64), np.asarray(chosen, dtype=np.int64)
    inside = np.minimum(chosen, total)
    ways = _log_factorial(total) - _log_factorial(inside) - _log_factorial(total - inside)
    return np.asarray(np.where(chosen <= total, ways, -inf))


def _log_factorial(number: IntArray) -> FloatArray:
    most = int(number.max(initial=0))
    if most >= TABLE:
        return np.asarray(scipy.special.gammaln(number + 1.0))
    return np.asarray(_log_factorials(1 << most.bit_length())[number])


@cache  # one table for each power of two
def _log_factorials(count: int) -> FloatArray:
    return np.asarray(scipy.special.gammaln(np.arange(count) + 1.0))
