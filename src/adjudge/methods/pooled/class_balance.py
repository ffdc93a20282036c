"""The class-balance prior: biases under which all classes are equally common, given the weights of the models.

Weak models often overpredict the same class: under blur, most of them classify shirts as pullovers. Which of two models
is right there depends on how common the classes are, and many data sets were made with equally common ones. Where there
are votes alone, the prior is for the order of the models (`priors.priors_for_order`).
"""

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.methods.pooled.design_matrix import DesignMatrix
from adjudge.methods.pooled.soft_confusion import DIGITS

STEPS = 15  # after which the class shares are equal to within 1%
STEP_SIZE = 0.8  # full steps may overshoot where classes are confused with each other
MAX_BIAS = 3.0  # log odds, for classes that are hardly ever predicted


def balancing_biases(design: DesignMatrix, weight: Array, classes: int) -> FloatArray:
    """(classes, columns): the biases for each column of the weights (features, columns).

    The bias of a class that no model predicts stays 0.
    """
    code, columns = design.slots.code, weight.shape[1]
    bias = np.zeros((classes, columns), dtype=np.float32)
    predicted = np.bincount(code, minlength=classes) > 0
    for _ in range(STEPS):
        probability = design.probabilities(weight, bias)
        count = np.stack([np.bincount(code, each, minlength=classes) for each in probability.T], axis=1)[predicted]
        equal = count.sum(axis=0) / max(len(count), 1)
        log_ratio = np.log(equal / np.maximum(count, np.finfo(np.float32).tiny))
        bias[predicted] = np.clip(bias[predicted] + STEP_SIZE * log_ratio, -MAX_BIAS, MAX_BIAS)
    return np.asarray(bias, dtype=np.float64).round(DIGITS)
