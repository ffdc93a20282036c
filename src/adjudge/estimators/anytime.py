"""Intervals that hold at all times at once, so that one may stop when the numbers please.

A gambler bets on each draw against a candidate mean. If the candidate is the true one, no bet makes money on average,
so a candidate against which some gambler got rich is ruled out (Waudby-Smith and Ramdas, 2020 and 2024). The candidate
fixes what the open samples hold on average, so draws without replacement need nothing else.
"""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray
from adjudge.estimators.comparison import TINY, Interval
from adjudge.estimators.draws import Draws
from adjudge.estimators.parts import Part, ratio
from adjudge.estimators.pool import PoolMean

STAKES = (0.9, 0.5, 0.25, 0.12, 0.06, 0.03)  # shares of the largest bet that cannot ruin; a gambler for each
HALVINGS = 24  # of the range of candidates
CELLS = 1 << 18  # draws looked at together
Ends = tuple[FloatArray, FloatArray]


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

    @property
    def possible(self) -> Ends:
        """(quantities,): the lowest and the highest mean that the open samples leave possible."""
        return (self.total + self.lowest * self.left) / self.draws.size, (self.total + self.left) / self.draws.size

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
            worst = np.where(draws.even, room, expected - least * draws.most)
            gain = np.where(draws.even, plain, draws.weight * value - expected)
            # without the largest weight no bet of this kind is safe, so none is made
            gains.append(np.nan_to_num(gain / np.maximum(worst, TINY), nan=0.0))
        return np.array([np.log1p(stake * gain) for gain in gains for stake in STAKES])

    def ends(self, threshold: float) -> Ends:
        """(quantities,): the range of candidates against which nobody got rich; wealth is monotone in the candidate."""
        lowest, highest = self.possible
        return self._end(lowest, highest, 1, threshold), self._end(highest, lowest, -1, threshold)

    def _end(self, out: FloatArray, far: FloatArray, side: int, threshold: float) -> FloatArray:
        for _ in range(HALVINGS):
            middle = (out + far) / 2
            ruled_out = self.wealth(middle, side) >= threshold
            out, far = np.where(ruled_out, middle, out), np.where(ruled_out, far, middle)
        return out


@dataclass(frozen=True, eq=False)
class AnyTime:
    """Losses and differences that hold whenever one stops, differences for all pairs at once (Bonferroni)."""

    mean: PoolMean
    level: float
    comparisons: int  # pairs

    def errors(self, comparisons: int = 1) -> Interval:
        """(models,): losses over the pool; sums over parts, each of which holds with its share of the confidence."""
        mean, every = self.mean, np.arange(len(self.mean.open_samples))
        skips = bool((mean.known.said.sum(axis=0) == 0).any())
        threshold = self._threshold(comparisons * self._drawn * (1 + skips))
        low, high = self._sums(mean.known.losses, every, None, threshold)
        least = most = mean.said
        if skips:  # how many samples can be labeled is not known either
            least, most = self._sums(mean.known.said.astype(np.float64), every, None, threshold)
            most = np.minimum(most, mean.known.said.sum(axis=1) + mean.open_samples)
        low, high = ratio(low, most), ratio(high, least)
        error, low, high = mean.within(mean.error, np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0))
        return np.clip(error, low, high), low, high

    def between(self, left: Array, right: Array) -> Interval:
        shape = len(left), len(right)
        low, high = (end.reshape(shape) for end in self._difference(*_pairs(left, right)))
        return np.clip(self.mean.differences(left, right, self.level)[0], low, high), low, high

    def worse(self, left: Array, right: Array) -> BoolArray:
        """Only zero is tried as a candidate where that will do: much quicker than to look for the ends."""
        one, other = _pairs(left, right)
        differ = np.array([group[one] != group[other] for group in self.mean.alike])
        parts = [part for part, apart in zip(self.mean.parts, differ, strict=True) if apart.any()]
        if not self._complete or len(parts) != 1 or not parts[0].drawn:
            return np.asarray(self._difference(one, other)[0] > TINY).reshape(len(left), len(right))
        part, losses = parts[0], self.mean.known.losses
        known = np.sum([each.known_wrong for each in self.mean.parts], axis=0)
        zero, worse = -(known[one] - known[other]) / part.draws.size, np.zeros(len(one), dtype=bool)
        for rows in _chunks(len(one), part):
            stream = stream_of(self.mean, part, losses, one[rows], other[rows])
            low, high = stream.possible
            rich = stream.wealth(np.clip(zero[rows], low, high), 1) >= self._threshold(self.comparisons)
            worse[rows] = (rich & (zero[rows] >= low)) | (zero[rows] < low - TINY)
        return np.asarray(worse & differ.any(axis=0)).reshape(len(left), len(right))

    @property
    def _drawn(self) -> int:
        return max(1, sum(part.drawn for part in self.mean.parts))

    @property
    def _complete(self) -> bool:
        """Whether every model can be judged on every sample."""
        return bool(self.mean.known.said.all() and (self.mean.said == self.mean.predictions.values.shape[1]).all())

    def _threshold(self, comparisons: int) -> float:
        return float(np.log(2 * comparisons / (1 - self.level)))

    def _difference(self, one: Array, other: Array) -> Ends:
        """(pairs,): the ends of the difference between losses."""
        mean = self.mean
        if not self._complete:
            _, low, high = self.errors(2 * self.comparisons)
            return low[one] - high[other], high[one] - low[other]
        # where all models say the same, there is nothing that could be missed
        differ = sum(part.drawn and bool(np.ptp(group)) for part, group in zip(mean.parts, mean.alike, strict=True))
        low, high = self._sums(mean.known.losses, one, other, self._threshold(self.comparisons * max(1, differ)))
        samples = mean.predictions.values.shape[1]
        return low / samples, high / samples

    def _sums(self, rows: FloatArray, one: Array, other: Array | None, threshold: float) -> Ends:
        """(quantities,): the ends of sums over the pool of (models, log rows), or of differences between two models."""
        low, high = np.zeros(len(one)), np.zeros(len(one))
        for part, group in zip(self.mean.parts, self.mean.alike, strict=True):
            known = rows[:, : part.draws.start] @ part.draws.inside[: part.draws.start]
            known = known[one] if other is None else known[one] - known[other]
            least, most = np.full(len(one), 0.0 if other is None else -1.0), np.ones(len(one))
            open_here = True if other is None else group[one] != group[other]
            if part.drawn and np.any(open_here):
                for chunk in _chunks(len(one), part):
                    right = None if other is None else other[chunk]
                    stream = stream_of(self.mean, part, rows, one[chunk], right)
                    least[chunk], most[chunk] = stream.ends(threshold)
            low += known + np.where(open_here, part.draws.size * least, 0.0)
            high += known + np.where(open_here, part.draws.size * most, 0.0)
        return low, high


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


def _pairs(left: Array, right: Array) -> tuple[Array, Array]:
    return np.repeat(left, len(right)), np.tile(right, len(left))


def _chunks(quantities: int, part: Part) -> list[slice]:
    step = max(1, CELLS // len(part.draws.rows))
    return [slice(start, start + step) for start in range(0, quantities, step)]
