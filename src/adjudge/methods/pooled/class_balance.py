"""Biases with which all classes are as common as each other, as far as models are believed.

Models that see badly often agree on a class too many: under blur, most of them take shirts for pullovers. Which of two
models is right there follows from how common the classes are, and many data sets were made with equal ones.
"""

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.methods.pooled.design_matrix import Voices
from adjudge.methods.pooled.soft_confusion import DIGITS

STEPS = 15  # after which classes are as common as each other to a hundredth
LENGTH = 0.8  # of a step: whole ones may overshoot where classes are taken for each other
FARTHEST = 3.0  # log odds that a bias may come to, for classes that are hardly ever named


def evened(voices: Voices, weight: Array, classes: int) -> FloatArray:
    """(classes, columns): the biases for each column of the weights (voices, columns); none for what nobody named."""
    code, columns = voices.said.code, weight.shape[1]
    bias = np.zeros((classes, columns), dtype=np.float32)
    named = np.bincount(code, minlength=classes) > 0
    for _ in range(STEPS):
        chance = voices.chances(weight, bias)
        common = np.stack([np.bincount(code, each, minlength=classes) for each in chance.T], axis=1)[named]
        even = common.sum(axis=0) / max(len(common), 1)
        too_rare = np.log(even / np.maximum(common, np.finfo(np.float32).tiny))
        bias[named] = np.clip(bias[named] + LENGTH * too_rare, -FARTHEST, FARTHEST)
    return np.asarray(bias, dtype=np.float64).round(DIGITS)
