"""The E step and the M step on one part of the samples.

The parameters of samples stay with their part; what leaves it are sums over its samples and largest values. The sums
are exact: each term is rounded to a multiple of a unit that follows from the largest values of all parts, and multiples
of one unit add up without rounding. So parts may be merged in any order, and neither how many there are nor the order
of the samples changes a bit of the result.
"""

from dataclasses import dataclass, replace
from math import exp, frexp, log, log1p

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray
from adjudge.core.kernels import kernel
from adjudge.core.predictions import MISSING
from adjudge.methods.ability.groups import SampleGroups
from adjudge.methods.ability.log_cosh import PIECE_BITS, Pieces

MAX_EXPONENT = 100.0  # e^100 is far beyond any fit, and its square is still finite
LANES = 16  # sums that are formed side by side
SHIFT = np.int64(PIECE_BITS)


@dataclass(frozen=True)
class Reach:
    """The largest values of a part at a trial point."""

    parameter: float  # in size, if it is the ease itself
    away: float  # from the start
    direction: float

    def merge(self, other: "Reach") -> "Reach":
        return Reach(
            max(self.parameter, other.parameter), max(self.away, other.away), max(self.direction, other.direction)
        )


@dataclass(frozen=True, eq=False)
class Sums:
    """What a part adds to the objective and its gradient at a trial point."""

    numbers: FloatArray  # (4, 2): the value, and products of the gradient with the direction, itself and the last one
    steepest: float  # the largest slope by the parameter of one sample: a maximum, not a sum
    linear: FloatArray  # (models,): the gradient by ability, less that of log cosh
    moments: FloatArray  # (pieces, terms): for the gradient of log cosh

    def merge(self, other: "Sums") -> "Sums":
        return Sums(
            self.numbers + other.numbers,
            max(self.steepest, other.steepest),
            self.linear + other.linear,
            self.moments + other.moments,
        )


@dataclass(frozen=True, eq=False)
class SamplePart:
    """One part of the samples in the middle of a fit: every step returns the part after it, and what leaves it.

    The objective is the negative expected log-likelihood. It is taken along a line, from `parameter` in `direction`.
    """

    groups: SampleGroups
    gaps: BoolArray  # (groups,): whether predictions are missing
    start: FloatArray  # (groups,): the parameter of each sample of the group, and so below
    plain: bool  # whether ease is the parameter itself, with no priors; or else it is exp(parameter)
    parameter: FloatArray
    direction: FloatArray
    gradient: FloatArray
    trial: FloatArray  # the gradient at the trial point
    centered: Array  # (groups, models): probability that the prediction is right, less 1/2; 0 where it is missing
    doubt: FloatArray  # log(classes - 1) for each model that is wrong

    @classmethod
    def begin(cls, groups: SampleGroups, start: FloatArray, plain: bool) -> "SamplePart":
        zero, gaps = np.zeros(len(start)), np.any(groups.said == MISSING, axis=1)
        return cls(
            groups, gaps, start, plain, start, zero, zero, zero, np.zeros(groups.said.shape, dtype=np.float32), zero
        )

    def expect(self, ability: FloatArray) -> tuple["SamplePart", None]:
        """The E step: the class posterior under these parameters."""
        groups, doubt = self.groups, np.empty(len(self.start))
        # in place: it is as large as the predictions
        _expect(groups.said, groups.truth, groups.classes, ability, self.ease(), self.centered, doubt)
        return replace(self, doubt=doubt), None

    def ease(self) -> FloatArray:
        return self.parameter if self.plain else np.exp(np.minimum(self.parameter, MAX_EXPONENT))

    def reach(self, step: float) -> tuple["SamplePart", Reach]:
        """What has to be known of all parts before they are evaluated this far along the line."""
        point = self.parameter + step * self.direction
        largest = np.abs(point).max() if self.plain else point.max()
        away, direction = np.abs(point - self.start).max(), np.abs(self.direction).max()
        return self, Reach(float(largest), float(away), float(direction))

    def evaluate(self, ability: FloatArray, step: float, pieces: Pieces, unit: FloatArray) -> tuple["SamplePart", Sums]:
        """The objective and its gradient this far along the line, for these abilities."""
        groups, models = self.groups, len(ability)
        gradient, numbers = np.empty(len(self.start)), np.zeros((4, 2))
        linear, moments = np.zeros(models), np.zeros(pieces.coefficient.shape)
        where = self.parameter + step * self.direction, self.start, self.direction, self.gradient
        cosh = pieces.first, pieces.offset, pieces.middle, 1 / pieces.half, pieces.coefficient
        what = self.centered, groups.said, self.gaps, groups.size, self.doubt
        steepest = _evaluate(what, where, self.plain, ability, cosh, unit, (gradient, numbers, linear, moments))
        return replace(self, trial=gradient), Sums(numbers, steepest, linear, moments)

    def advance(self, step: float, conjugacy: float) -> tuple["SamplePart", None]:
        """Take the step that was evaluated last, and turn: away from the gradient, and on in the same direction."""
        direction = conjugacy * self.direction - self.trial
        parameter = self.parameter + step * self.direction
        return replace(self, parameter=parameter, gradient=self.trial, direction=direction), None


