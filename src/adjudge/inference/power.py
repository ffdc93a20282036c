"""How likely it is that a comparison shows a difference that is there, and how many labels that takes."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.inference.mcnemar import log_choices

FEW = 150  # flips up to which the test is worked out exactly
GRID = 40  # numbers of draws for which the chance is worked out; between them it is interpolated
POINTS = 40  # outcomes of a draw, evenly spread over all that are likely
WIDE = 4.0  # standard deviations beyond which no outcome is likely


@dataclass(frozen=True, eq=False)
class Flips:
    """Two models: on how many samples only the first is right, only the second, and on how many they differ.

    A difference of zero is refused with the exact test of McNemar at this two-sided error: where that test sees a
    difference, the interval of a comparison does too.

    >>> pair = Flips(wins=15, losses=5, differing=20, error=0.05)
    >>> pair.labels_for(0.8, 200), round(pair.power(122, 200), 2), round(pair.power(200, 200), 2)
    (140, 0.63, 1.0)
    """

    wins: int
    losses: int
    differing: int
    error: float

    def labels_for(self, power: float, size: int) -> int:
        """How many draws from `size` samples, among them all that differ, show with this power who is better."""
        short, enough = 0, size
        while enough - short > 1:
            middle = (short + enough) // 2
            short, enough = (short, middle) if self.power(middle, size) >= power else (middle, enough)
        return enough

    def power(self, labels: int, size: int) -> float:
        """The chance that so many draws show it."""
        drawn, weight = _outcomes(size, self.differing, np.array([labels]))
        return float((weight * np.interp(drawn, *self._curve)).sum())

    @cached_property
    def _curve(self) -> tuple[IntArray, FloatArray]:
        """Numbers of draws among the samples that differ, and the chance to see the difference with each."""
        total = self.wins + self.losses
        first = FEW if total == self.differing else GRID  # where every draw is a flip, the chance goes in steps
        many = np.geomspace(first, max(self.differing, first), GRID).round()
        drawn = np.unique(np.minimum(np.append(np.arange(first), many), self.differing)).astype(np.int64)
        flips, weight = _outcomes(self.differing, total, drawn)
        shown = np.zeros(flips.shape)
        few = flips <= FEW
        left = np.broadcast_to((self.differing - drawn)[:, None], flips.shape)
        shown[few], shown[~few] = self._exact(flips[few], left[few]), self._normal(flips[~few], left[~few])
        return drawn, np.asarray((weight * shown).sum(axis=1))

    def _exact(self, flips: IntArray, left: IntArray) -> FloatArray:
        """(cases,): the chance of a split of the flips that the test refuses, with so many samples left."""
        if not flips.size:
            return np.zeros(0)
        (flips, left), back = np.unique(np.array([flips, left]), axis=1, return_inverse=True)
        flips, left, wins = flips[:, None], left[:, None], np.arange(flips.max() + 1)
        most, refused = flips + left, np.ones((len(flips), len(wins)), dtype=bool)
        for half in (most // 2, (most + 1) // 2):
            refused &= 2 * _at_least(_chances(half, most - half, flips, wins)) <= self.error
        refused |= 2 * wins - flips > left
        refused &= (2 * wins > flips) & (wins <= flips)
        shown = (refused * _chances(self.wins, self.losses, flips, wins)).sum(axis=1)
        return np.asarray(shown[back.reshape(-1)])

    def _normal(self, flips: IntArray, left: IntArray) -> FloatArray:
        """The same for many flips, without the steps: whole numbers are 1/2 above what is asked for, on average."""
        total = self.wins + self.losses
        spread = np.sqrt(flips * left / np.maximum(flips + left - 1, 1)) / 2
        fewest = flips / 2 + 1 + special.ndtri(1 - self.error / 2) * spread
        fewest = np.minimum(fewest, (flips + left) // 2 + 1)  # so many more that those left cannot turn it around
        variance = flips * self.wins * self.losses / total**2 * (total - flips) / max(total - 1, 1)
        distance = flips * self.wins / total - fewest + 0.5
        return np.asarray(special.ndtr(distance / np.sqrt(np.maximum(variance, 1e-9))))


def _chances(marked: IntArray | int, others: IntArray | int, drawn: IntArray, found: IntArray) -> FloatArray:
    """Of finding so many marked ones in a draw without replacement."""
    none = np.where(found <= drawn, 0.0, -np.inf)
    rest = np.maximum(drawn - found, 0)
    ways = log_choices(marked, found) + log_choices(others, rest) - log_choices(marked + others, drawn)
    return np.asarray(np.exp(ways + none))


def _at_least(chances: FloatArray) -> FloatArray:
    return np.asarray(chances[:, ::-1].cumsum(axis=1)[:, ::-1])


def _outcomes(size: int, marked: int, drawn: IntArray) -> tuple[IntArray, FloatArray]:
    """(draws, outcomes): how many marked ones are found, and the chances of that, which add up to one."""
    least, most = np.maximum(drawn - (size - marked), 0), np.minimum(drawn, marked)
    share = marked / max(size, 1)
    spread = WIDE * np.sqrt(drawn * share * (1 - share) * (size - drawn) / max(size - 1, 1))
    low = np.clip(np.floor(drawn * share - spread), least, most)[:, None]
    high = np.clip(np.ceil(drawn * share + spread), least, most)[:, None]
    steps = np.arange(min(POINTS, int((high - low).max()) + 1))
    wide = np.ceil((high - low + 1) / POINTS)
    spaced = (low + (wide + 1 - wide % 2) * steps).astype(np.int64)  # odd steps: the test treats even numbers otherwise
    found = np.minimum(spaced, high).astype(np.int64)
    chance = np.where(spaced > high, 0.0, _chances(marked, size - marked, drawn[:, None], found))
    return found, chance / chance.sum(axis=1, keepdims=True)
