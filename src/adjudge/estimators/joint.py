"""Bets on two parts of the pool at once: sums over both against which nobody got rich.

Money that was won on the draws of one part is bet on those of the other, so what gamblers have is the product of what
they made against a candidate for each part. A sum is ruled out where all pairs of candidates are that add up to it
(Spertus and Stark, 2022).
"""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.estimators.bets import Ends, Stream

LOOKS = np.geomspace(1e-6, 1.0, 32)  # at candidates, as shares of the way from the nearest to the farthest
BETWEEN = 8  # points for each of these, by interpolation


@dataclass(frozen=True, eq=False)
class Curve:
    """What was made by betting against candidates for one sum over a part, from the nearest to the farthest: it falls.

    Steps are by logarithms, since all of a fall may be in the first thousandth of the way.
    """

    near: float
    far: float
    step: FloatArray  # (points,): logarithms of shares of the way
    wealth: FloatArray  # (points,)
    least: float  # wealth against the farthest

    def at(self, step: FloatArray) -> FloatArray:
        return self.near + (self.far - self.near) * np.exp(step)

    def nearest(self, wealth: FloatArray) -> FloatArray:
        """The nearest candidates against which less was made; the nearest of all where that may be before the steps."""
        found = self.at(np.interp(-wealth, -self.wealth, self.step, left=-np.inf))
        return np.where(wealth > self.least, found, np.inf)


def ends_of_sum(one: Stream, other: Stream, threshold: float) -> Ends:
    """(quantities,): the lowest and the highest sum over two parts that is not ruled out."""
    low, high = (_nearest_sums(one, other, side, threshold) for side in (1, -1))
    return low, -high


def _nearest_sums(one: Stream, other: Stream, side: int, threshold: float) -> FloatArray:
    both = zip(_curves(one, side, threshold), _curves(other, side, threshold), strict=True)
    return np.array([_nearest_sum(*curves, threshold) for curves in both])


def _nearest_sum(one: Curve, other: Curve, threshold: float) -> float:
    # before the first step no less was made than there, and after the last no less than against the farthest
    candidates = np.concatenate([[one.near], one.at(one.step), one.at(one.step[-1:])])
    wealth = np.concatenate([one.wealth[:1], one.wealth, [one.least]])
    return float(np.min(candidates + other.nearest(threshold - wealth), initial=one.far + other.far))


def _curves(stream: Stream, side: int, threshold: float) -> list[Curve]:
    """One for each quantity, seen from close by where the wealth is not far from the threshold."""
    near, far = stream.possible[::side]

    def wealth(steps: FloatArray) -> FloatArray:
        return np.array([stream.wealth(near + (far - near) * each, side) for each in steps])

    first_look = wealth(np.tile(LOOKS[:, None], len(near)))
    first = LOOKS[np.maximum((first_look >= 3 * threshold).sum(axis=0) - 1, 0)]
    last = LOOKS[np.minimum((first_look > -2 * threshold).sum(axis=0), len(LOOKS) - 1)]
    steps = np.geomspace(first, last, len(LOOKS))
    size, places = side * stream.draws.size, np.arange(len(LOOKS))  # with the side, the nearest is the smallest
    between = np.linspace(0, places[-1], BETWEEN * len(LOOKS))
    rows = zip(near, far, np.log(steps).T, wealth(steps).T, first_look[-1], strict=True)
    return [
        Curve(size * start, size * end, np.interp(between, places, step), np.interp(between, places, made), least)
        for start, end, step, made, least in rows
    ]