def units(samples: float, ease: float, value: float, gradient: float, direction: float) -> FloatArray:
    """(7,): added to a number and subtracted, they round it to a multiple of a unit whose sums are exact.

    The arguments are the number of samples and the largest size of a term. First that for gradients by ability; then
    pairs for the value, for slopes and for squares, since their terms are of very different size: the second of a pair
    rounds what the first leaves.
    """
    found = [_unit(samples * ease)]
    for bound in (value, gradient * direction, gradient * gradient):
        first = _unit(samples * bound)
        found += [first, _unit(samples * first * 2.0**-52)]
    return np.array(found)


def _unit(bound: float) -> float:
    return 1.5 * 2.0 ** frexp(bound)[1]


@kernel
def _expect(
    said: Array, truth: Array, classes: int, ability: Array, ease: Array, centered: Array, doubt: Array
) -> None:
    """The class posterior by Bayes' rule, in logs. A class that no model predicts has the log odds 0."""
    groups, models = said.shape
    odds, wrong = np.empty(models), log(classes - 1.0)
    for group in range(groups):
        named = 0
        for model in range(models):
            number = said[group, model]
            if number >= 0:
                if number == named:
                    odds[number] = 0.0
                    named += 1
                odds[number] += ability[model] * ease[group] + wrong
        highest = 0.0 if named < classes else -np.inf
        for number in range(named):
            highest = max(highest, odds[number])
        total = (classes - named) * exp(-highest)
        for number in range(named):
            odds[number] = exp(odds[number] - highest)
            total += odds[number]
        for number in range(named):
            odds[number] /= total
            if truth[group] >= 0:
                odds[number] = 1.0 if number == truth[group] else 0.0
        expected = 0.0
        for model in range(models):
            number = said[group, model]
            if number >= 0:
                centered[group, model] = odds[number] - 0.5
                expected += 1.0 - odds[number]
            elif number != MISSING:  # an abstention is wrong, whatever the class
                centered[group, model] = -0.5
                expected += 1.0
            else:
                centered[group, model] = 0.0
        doubt[group] = expected * wrong


