"""Bets on two parts of the pool at once: sums over both against which nobody got rich.

Money that was won on the draws of one part is bet on those of the other, so what gamblers have is the product of what
they made against a candidate for each part. A sum is ruled out where all pairs of candidates are that add up to it
(Spertus and Stark, 2022).
"""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.inference.betting import Stream

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

    def at(self, step: FloatArray) -> FloatArray:
        return self.near + (self.far - self.near) * np.exp(step)

    def nearest(self, wealth: FloatArray) -> FloatArray:
        """The nearest candidates against which less was made; the nearest of all where that may be before the steps."""
        found = self.at(np.interp(-wealth, -self.wealth, self.step, left=-np.inf))
        return np.where(wealth > self.wealth[-1], found, np.inf)


def end_of_sum(one: Stream, other: Stream, side: int, threshold: float) -> FloatArray:
    """(quantities,): the lowest (1) or the highest (-1) sum over two parts that is not ruled out."""
    # where more was made against a candidate, not even the farthest for the other part could save it
    enough = [threshold - stream.wealth(stream.possible(side)[1], side) for stream in (other, one)]
    curves = zip(_curves(one, side, enough[0]), _curves(other, side, enough[1]), strict=True)
    return side * np.array([_nearest_sum(*pair, threshold) for pair in curves])


def _nearest_sum(one: Curve, other: Curve, threshold: float) -> float:
    candidates = np.append(one.near, one.at(one.step))  # before the first step no less was made than there
    wealth = np.append(one.wealth[0], one.wealth)
    return float(np.min(candidates + other.nearest(threshold - wealth), initial=one.far + other.far))


def _curves(stream: Stream, side: int, enough: FloatArray) -> list[Curve]:
    """One for each quantity, seen from close by where wealth is not beyond what is enough."""
    near, far = stream.possible(side)

    def wealth(steps: FloatArray) -> FloatArray:
        return np.array([stream.wealth(near + (far - near) * each, side) for each in steps])

    beyond = (wealth(np.tile(LOOKS[:, None], len(near))) >= enough).sum(axis=0)
    steps = np.geomspace(LOOKS[np.maximum(beyond - 1, 0)], np.ones(len(near)), len(LOOKS))
    size, places = side * stream.draws.size, np.arange(len(LOOKS))  # with the side, the nearest is the smallest
    between = np.linspace(0, places[-1], BETWEEN * len(LOOKS))
    return [
        Curve(size * start, size * end, np.interp(between, places, step), np.interp(between, places, made))
        for start, end, step, made in zip(near, far, np.log(steps).T, wealth(steps).T, strict=True)
    ]
