"""Betting confidence sequences for means of finite strata.

For each candidate mean, bets on the draws give a wealth process. If the candidate is the true mean, the wealth is a
nonnegative martingale (an e-process), so by Ville's inequality it exceeds 1 / alpha with a chance of at most alpha at
any time: a candidate whose wealth does is rejected. The candidate fixes the mean of the open samples, so that draws
without replacement need no other correction.

References
----------
Waudby-Smith and Ramdas (2020), Confidence sequences for sampling without replacement. NeurIPS 33.
Waudby-Smith and Ramdas (2024), Estimating means of bounded random variables by betting. JRSS-B 86(1).
https://doi.org/10.1093/jrsssb/qkad009
"""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray
from adjudge.inference.draws import Draws
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.ranks import TINY
from adjudge.inference.stratum import StratumMean

# of the largest bet that keeps the wealth positive; the wealth is the mean over all fractions, and a fraction of zero
# keeps what was won in another stratum
BETTING_FRACTIONS = (0.9, 0.5, 0.25, 0.12, 0.06, 0.03, 0.0)
BISECTIONS = 24  # of the range of candidates


@dataclass(frozen=True, eq=False)
class EProcess:
    """Draws of some quantities from a stratum, losses in [0, 1] or differences in [-1, 1], and bets on them.

    Two models whose predictions are equal have a difference of zero, whatever the label: for a difference, only the
    samples on which the predictions differ count. For a loss, all samples count.
    """

    value: FloatArray  # (quantities, draws)
    before: FloatArray  # (quantities, draws): sum of the values known at each draw, since the first draw
    total: FloatArray  # (quantities,): sum of all values known now, since the first draw
    counts: BoolArray  # (quantities, draws): whether the sample counts
    reach: FloatArray  # (quantities, draws): the share of the open samples that count
    left: FloatArray  # (quantities,): open samples that count
    draws: Draws
    lowest: float  # 0 or -1

    def possible(self, side: int) -> tuple[FloatArray, FloatArray]:
        """(quantities,): the lowest and the highest mean that the open samples leave possible; side -1: in reverse."""
        ends = self.total + self.lowest * self.left, self.total + self.left
        near, far = (each / self.draws.size for each in ends[::side])
        return near, far

    def log_wealth(self, candidate: FloatArray, side: int) -> FloatArray:
        """(quantities,): log wealth after all draws of bets that the mean is above (1) or below (-1) a candidate."""
        return _mixture(np.log(self._factors(candidate, side)).sum(axis=1))

    def log_wealth_path(self, candidate: FloatArray, side: int) -> FloatArray:
        """(quantities, draws): the same after each draw."""
        return _mixture(np.cumsum(np.log(self._factors(candidate, side)), axis=1)).T

    def peak_log_wealth(self, candidate: FloatArray, side: int) -> FloatArray:
        """(quantities,): the largest of these: a candidate that was rejected once stays rejected.

        Products take a tenth of the time that sums of logarithms do. A wealth too small for a float becomes zero, which
        rejects less; one too large is infinite, and rejected anyway.
        """
        factors = self._factors(candidate, side)
        with np.errstate(over="ignore"):
            wealth = np.cumprod(factors, axis=1, out=factors).mean(axis=0)
        return np.asarray(np.log(wealth.max(axis=0, initial=1.0)))

    def _factors(self, candidate: FloatArray, side: int) -> FloatArray:
        """(bets, draws, quantities): the factors by which each draw multiplies the wealth of each bet.

        Draws with equal chances are bet on where the sample counts. For weighted draws there are two kinds of bets.
        The first is on the weighted distance of the value from the lowest possible one, which is never negative, so
        that the loss is bounded whatever the weights are. The second is on the weighted value itself, which varies
        less, but its size must be small where weights may be large.
        """
        draws, value, reach = self.draws, side * self.value, self.reach
        least = self.lowest if side > 0 else -1.0
        expected = (draws.size * candidate[:, None] - self.before) / draws.n_open
        expected = side * np.clip(expected, self.lowest * reach, reach)
        room = expected - least * reach
        plain = np.where(self.counts, reach * value - expected, 0.0)
        gain = np.where(draws.uniform, plain, draws.weight * (value - least * self.counts) - room)
        gains = [gain / np.maximum(room, TINY)]
        if least < 0 and not draws.uniform.all():
            worst = np.where(draws.uniform, room, expected - least * draws.max_weight)
            gain = np.where(draws.uniform, plain, draws.weight * value - expected)
            # where the largest possible weight is not known, no bet of this kind is safe, so none is made
            stake = gain / np.maximum(worst, TINY)
            gains.append(np.where(np.isnan(stake), 0.0, stake))
        factors = np.concatenate([np.multiply.outer(BETTING_FRACTIONS, gain.T) for gain in gains])
        factors += 1.0
        return factors

    def bound(self, side: int, threshold: FloatArray | float) -> FloatArray:
        """(quantities,): the lowest (1) or the highest (-1) sum that is not rejected, by bisection.

        The wealth is monotone in the candidate.
        """
        out, far = self.possible(side)
        for _ in range(BISECTIONS):
            middle = (out + far) / 2
            rejected = self.peak_log_wealth(middle, side) >= threshold
            out, far = np.where(rejected, middle, out), np.where(rejected, far, middle)
        return self.draws.size * out


def _mixture(logs: FloatArray) -> FloatArray:
    """The log of the mean wealth over all bets, which are the first axis."""
    return np.asarray(np.logaddexp.reduce(logs, axis=0) - np.log(len(logs)))


def e_process(
    mean: PoolMean, stratum: StratumMean, rows: FloatArray, one: Array, other: Array | None = None
) -> EProcess:
    """Bets on the losses of some models, or on their differences to others, as they were drawn from a stratum.

    `rows` is (models, log rows); `one` and `other` are positions of models.
    """
    draws, answers = stratum.draws, mean.predicted
    each = rows[one] if other is None else rows[one] - rows[other]
    counts = np.ones(each.shape, dtype=bool) if other is None else answers[one] != answers[other]
    inside = draws.inside.astype(np.int64)  # counts, not truth values, in the products below
    earlier, later = inside[: draws.start], inside[draws.start :]
    at_first = np.full(len(one), draws.size)
    if other is not None:
        at_first = mean.disagreements(stratum, one, other) - counts[:, : draws.start] @ earlier
    return EProcess(
        value=each[:, draws.rows],
        before=draws.before(each),
        total=each[:, draws.start :] @ later,
        counts=counts[:, draws.rows],
        reach=(at_first[:, None] - draws.before(counts)) / draws.n_open,
        left=at_first - counts[:, draws.start :] @ later,
        draws=draws,
        lowest=0.0 if other is None else -1.0,
    )
