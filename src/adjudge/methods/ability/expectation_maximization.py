"""Expectation-maximization over parts of the samples."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial, reduce
from math import exp, log, pi, sqrt
from typing import Any, Protocol

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.methods.ability.line_search import conjugate_step
from adjudge.methods.ability.log_cosh import LogCosh
from adjudge.methods.ability.part import MAX_EXPONENT, Reach, SamplePart, Sums, units

TOLERANCE = 1e-5  # relative change of the expected log-likelihood that ends the rounds (LaF, Algorithm 1 line 21)
MAX_STEPS, GRADIENT_TOLERANCE = 25, 0.01  # of conjugate gradients in a round (LaF authors' code)
MAX_ROUNDS = 1000  # the authors set no limit; the tasks we know need 3 to 100
DESCENT = 0.01  # the least descent of a conjugate direction, as a share of the steepest (scipy's)

Step = Callable[[SamplePart], tuple[SamplePart, Any]]


class Parts(Protocol):
    """The parts of the samples, wherever they are."""

    def each(self, step: Step) -> list[Any]:
        """Take a step on every part, which is replaced by the first of what the step returns; return the second."""


class HeldParts:
    """Parts in this process; their largest arrays may be in files (see `parts_of`)."""

    def __init__(self, *parts: SamplePart) -> None:
        self.parts = list(parts)

    def each(self, step: Step) -> list[Any]:
        done = [step(part) for part in self.parts]
        self.parts = [part for part, _ in done]
        return [result for _, result in done]


@dataclass(frozen=True, eq=False)
class Settings:
    """What a fit knows of the whole pool."""

    start: FloatArray  # (models,): of the abilities
    samples: float
    classes: int
    plain: bool  # whether ease is the parameter itself, with no priors


def fit(parts: Parts, settings: Settings) -> FloatArray:
    """The abilities, by rounds of E step and M step until the expected log-likelihood hardly changes.

    The parts are left with the parameters of their samples.
    """
    search = _Search(parts, settings, settings.start)
    search.expect()
    last = search.here.value
    for _ in range(MAX_ROUNDS):
        search.maximize()
        now = search.here.value
        if not abs(now - last) > TOLERANCE * abs(last):
            break
        last = now
        search.expect()
    return search.ability


@dataclass(frozen=True, eq=False)
class _Point:
    """The objective at a point, and its gradient in products with other vectors of all parameters."""

    value: float
    slope: float  # with the direction of the search
    square: float  # with itself
    mixed: float  # with the gradient before
    steepest: float  # its largest element
    by_ability: FloatArray

    def conjugacy(self, last: "_Point") -> float:
        """How much of the last direction goes into the next one (Polak-Ribiere)."""
        return max(0.0, (self.square - self.mixed) / last.square)

    def next_slope(self, last: "_Point") -> float:
        """Of the objective in the next direction."""
        return self.conjugacy(last) * self.slope - self.square

    def descends_after(self, last: "_Point") -> bool:
        """Whether the next direction leads down far enough."""
        return self.steepest <= GRADIENT_TOLERANCE or self.next_slope(last) <= -DESCENT * self.square


def _descends_after(last: _Point, tried: dict[float, _Point], step: float) -> bool:
    return tried[step].descends_after(last)


@dataclass(eq=False)
class _Search:
    """Conjugate gradients (Polak-Ribiere) over abilities and all parameters of samples."""

    parts: Parts
    settings: Settings
    ability: FloatArray
    direction: FloatArray = field(init=False)
    here: _Point = field(init=False)

    def expect(self) -> None:
        """The E step; the search begins anew from there, in the steepest direction."""
        self.direction = np.zeros_like(self.ability)
        self.parts.each(partial(SamplePart.expect, ability=self.ability))
        self.parts.each(partial(SamplePart.advance, step=0.0, conjugacy=0.0))
        self.here = self._at(0.0, None)

    def maximize(self) -> None:
        """The M step: a few steps of conjugate gradients."""
        here, tried = self.here, dict[float, _Point]()
        before, slope = here.value + sqrt(here.square) / 2, -here.square
        self._advance(0.0, 0.0, here)

        def along(step: float) -> tuple[float, float]:
            if step not in tried:
                tried[step] = self._at(step, here)
            return tried[step].value, tried[step].slope

        for _ in range(MAX_STEPS):
            if here.steepest <= GRADIENT_TOLERANCE:
                break
            tried.clear()
            accept = partial(_descends_after, here, tried)
            step = conjugate_step(along, here.value, slope, before, accept)
            if step is None:
                break
            if step != next(reversed(tried)):
                self._at(step, here)  # the parts have to know the gradient there
            before, last, here = here.value, here, tried[step]
            slope = here.next_slope(last)
            self._advance(step, here.conjugacy(last), here)
        self.here = here

    def _advance(self, step: float, conjugacy: float, there: _Point) -> None:
        self.parts.each(partial(SamplePart.advance, step=step, conjugacy=conjugacy))
        self.ability = self.ability + step * self.direction
        self.direction = conjugacy * self.direction - there.by_ability

    def _at(self, step: float, last: _Point | None) -> _Point:
        """The objective and its gradient this far along the line."""
        settings, ability = self.settings, self.ability + step * self.direction
        reach: Reach = reduce(Reach.merge, self.parts.each(partial(SamplePart.reach, step=step)))
        ease = reach.parameter if settings.plain else exp(min(reach.parameter, MAX_EXPONENT))
        cosh = LogCosh.of(ability, ease)
        unit = self._units(ability, ease, reach, last)
        work = partial(SamplePart.evaluate, ability=ability, step=step, pieces=cosh.pieces, unit=unit)
        sums: Sums = reduce(Sums.merge, self.parts.each(work))
        value, slope, square, mixed = sums.numbers.sum(axis=1)
        value += settings.samples * log(settings.classes)  # the uniform prior of the classes
        by_ability = cosh.by_ability(sums.moments) - sums.linear
        if not settings.plain:
            away = ability - settings.start
            value += (away @ away + (len(ability) + settings.samples) * log(2 * pi)) / 2
            by_ability += away
        return _Point(
            float(value),
            float(slope + by_ability @ self.direction),
            float(square + by_ability @ by_ability),
            float(mixed + (by_ability @ last.by_ability if last else 0.0)),
            max(sums.steepest, float(np.abs(by_ability).max())),
            by_ability,
        )

    def _units(self, ability: FloatArray, ease: float, reach: Reach, last: _Point | None) -> FloatArray:
        models, total = len(ability), float(np.abs(ability).sum())
        value = 3 * total * ease + models * (2 + log(self.settings.classes)) + reach.away**2
        gradient = 2 * total * (1 if self.settings.plain else ease) + reach.away
        gradient = max(gradient, last.steepest if last else 0.0, 1e-100)
        return units(self.settings.samples, max(ease, 1e-100), value, gradient, max(reach.direction, 1e-100))
