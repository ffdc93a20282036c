"""Stratified betting: bounds on a sum over two strata.

The wealth against a pair of candidates, one for each stratum, is the product of the wealths in the strata. A sum is
rejected if all pairs of candidates that add up to it are.

References
----------
Spertus and Stark (2022), Sweeter than SUITE: supermartingale stratified union-intersection tests of elections.
E-Vote-ID 2022. https://doi.org/10.48550/arXiv.2207.03379
"""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.inference.betting import EProcess

GRID = np.geomspace(1e-6, 1.0, 32)  # candidates, as shares of the way from the nearest to the farthest
REFINEMENT = 8  # interpolated points for each point of the grid


@dataclass(frozen=True, eq=False)
class WealthCurve:
    """Log wealth against candidate sums over a stratum; it falls from the nearest candidate to the farthest.

    Steps are logarithmic, since the whole fall may be within the first thousandth of the range.
    """

    near: float
    far: float
    step: FloatArray  # (points,): logarithms of shares of the range
    wealth: FloatArray  # (points,)

    def at(self, step: FloatArray) -> FloatArray:
        return self.near + (self.far - self.near) * np.exp(step)

    def nearest(self, wealth: FloatArray) -> FloatArray:
        """The nearest candidates with a lower wealth than this; `near` where that may be before the first step."""
        found = self.at(np.interp(-wealth, -self.wealth, self.step, left=-np.inf))
        return np.where(wealth > self.wealth[-1], found, np.inf)


def stratified_bound(one: EProcess, other: EProcess, side: int, threshold: FloatArray | float) -> FloatArray:
    """(quantities,): the lowest (1) or the highest (-1) sum over two strata that is not rejected."""
    # a candidate with more wealth than this is rejected together with any candidate of the other stratum
    enough = [threshold - process.log_wealth(process.possible(side)[1], side) for process in (other, one)]
    curves = zip(_curves(one, side, enough[0]), _curves(other, side, enough[1]), strict=True)
    thresholds = np.broadcast_to(threshold, len(enough[0]))
    return side * np.array([_nearest_sum(*pair, each) for pair, each in zip(curves, thresholds, strict=True)])


def _nearest_sum(one: WealthCurve, other: WealthCurve, threshold: float) -> float:
    candidates = np.append(one.near, one.at(one.step))  # before the first step the wealth is at least that of the step
    wealth = np.append(one.wealth[0], one.wealth)
    return float(np.min(candidates + other.nearest(threshold - wealth), initial=one.far + other.far))


def _curves(process: EProcess, side: int, enough: FloatArray) -> list[WealthCurve]:
    """One for each quantity, with most points where the wealth is below `enough`."""
    near, far = process.possible(side)

    def wealth(steps: FloatArray) -> FloatArray:
        return np.array([process.log_wealth(near + (far - near) * each, side) for each in steps])

    beyond = (wealth(np.tile(GRID[:, None], len(near))) >= enough).sum(axis=0)
    steps = np.geomspace(GRID[np.maximum(beyond - 1, 0)], np.ones(len(near)), len(GRID))
    size, places = side * process.draws.size, np.arange(len(GRID))  # times the side: the nearest is the smallest
    between = np.linspace(0, places[-1], REFINEMENT * len(GRID))
    return [
        WealthCurve(size * start, size * end, np.interp(between, places, step), np.interp(between, places, made))
        for start, end, step, made in zip(near, far, np.log(steps).T, wealth(steps).T, strict=True)
    ]
