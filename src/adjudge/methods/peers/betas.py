"""The probability that one of many beta variables is the largest: integrals on a grid, for many sets at once."""

from typing import NamedTuple

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, running_sums

POINTS, EDGE = 256, 1e-6  # of the grid, and how near it comes to 0 and 1
TINY = 1e-30  # smallest value of a distribution function, so that its logarithm is finite
Beta = tuple[FloatArray, FloatArray]  # (models,) and (models,): the two parameters


class BetaGrid(NamedTuple):
    """Beta variables on the grid: the log distribution function, and density / distribution function * width."""

    log: FloatArray  # (models, points)
    ratio: FloatArray  # (models, points)

    @classmethod
    def of(cls, parameters: Beta) -> "BetaGrid":
        from scipy.special import betaln

        grid = np.linspace(EDGE, 1 - EDGE, POINTS)
        one, two = (each[:, None] for each in parameters)
        density = np.exp((one - 1) * np.log(grid) + (two - 1) * np.log1p(-grid) - betaln(one, two))
        width = grid[1] - grid[0]
        between = (density[:, 1:] + density[:, :-1]) / 2 * width
        function = np.maximum(running_sums(between), TINY)
        ends = np.full(POINTS, width)
        ends[[0, -1]] /= 2
        return cls(np.log(function), density / function * ends)


def largest(voters: BoolArray, right: BetaGrid, wrong: BetaGrid) -> FloatArray:
    """(patterns, models): the probability that a model's variable is the largest, by which models are right.

    With F_l the distribution functions and f_h a density it is the integral of f_h times the product of all other F_l,
    which is exp(sum of log F_l) * f_h / F_h: two matrix products for all patterns and models at once.
    """
    product = np.exp(wrong.log.sum(axis=0) + voters.astype(np.float64) @ (right.log - wrong.log))
    probability = np.where(voters, product @ right.ratio.T, product @ wrong.ratio.T)
    return np.asarray(probability / np.maximum(probability.sum(axis=1, keepdims=True), TINY))


def probability_largest(parameters: Beta) -> FloatArray:
    """(models,): the probability that a model's variable is the largest.

    >>> probability_largest((np.array([2.0, 2.0, 8.0]), np.array([2.0, 2.0, 2.0]))).round(3)
    array([0.111, 0.111, 0.778])
    """
    grid = BetaGrid.of(parameters)
    return np.asarray(largest(np.zeros((1, len(parameters[0])), dtype=bool), grid, grid)[0])


def beta_from_moments(mean: FloatArray, variance: FloatArray) -> Beta:
    """The parameters of beta variables with these means and variances."""
    size = mean * (1 - mean) / variance - 1
    return mean * size, (1 - mean) * size


def moments(right: FloatArray, wrong: FloatArray, share: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of share * a beta variable."""
    total = right + wrong
    return share * right / total, share**2 * right * wrong / (total**2 * (total + 1))
