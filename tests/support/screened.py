"""Pools that are screened."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from adjudge.core.arrays import Array
from adjudge.core.predictions import Predictions

patient = settings(deadline=None)  # a kernel compiles at its first call


def pool(values: object, classes: int | None = 2, probabilities: Array | None = None) -> Predictions:
    array = np.asarray(values)
    names = None if classes is None else tuple(f"class {code}" for code in range(classes))
    models = tuple(f"m{model}" for model in range(len(array)))
    return Predictions(array, models, range(array.shape[1]), names, probabilities)


def crowd(rng: np.random.Generator, accuracy: Array, samples: int, classes: int) -> Array:
    """Independent models whose errors fall on any other class alike."""
    truth = rng.integers(classes, size=samples)
    shift = rng.integers(1, classes, size=(len(accuracy), samples))
    right = rng.random((len(accuracy), samples)) < accuracy[:, None]
    return np.where(right, truth, (truth + shift) % classes).astype(np.int8)


pools = hnp.arrays(
    np.int8,
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=7),
    elements=st.integers(-1, 2),
)
