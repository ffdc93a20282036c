"""A step along a line that meets the strong Wolfe conditions, found by the search of More and Thuente.

It takes the steps of scipy's `minimize(method="CG")`, but only sees numbers: what the line leads through may be spread
over many machines.

References
----------
J. J. More, D. J. Thuente 1994, "Line search algorithms with guaranteed sufficient decrease". ACM Transactions on
Mathematical Software 20(3). https://doi.org/10.1145/192115.192132
"""

import warnings
from collections.abc import Callable
from math import copysign, inf, isfinite, sqrt
from typing import NamedTuple

import numpy as np

from adjudge.core.arrays import FloatArray

DECREASE, CURVATURE = 1e-4, 0.4  # of the two Wolfe conditions: scipy's for conjugate gradients
MAX_TRIALS, NARROW = 100, 1e-14  # scipy's; a narrower interval is one number to rounding
FARTHEST = 1e100


class Trial(NamedTuple):
    """A point of the line, with the value and the slope there."""

    step: float
    value: float
    slope: float

    def tilted(self, slope: float) -> "Trial":
        """The same point after a line of this slope was subtracted."""
        return Trial(self.step, self.value - self.step * slope, self.slope - slope)


Curve = Callable[[float], tuple[float, float]]


def conjugate_step(
    along: Curve, value: float, slope: float, before: float, accept: Callable[[float], bool]
) -> float | None:
    """A step of conjugate gradients that is acceptable as well; None if rounding errors leave no such step.

    value, slope and before: those at 0, and the value one step earlier, which the first guess is made from.
    """
    from scipy.optimize import line_search

    guess = 2.02 * (value - before) / slope
    step = wolfe_step(along, value, slope, 1.0 if guess < 0 else min(1.0, guess))
    if step is not None and accept(step):
        return step

    def value_at(x: FloatArray) -> float:
        return along(float(x[0]))[0]

    def slope_at(x: FloatArray) -> FloatArray:
        return np.array([along(float(x[0]))[1]])

    with warnings.catch_warnings():  # of a search that fails
        warnings.simplefilter("ignore")
        found = line_search(
            value_at,
            slope_at,
            np.zeros(1),
            np.ones(1),
            np.array([slope]),
            value,
            before,
            c1=DECREASE,
            c2=CURVATURE,
            amax=FARTHEST,
            extra_condition=lambda step, *_: accept(step),
        )
    return None if found[0] is None else float(found[0])


def wolfe_step(along: Curve, value: float, slope: float, step: float) -> float | None:
    """The step, from a first guess and the value and the slope at 0; None if rounding errors leave no such step."""
    best = other = Trial(0.0, value, slope)
    bracketed, descending, width, last_width = False, True, inf, inf
    low, high, required = 0.0, 5 * step, DECREASE * slope
    for _ in range(MAX_TRIALS):
        trial = Trial(step, *along(step))
        enough = trial.value <= value + step * required
        descending &= not (enough and trial.slope >= 0)
        if enough and abs(trial.slope) <= -CURVATURE * slope:
            return step
        if bracketed and (not low < step < high or high - low <= NARROW * high):
            return None
        tilt = required if descending and not enough and trial.value <= best.value else 0.0
        ends = best.tilted(tilt), other.tilted(tilt), trial.tilted(tilt)
        step, bracketed = _next_step(*ends, bracketed, low, high)
        if ends[2].value > ends[0].value:
            other = trial
        else:
            other = best if _opposite(ends[2].slope, ends[0].slope) else other
            best = trial
        if bracketed:
            if abs(other.step - best.step) >= 0.66 * last_width:
                step = (best.step + other.step) / 2
            last_width, width = width, abs(other.step - best.step)
            low, high = min(best.step, other.step), max(best.step, other.step)
        else:
            low, high = step + 1.1 * (step - best.step), step + 4 * (step - best.step)
        if not isfinite(step):
            return None
        step = min(step, FARTHEST)
        if bracketed and (not low < step < high or high - low <= NARROW * high):
            step = best.step
    return None


def _next_step(best: Trial, other: Trial, trial: Trial, bracketed: bool, low: float, high: float) -> tuple[float, bool]:
    """A safeguarded step from what three trials show, and whether a minimum is now between two of them."""
    if trial.value > best.value:
        cubic = _cubic_step(best, trial)
        quadratic = best.step + _ratio(best.slope, _secant(best, trial) + best.slope) / 2 * (trial.step - best.step)
        closer = abs(cubic - best.step) <= abs(quadratic - best.step)
        return (cubic if closer else cubic + (quadratic - cubic) / 2), True
    linear = trial.step + _ratio(trial.slope, trial.slope - best.slope) * (best.step - trial.step)
    if _opposite(trial.slope, best.slope):
        cubic = _cubic_step(trial, best)
        return (cubic if abs(cubic - trial.step) > abs(linear - trial.step) else linear), True
    if abs(trial.slope) < abs(best.slope):
        cubic = _cubic_step(trial, best, high if trial.step > best.step else low)
        closer = abs(cubic - trial.step) < abs(linear - trial.step)
        if not bracketed:
            return min(max(linear if closer else cubic, low), high), False
        bound, step = trial.step + 0.66 * (other.step - trial.step), cubic if closer else linear
        return (min(bound, step) if trial.step > best.step else max(bound, step)), True
    if bracketed:
        return _cubic_step(trial, other), True
    return (high if trial.step > best.step else low), False


def _cubic_step(near: Trial, far: Trial, without: float | None = None) -> float:
    """The minimum of the cubic through both trials; `without`, if given, where it has none beyond `near`."""
    theta = 3 * _secant(far, near) + near.slope + far.slope
    scale = max(abs(theta), abs(near.slope), abs(far.slope))
    square = (theta / scale) ** 2 - (near.slope / scale) * (far.slope / scale)
    gamma = copysign(scale * sqrt(max(square, 0.0)), far.step - near.step)
    ratio = _ratio(gamma - near.slope + theta, gamma - near.slope + gamma + far.slope)
    if without is not None and (ratio >= 0 or gamma == 0):
        return without
    return near.step + ratio * (far.step - near.step)


def _secant(one: Trial, two: Trial) -> float:
    return _ratio(one.value - two.value, two.step - one.step)


def _ratio(upper: float, lower: float) -> float:
    return upper / lower if lower else inf


def _opposite(one: float, two: float) -> bool:
    return one > 0 > two or one < 0 < two
