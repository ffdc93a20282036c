"""A pool for comparing two of its models, and labels of it."""

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.simulation.contract import example_pool
from tests.support.pools import uniform_log

SAMPLES = 300
Pool = tuple[Predictions, FloatArray]


def compared_pool() -> Pool:
    """Five models, and the truth."""
    made, truth = example_pool(models=5, samples=SAMPLES, classes=3, seed=3)
    return made, truth.astype(np.float64)


def uniform(truth: FloatArray, count: int, rng: np.random.Generator) -> Labels:
    """A simple random sample of labels."""
    return uniform_log(truth, rng.permutation(len(truth))[:count])


def accuracy(values: Array, truth: FloatArray) -> float:
    return float((values == truth).mean())
