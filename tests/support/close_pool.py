"""A pool of models that are close to each other."""

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import Predictions


def close_pool(seed: int = 0, samples: int = 120) -> tuple[Predictions, FloatArray]:
    """Four models, the second best 5 points behind."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=samples)
    values = np.tile(truth, (4, 1))
    for row, wrong in zip(values, (0.15, 0.2, 0.3, 0.45), strict=True):
        missed = rng.permutation(samples)[: round(wrong * samples)]
        row[missed] = (truth[missed] + 1 + rng.integers(2, size=len(missed))) % 3
    return Predictions(values, tuple("abcd"), range(samples), tuple("xyz")), truth.astype(float)
