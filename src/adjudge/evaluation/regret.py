"""Simple regret: what is lost by choosing the model that a ranking puts first."""

import numpy as np
from numpy.typing import ArrayLike

from adjudge.core.arrays import TIE_DIGITS, competition_rank
from adjudge.errors import InputError

ROUNDING = 10.0**-TIE_DIGITS  # a loss this small is no loss: true values are sums of floats


def regret(estimated: ArrayLike, truth: ArrayLike) -> float:
    """The best true value minus that of the top-ranked model; the mean over models tied for first.

    nan where the true value of a model ranked first is not known.

    >>> regret([0.2, 0.9], truth=[0.75, 0.5]), regret([0.9, 0.9], truth=[0.75, 0.5])
    (0.25, 0.125)
    """
    guess, value = np.asarray(estimated, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    if guess.shape != value.shape:
        raise InputError(
            f"{guess.size} models are estimated but the truth is given for {value.size}; "
            "give one value a model to both, in the same order"
        )
    best = np.fmax.reduce(value)  # passes over nan
    return float(np.mean(best - value[competition_rank(guess) == 1]))


def labels_to_within(regrets: ArrayLike, margin: float = 0.01) -> int:
    """How many labels it takes until the regret stays within the margin of zero.

    `regrets[n]` is the regret after n labels, n = 0 .. N. N + 1 means that it never stayed there.

    >>> labels_to_within([0.2, 0.0, 0.03, 0.01, 0.0]), labels_to_within([0.2, 0.0, 0.03])
    (3, 3)
    """
    within = np.asarray(regrets, dtype=np.float64) <= margin + ROUNDING  # not so for an unknown regret
    outside = np.flatnonzero(~within)
    return int(outside[-1]) + 1 if outside.size else 0


def cumulative_regret(regrets: ArrayLike) -> float:
    """The sum of the regrets after labels 1 .. N; `regrets[0]`, before any label, does not count.

    >>> cumulative_regret([0.5, 0.25, 0.25])
    0.5
    """
    return float(np.sum(np.asarray(regrets, dtype=np.float64)[1:]))
