"""Runs of methods."""

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.experiments.rankings import Runs


def runs(values: FloatArray | list[list[float]], budgets: tuple[int, ...] = (10, 20)) -> Runs:
    return Runs(budgets, np.asarray(values, dtype=np.float64))
