"""Influence values of draws, and mean differences between models from them, many pairs at once.

A control variate makes them more precise: a number for each draw that is zero on average and correlated with the error
of the influence value. Its coefficient is fitted on earlier draws, as in prediction-powered inference.

References
----------
Angelopoulos, Duchi and Zrnic (2023), PPI++: efficient prediction-powered inference.
https://doi.org/10.48550/arXiv.2311.01453
Zrnic and Candes (2024), Active statistical inference. ICML. https://doi.org/10.48550/arXiv.2403.03208
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray
from adjudge.inference.draws import Draws
from adjudge.inference.intervals import square_root_guard

REFITS = tuple(5 * 2**power for power in range(40))  # lengths of the log at which the control variate is fitted anew
REFITS_OFTEN = tuple(sorted({int(2 * 1.1**power) for power in range(280)}))  # the same for judges
LOWEST, HIGHEST = -0.5, 1.5  # limits of the coefficient


class CoefficientPrior(NamedTuple):
    """What the coefficient of a control variate is shrunk to, by half where there are as many earlier draws."""

    coefficient: float
    draws: float
    refits: tuple[int, ...]  # lengths of the log at which the control variate was fitted


UNTRIED = CoefficientPrior(0.0, 10.0, REFITS)  # a control variate that owes nothing to labels may be worthless
CALIBRATED = CoefficientPrior(1.0, 100.0, REFITS_OFTEN)  # one regressed on labels of all models has the right size


@dataclass(frozen=True, eq=False)
class DrawEstimates:
    """What each draw from a stratum says about each model's mean loss there: unbiased estimates from single draws."""

    value: FloatArray  # (models, draws): unbiased
    control: FloatArray | None = None  # (models, draws): the control variate, zero on average
    prior: CoefficientPrior = UNTRIED

    def __post_init__(self) -> None:
        """A model without a judged draw has no value; its control variate is unknown too, not infinite."""
        if self.control is not None and (unknown := np.isnan(self.value[:, :1])).any():
            object.__setattr__(self, "control", np.where(unknown, np.nan, self.control))

    def at(self, models: Array | slice) -> "DrawEstimates":
        return replace(self, value=self.value[models], control=None if self.control is None else self.control[models])

    @property
    def zero(self) -> "DrawEstimates":
        """One model without losses: the difference to it is the loss itself."""
        no_control = None if self.control is None else np.zeros_like(self.control[:1])
        return replace(self, value=np.zeros_like(self.value[:1]), control=no_control)


def mean_differences(left: DrawEstimates, right: DrawEstimates, draws: Draws) -> tuple[FloatArray, FloatArray]:
    """(left, right): the mean difference, and the variance of one draw.

    With z the estimate from a draw, c its control variate and w its averaging weight, the mean is the sum of
    w * (z + lam * c). The coefficient lam is fitted for each pair on draws made before c was computed, so that each
    z + lam * c is unbiased.
    """
    unit = draws.variance_scale
    blocks = [(rows, _coefficient(left, right, draws, earlier)) for rows, earlier in _blocks(left, draws)]
    mean, count = np.zeros((len(left.value), len(right.value))), np.count_nonzero(unit)
    for rows, lam in blocks:
        mean += _apart(left.value, right.value, draws.averaging_weight * rows)
        if left.control is not None and right.control is not None:
            mean += lam * _apart(left.control, right.control, draws.averaging_weight * rows)
    square = mean**2 * unit.sum()
    for rows, lam in blocks:
        weight = unit * rows
        square += _product(left.value, right.value, left.value, right.value, weight)
        square -= 2 * mean * _apart(left.value, right.value, weight)
        if left.control is not None and right.control is not None:
            square += 2 * lam * _product(left.value, right.value, left.control, right.control, weight)
            square += lam**2 * _product(left.control, right.control, left.control, right.control, weight)
            square -= 2 * mean * lam * _apart(left.control, right.control, weight)
    return mean, np.maximum(square, 0.0) / (count - 1) if count > 1 else np.full(mean.shape, np.nan)


