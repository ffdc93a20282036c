"""Small matrices of predictions to vote on."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from adjudge.core.arrays import Array
from adjudge.core.predictions import Predictions

matrices = st.tuples(st.integers(1, 6), st.integers(1, 12)).flatmap(
    lambda shape: arrays(np.int8, shape, elements=st.integers(-2, 3))
)


def pool_of(values: Array, classes: int = 4) -> Predictions:
    names = tuple(f"m{number}" for number in range(len(values)))
    return Predictions(values, names, range(values.shape[1]), tuple("abcdefgh"[:classes]), abstain=("none",))
