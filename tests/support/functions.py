"""Models that are functions of a file: good ones, and some that fail in their own way."""

import adjudge
from adjudge.core.predictions import Predictions
from adjudge.models.datasets import Dataset

CODE = """
import os
import numpy as np

def count():
    with open(os.environ["COUNTED"], "a") as file:
        file.write("x")

def parity(rows):
    count()
    return (np.asarray(rows)[:, 0] % 2).astype(int)

def halves(rows):
    high = (rows[:, 0] >= 5).astype(float)
    return np.stack([0.9 - 0.8 * high, 0.1 + 0.8 * high], axis=1)

def three(rows):
    return np.tile([0.2, 0.3, 0.5], (len(rows), 1))

def names(rows):
    return ["odd" if each % 2 else "even" for each in rows[:, 0]]

def number(rows):
    return rows[:, 0] * 1.5

def certain(rows):
    return rows[:, 0] / 10

def broken(rows):
    raise RuntimeError("boom\\nand more")

def broken_by_noise(rows):
    count()
    if rows.max() > 0:
        raise RuntimeError("too bright")
    return [0] * len(rows)

def counted_broken(rows):
    count()
    raise RuntimeError("never works")

def greedy(rows):
    if len(rows) > 3:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 99 bytes")
    return rows[:, 0].astype(int)

def hopeless(rows):
    raise MemoryError

def short(rows):
    return [0]

def stop_at_six(rows):
    count()
    if rows[0, 0] >= 6 and not os.path.exists(os.environ["COUNTED"] + ".go"):
        raise KeyboardInterrupt
    return rows[:, 0].astype(int)
"""


def pool_of(*models: str, data: Dataset, probabilities: bool = False) -> Predictions:
    return adjudge.predict(models, data, probabilities=probabilities).predictions
