"""The power of the exact McNemar test and of the paired t test, and the number of labels they take."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy  # a part of it is imported where it is first used

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.inference.mcnemar import log_binomial

MAX_EXACT_FLIPS = 150  # flips (discordant pairs) up to which the power is exact; beyond, it is a normal approximation
GRID = 40  # numbers of draws for which the power is computed; between them it is interpolated
POINTS = 40  # outcomes of a draw that are looked at, evenly spread over the likely ones
WIDE = 4.0  # standard deviations within which outcomes count as likely


@dataclass(frozen=True, eq=False)
class McNemarPower:
    """The power to reject that two models are equally accurate, for assumed numbers of flips (discordant pairs).

    The test is the exact one of McNemar at the two-sided error rate `alpha`; where it rejects, the interval of
    `compare` excludes zero.

    >>> pair = McNemarPower(wins=15, losses=5, differing=20, alpha=0.05)
    >>> pair.labels_for(0.8, 200), round(pair.power(122, 200), 2), round(pair.power(200, 200), 2)
    (140, 0.63, 1.0)
    """

    wins: int  # samples on which only the first model is right
    losses: int  # samples on which only the second is
    differing: int  # samples on which the predictions differ
    alpha: float

    def labels_for(self, power: float, size: int) -> int:
        """How many draws from `size` samples, which include all differing ones, give this power."""
        short, enough = 0, size
        while enough - short > 1:
            middle = (short + enough) // 2
            short, enough = (short, middle) if self.power(middle, size) >= power else (middle, enough)
        return enough

    def power(self, labels: int, size: int) -> float:
        """The power of `labels` draws."""
        drawn, weight = _outcomes(size, self.differing, np.array([labels]))
        return float((weight * np.interp(drawn, *self._curve)).sum())

    @cached_property
    def _curve(self) -> tuple[IntArray, FloatArray]:
        """Numbers of draws among the differing samples, and the power of each."""
        total = self.wins + self.losses
        first = (
            MAX_EXACT_FLIPS if total == self.differing else GRID
        )  # where every draw is a flip, the power is a step function
        many = np.geomspace(first, max(self.differing, first), GRID).round()
        drawn = np.unique(np.minimum(np.append(np.arange(first), many), self.differing)).astype(np.int64)
        flips, weight = _outcomes(self.differing, total, drawn)
        shown = np.zeros(flips.shape)
        few = flips <= MAX_EXACT_FLIPS
        left = np.broadcast_to((self.differing - drawn)[:, None], flips.shape)
        shown[few], shown[~few] = self._exact(flips[few], left[few]), self._normal(flips[~few], left[~few])
        return drawn, np.asarray((weight * shown).sum(axis=1))

    def _exact(self, flips: IntArray, left: IntArray) -> FloatArray:
        """(cases,): the chance of a split of the flips that the test rejects, with `left` samples left."""
        if not flips.size:
            return np.zeros(0)
        (flips, left), back = np.unique(np.array([flips, left]), axis=1, return_inverse=True)
        flips, left, wins = flips[:, None], left[:, None], np.arange(flips.max() + 1)
        most, refused = flips + left, np.ones((len(flips), len(wins)), dtype=bool)
        for half in (most // 2, (most + 1) // 2):
            refused &= 2 * _at_least(hypergeometric(half, most - half, flips, wins)) <= self.alpha
        refused |= 2 * wins - flips > left
        refused &= (2 * wins > flips) & (wins <= flips)
        shown = (refused * hypergeometric(self.wins, self.losses, flips, wins)).sum(axis=1)
        return np.asarray(shown[back.reshape(-1)])

    def _normal(self, flips: IntArray, left: IntArray) -> FloatArray:
        """The same for many flips, as a smooth normal approximation with a continuity correction of 1/2."""
        total = self.wins + self.losses
        spread = np.sqrt(flips * left / np.maximum(flips + left - 1, 1)) / 2
        fewest = flips / 2 + 1 + scipy.special.ndtri(1 - self.alpha / 2) * spread
        fewest = np.minimum(fewest, (flips + left) // 2 + 1)  # a lead that the samples left cannot reverse
        variance = flips * self.wins * self.losses / total**2 * (total - flips) / max(total - 1, 1)
        distance = flips * self.wins / total - fewest + 0.5
        return np.asarray(scipy.special.ndtr(distance / np.sqrt(np.maximum(variance, 1e-9))))


def draws_for_mean(difference: float, deviation: float, alpha: float, power: float, size: float) -> int:
    """How many draws from `size` samples show a mean difference with this power; at least two.

    By the normal approximation of the paired t test, with the square of its quantile added to the draws of a test that
    knows the standard deviation (Guenther 1981, https://doi.org/10.2307/2683136), and the finite-population correction.

    >>> draws_for_mean(0.5, 1.0, 0.05, 0.8, np.inf), draws_for_mean(0.5, 1.0, 0.05, 0.8, 100)
    (34, 25)
    """
    quantile, wanted = (float(scipy.special.ndtri(each)) for each in (1 - alpha / 2, power))
    draws = ((quantile + wanted) * deviation / difference) ** 2 + quantile**2 / 2
    return max(2, int(np.ceil(min(draws / (1 + draws / size), size))))


def hypergeometric(marked: IntArray | int, others: IntArray | int, drawn: IntArray, found: IntArray) -> FloatArray:
    """Hypergeometric probabilities of `found` marked ones in a draw without replacement."""
    none = np.where(found <= drawn, 0.0, -np.inf)
    rest = np.maximum(drawn - found, 0)
    ways = log_binomial(marked, found) + log_binomial(others, rest) - log_binomial(marked + others, drawn)
    return np.asarray(np.exp(ways + none))


def _at_least(chances: FloatArray) -> FloatArray:
    return np.asarray(chances[:, ::-1].cumsum(axis=1)[:, ::-1])


def _outcomes(size: int, marked: int, drawn: IntArray) -> tuple[IntArray, FloatArray]:
    """(draws, outcomes): numbers of marked ones that may be found, and their probabilities, which add up to one."""
    least, most = np.maximum(drawn - (size - marked), 0), np.minimum(drawn, marked)
    share = marked / max(size, 1)
    spread = WIDE * np.sqrt(drawn * share * (1 - share) * (size - drawn) / max(size - 1, 1))
    low = np.clip(np.floor(drawn * share - spread), least, most)[:, None]
    high = np.clip(np.ceil(drawn * share + spread), least, most)[:, None]
    steps = np.arange(min(POINTS, int((high - low).max()) + 1))
    wide = np.ceil((high - low + 1) / POINTS)
    spaced = (low + (wide + 1 - wide % 2) * steps).astype(
        np.int64
    )  # odd steps: the test treats even numbers differently
    found = np.minimum(spaced, high).astype(np.int64)
    chance = np.where(spaced > high, 0.0, hypergeometric(marked, size - marked, drawn[:, None], found))
    return found, chance / chance.sum(axis=1, keepdims=True)
