"""Two models, and what is said about them."""

from typing import TypeVar

import numpy as np

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from tests.support.pools import uniform_log

T = TypeVar("T")


def said(number: T | None) -> T:
    """What every plan for accuracy says."""
    assert number is not None
    return number


def pair(samples: int, a_wrong: int, b_wrong: int) -> Predictions:
    """Two models whose mistakes do not meet; class 0 is true everywhere."""
    values = np.zeros((2, samples), dtype=np.int64)
    values[0, :a_wrong], values[1, a_wrong : a_wrong + b_wrong] = 1, 1
    return Predictions(values, ("a", "b"), range(samples), ("right", "wrong"))


def uniform(samples: int, count: int, rng: np.random.Generator) -> Labels:
    return uniform_log(np.zeros(samples), rng.permutation(samples)[:count])
