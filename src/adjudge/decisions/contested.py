"""The most contested samples of a pool, and what the models say about one."""

from math import isnan

import numpy as np

from adjudge.core.arrays import IntArray
from adjudge.core.predictions import MISSING, Predictions
from adjudge.methods.peers.vote_entropy import VoteEntropy


def most_contested(predictions: Predictions, most: int) -> IntArray:
    """The samples on which models differ most, first: by the entropy of the vote, or by the spread of numbers.

    Answers to be graded are counted; where only scores are known, no sample is contested.

    >>> pool = Predictions(np.array([[0, 1, 1], [0, 0, 1], [0, 1, 1]]), ("a", "b", "c"), range(3), ("x", "y"))
    >>> most_contested(pool, 5)
    array([1])
    """
    if predictions.classes is not None:
        spread = VoteEntropy().entropy(predictions)
    elif predictions.grades is not None:
        in_order = np.sort(predictions.values, axis=0)  # nan is last, and differs from all
        spread = (np.diff(in_order, axis=0) > 0).sum(axis=0) * (predictions.grades.texts is not None)
    else:
        said = ~np.isnan(predictions.values)
        total, square = (np.where(said, predictions.values**power, 0.0).sum(axis=0) for power in (1, 2))
        count = np.maximum(said.sum(axis=0), 1)
        spread = square / count - (total / count) ** 2
    order = np.argsort(-spread, kind="stable")[:most]
    return np.asarray(order[spread[order] > 0])


def answers_about(predictions: Predictions, sample: int) -> list[tuple[str | None, list[str]]]:
    """What the models say about a sample, with their names, the most frequent answer first; None: no prediction.

    All abstentions stand under the first name that was declared for them.

    >>> pool = Predictions(np.array([[0], [1], [0]]), ("a", "b", "c"), range(1), ("x", "y"))
    >>> answers_about(pool, 0)
    [('x', ['a', 'c']), ('y', ['b'])]
    """
    said: dict[str | None, list[str]] = {}
    for model, value in zip(predictions.models, predictions.values[:, sample].tolist(), strict=True):
        if predictions.grades is not None:
            texts = predictions.grades.texts
            answer = None if isnan(value) else model if texts is None else texts[int(value)].as_py()
        elif predictions.classes is None:
            answer = None if isnan(value) else f"{value:g}"
        else:
            named = predictions.classes if value >= 0 else predictions.abstain
            answer = None if value == MISSING else named[max(value, 0)]
        said.setdefault(answer, []).append(model)
    return sorted(said.items(), key=lambda each: -len(each[1]))