def guard_sizes(left: DrawEstimates, right: DrawEstimates, draws: Draws, mean: FloatArray) -> FloatArray:
    """(left, right): the size of guarding draws, as `guard_size` has it, from what a control variate leaves open.

    Differences are taken from their mean, on the scale of the variance of one draw; the mean is added again.
    """
    second, fourth = np.zeros((2, *mean.shape))
    for rows, earlier in _blocks(left, draws):
        lam = _coefficient(left, right, draws, earlier)
        for place in np.flatnonzero(rows & (draws.variance_scale > 0)):
            off = left.value[:, place, None] - right.value[None, :, place] - mean
            if left.control is not None and right.control is not None:
                off += lam * (left.control[:, place, None] - right.control[None, :, place])
            square = draws.variance_scale[place] * off**2
            second += square
            fourth += square**2
    around = np.where(second > 0, square_root_guard(fourth, second), np.where(mean == 0, 1.0, 0.0))
    return np.asarray(np.hypot(around, mean))


def refit_lengths(draws: Draws, refits: tuple[int, ...]) -> Iterator[tuple[int, BoolArray]]:
    """The number of log rows that a control variate may be fitted on, and the draws it is for."""
    place = np.searchsorted(refits, draws.seen, side="right")
    for each in np.unique(place):
        yield (0 if each == 0 else refits[each - 1]), place == each


def last_refit(rows: int, refits: tuple[int, ...]) -> int:
    """The number of log rows that a control variate may be fitted on, for the draw after so many of them.

    >>> [last_refit(rows, REFITS) for rows in (4, 5, 19, 20)]
    [0, 5, 10, 20]
    """
    return max((each for each in refits if each <= rows), default=0)


def _blocks(rows: DrawEstimates, draws: Draws) -> Iterator[tuple[BoolArray, BoolArray]]:
    """Draws with the same control variate, and the draws made before it was fitted."""
    if rows.control is None:
        yield np.ones(len(draws.rows), dtype=bool), np.zeros(len(draws.rows), dtype=bool)
        return
    for length, block in refit_lengths(draws, rows.prior.refits):
        yield block, draws.rows < length


def _coefficient(left: DrawEstimates, right: DrawEstimates, draws: Draws, earlier: BoolArray) -> FloatArray:
    """(left, right): the lam that minimizes the variance of earlier draws, shrunk where these are few."""
    count, usual = np.count_nonzero(earlier), np.full((len(left.value), len(right.value)), left.prior.coefficient)
    if left.control is None or right.control is None or count < 2:
        return usual
    weight, share = draws.variance_scale * earlier, draws.averaging_weight * earlier
    if share.sum() == 0:  # the last open sample of the stratum was drawn: nothing is left to estimate
        return usual
    mean = _apart(left.value, right.value, share / share.sum())
    joint = _product(left.value, right.value, left.control, right.control, weight)
    joint -= mean * _apart(left.control, right.control, weight)
    alone = _product(left.control, right.control, left.control, right.control, weight)
    best = np.where(alone > 1e-12 * weight.sum(), -joint / np.maximum(alone, 1e-300), usual)
    return np.asarray(np.clip((best * count + usual * left.prior.draws) / (count + left.prior.draws), LOWEST, HIGHEST))


def _apart(left: FloatArray, right: FloatArray, weight: FloatArray) -> FloatArray:
    """(left, right): weighted sums of the difference."""
    return np.asarray((left @ weight)[:, None] - (right @ weight)[None, :])


def _product(
    left: FloatArray, right: FloatArray, other_left: FloatArray, other_right: FloatArray, weight: FloatArray
) -> FloatArray:
    """(left, right): weighted sums of the product of two differences."""
    own = ((left * other_left) @ weight)[:, None] + ((right * other_right) @ weight)[None, :]
    return np.asarray(own - (left * weight) @ other_right.T - (other_left * weight) @ right.T)
