"""What the pool believes about the truth of each sample."""

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import MethodError


def truth_chances(predictions: Predictions, labels: Labels) -> FloatArray:
    """(samples, classes): the chance that each class is the true one; a label is certain.

    >>> pool = Predictions(np.array([[0, 1], [0, 0]]), ("a", "b"), range(2), ("x", "y"))
    >>> truth_chances(pool, Labels.empty(2)).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    if predictions.classes is None:
        raise MethodError("chances of the truth need classes, and these predictions are numbers")
    samples, classes = predictions.values.shape[1], len(predictions.classes)
    shares = np.zeros((samples, classes))
    every = np.arange(samples)
    for row in predictions.values:
        said = row >= 0
        shares[every[said], row[said]] += 1.0
    total = shares.sum(axis=1, keepdims=True)
    shares = np.where(total > 0, shares / np.maximum(total, 1.0), 1 / classes)
    usable = labels.usable
    shares[labels.sample[usable]] = np.eye(classes)[labels.value[usable].astype(np.int64)]
    return shares