@kernel
def _evaluate(
    what: tuple[Array, ...],
    where: tuple[Array, ...],
    plain: bool,
    ability: Array,
    cosh: tuple[float, int, Array, Array, Array],
    unit: Array,
    found: tuple[Array, ...],
) -> float:
    """The value, the gradient and its products into `found`, see `Sums`; the largest slope by a parameter is returned.

    log sigmoid(x) = x / 2 - log(2 cosh(x / 2)), and log sigmoid(-x) the same with -x / 2: the first is linear in
    ability and ease, and the second does not depend on the prediction.
    """
    centered, said, gaps, size, doubt = what
    point, start, direction, last = where
    first, offset, middle, per_half, coefficient = cosh
    gradient, numbers, linear, moments = found
    bits, absent, lanes, steepest = np.empty(1), np.zeros(2), np.empty(LANES), 0.0
    leading = bits.view(np.int64)
    for group in range(len(point)):
        parameter, times = point[group], size[group]
        ease = parameter if plain else exp(min(parameter, MAX_EXPONENT))
        slope = _add_linear(centered[group], ability, ease, times, unit[0], linear, lanes)
        absent[0], absent[1] = 0.0, 0.0
        if gaps[group]:
            _add_absent(said[group], ability, ease, times, unit[0], linear, absent)
        far = bits[0] = abs(ease)
        piece = 0 if far < first else (leading[0] >> SHIFT) - offset
        place = (far - middle[piece]) * per_half[piece]
        height, rise, power = 0.0, 0.0, far
        for term in range(coefficient.shape[1] - 1, -1, -1):
            rise = rise * place + height
            height = height * place + coefficient[piece, term]
        for term in range(coefficient.shape[1]):
            moments[piece, term] += times * ((power + unit[0]) - unit[0])
            power *= place
        value = ease * slope - height + absent[0] - doubt[group]
        rise = rise * per_half[piece] - absent[1]
        by_parameter = slope - rise if ease >= 0 else slope + rise
        if not plain:
            away = parameter - start[group]
            value, by_parameter = value - 0.5 * away * away, by_parameter * ease - away
        gradient[group] = -by_parameter
        steepest = max(steepest, abs(by_parameter))
        _add(numbers[0], -value, times, unit[1], unit[2])
        _add(numbers[1], -by_parameter * direction[group], times, unit[3], unit[4])
        _add(numbers[2], by_parameter * by_parameter, times, unit[5], unit[6])
        _add(numbers[3], -by_parameter * last[group], times, unit[5], unit[6])
    return steepest


@kernel
def _add_linear(
    centered: Array, ability: Array, ease: float, times: float, unit: float, linear: Array, lanes: Array
) -> float:
    """Add a sample's part of the gradient by ability, and return the gradient by ease: what is linear in them.

    Loops that add to many numbers side by side are vectorized.
    """
    models = len(centered)
    for model in range(models):
        linear[model] += times * ((ease * centered[model] + unit) - unit)
    for lane in range(LANES):
        lanes[lane] = 0.0
    for begin in range(0, models - LANES + 1, LANES):
        some, able = centered[begin : begin + LANES], ability[begin : begin + LANES]
        for lane in range(LANES):
            lanes[lane] += able[lane] * some[lane]
    slope = 0.0
    for model in range(models - models % LANES, models):
        slope += ability[model] * centered[model]
    for lane in range(LANES):
        slope += lanes[lane]
    return slope


@kernel
def _add_absent(
    said: Array, ability: Array, ease: float, times: float, unit: float, linear: Array, absent: Array
) -> None:
    """Add what the sum of log(2 cosh(x / 2)) over all models has too much: that of models without a prediction."""
    for model in range(len(said)):
        if said[model] == MISSING:
            x = abs(ability[model] * ease)
            tail = exp(-x)
            half = 0.5 * (1.0 - tail) / (1.0 + tail)
            absent[0] += 0.5 * x + log1p(tail)
            absent[1] += abs(ability[model]) * half
            term = abs(ease) * half if ability[model] >= 0 else -abs(ease) * half
            linear[model] += times * ((term + unit) - unit)


@kernel
def _add(total: Array, term: float, times: float, coarse: float, fine: float) -> None:
    """Add the term as often as there are samples, rounded to a multiple of the fine unit."""
    high = (term + coarse) - coarse
    low = ((term - high) + fine) - fine
    total[0] += times * high
    total[1] += times * low
