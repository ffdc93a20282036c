"""Bets on draws, which rule out what gamblers got rich by betting against.

A gambler bets on each draw against a candidate mean. If the candidate is the true one, no bet makes money on average,
so a candidate against which some gambler got rich is ruled out (Waudby-Smith and Ramdas, 2020 and 2024). The candidate
fixes what the open samples hold on average, so draws without replacement need nothing else.
"""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray
from adjudge.inference.draws import Draws
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.ranks import TINY
from adjudge.inference.stratum import Part

# shares of the largest bet that cannot ruin, a gambler for each; the last keeps what is won elsewhere
STAKES = (0.9, 0.5, 0.25, 0.12, 0.06, 0.03, 0.0)
HALVINGS = 24  # of the range of candidates


@dataclass(frozen=True, eq=False)
class Stream:
    """Draws of some quantities from a part: losses in [0, 1], or differences in [-1, 1].

    Two models that say the same do not differ, whatever the label: the samples on which they do not are those that
    count. For a loss, all count.
    """

    value: FloatArray  # (quantities, draws)
    before: FloatArray  # (quantities, draws): sums of what was known at each draw, from the first on
    total: FloatArray  # (quantities,): sums of all that is known now, from the first draw on
    counts: BoolArray  # (quantities, draws): whether the sample does
    reach: FloatArray  # (quantities, draws): the share of the open samples that do
    left: FloatArray  # (quantities,): open samples that do
    draws: Draws
    lowest: float  # 0 or -1

    def possible(self, side: int) -> tuple[FloatArray, FloatArray]:
        """(quantities,): the lowest (1) or the highest (-1) mean that open samples leave possible, and the other."""
        ends = self.total + self.lowest * self.left, self.total + self.left
        near, far = (each / self.draws.size for each in ends[::side])
        return near, far

    def wealth(self, candidate: FloatArray, side: int) -> FloatArray:
        """(quantities,): log of what gamblers made by betting that the mean is above (1) or below (-1) a candidate."""
        return _pooled(self._bets(candidate, side).sum(axis=2))

    def wealth_along(self, candidate: FloatArray, side: int) -> FloatArray:
        """(quantities, draws): the same after each draw."""
        return _pooled(np.cumsum(self._bets(candidate, side), axis=2))

    def _bets(self, candidate: FloatArray, side: int) -> FloatArray:
        """(gamblers, quantities, draws): logs of what each draw did to the money of a gambler.

        Draws with equal chances are bet on where the sample counts. With weights, one kind of gambler bets on what a
        value is above the lowest possible one: it cannot lose more than is expected of that, whatever the weights. The
        other bets on the value itself, which varies less, but stakes little where weights may be large.
        """
        draws, value, reach = self.draws, side * self.value, self.reach
        least = self.lowest if side > 0 else -1.0
        expected = (draws.size * candidate[:, None] - self.before) / draws.rest
        expected = side * np.clip(expected, self.lowest * reach, reach)
        room = expected - least * reach
        plain = np.where(self.counts, reach * value - expected, 0.0)
        gain = np.where(draws.even, plain, draws.weight * (value - least * self.counts) - room)
        gains = [gain / np.maximum(room, TINY)]
        if least < 0 and not draws.even.all():
            worst = np.where(draws.even, room, expected - least * draws.max_weight)
            gain = np.where(draws.even, plain, draws.weight * value - expected)
            # without the largest weight no bet of this kind is safe, so none is made
            gains.append(np.nan_to_num(gain / np.maximum(worst, TINY), nan=0.0))
        return np.array([np.log1p(stake * gain) for gain in gains for stake in STAKES])

    def end(self, side: int, threshold: float) -> FloatArray:
        """(quantities,): the lowest (1) or the highest (-1) sum against which nobody got rich.

        Wealth is monotone in the candidate.
        """
        out, far = self.possible(side)
        for _ in range(HALVINGS):
            middle = (out + far) / 2
            ruled_out = self.wealth(middle, side) >= threshold
            out, far = np.where(ruled_out, middle, out), np.where(ruled_out, far, middle)
        return self.draws.size * out


def _pooled(logs: FloatArray) -> FloatArray:
    """What all gamblers have together, if each began with the same; they come first."""
    return np.asarray(np.logaddexp.reduce(logs, axis=0) - np.log(len(logs)))


def stream_of(mean: PoolMean, part: Part, rows: FloatArray, one: Array, other: Array | None = None) -> Stream:
    """Losses of some models (log rows), or differences between them and others, as they were drawn from a part."""
    draws, answers = part.draws, mean.answers
    each = rows[one] if other is None else rows[one] - rows[other]
    counts = np.ones(each.shape, dtype=bool) if other is None else answers[one] != answers[other]
    inside = draws.inside.astype(np.int64)  # the product of two truth values is no count
    earlier, later = inside[: draws.start], inside[draws.start :]
    at_first = np.full(len(one), draws.size)
    if other is not None:
        at_first = mean.apart(part, one, other) - counts[:, : draws.start] @ earlier
    return Stream(
        value=each[:, draws.rows],
        before=draws.before(each),
        total=each[:, draws.start :] @ later,
        counts=counts[:, draws.rows],
        reach=(at_first[:, None] - draws.before(counts)) / draws.rest,
        left=at_first - counts[:, draws.start :] @ later,
        draws=draws,
        lowest=0.0 if other is None else -1.0,
    )
