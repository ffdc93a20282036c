"""Samples on which the models split in the same way are one group."""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray, smallest_code_type
from adjudge.core.kernels import kernel
from adjudge.core.predictions import ABSTAINED, MISSING, Predictions
from adjudge.methods.patterns import column_patterns

DIGITS = 9  # of an ability: far below the tolerance, and models that mirror each other shall tie


@dataclass(frozen=True, eq=False)
class SampleGroups:
    """Samples on which the models split in the same way: to this fit they are the same sample.

    No class is special, so it only matters which models predict the same class, and which of them predict the label.
    The order of the models here does not depend on their order in the pool, except for identical models and mirror
    images.
    """

    said: Array  # (groups, models): classes numbered in the order in which the models name them; MISSING; ABSTAINED
    truth: Array  # (groups,): the label in these numbers; -1 where there is none
    share: FloatArray  # (groups,): of the models that predict the label, or else the majority
    size: FloatArray  # (groups,): samples
    classes: int
    group: IntArray  # (counted samples,): the group of each


def company(predictions: Predictions, counted: BoolArray) -> IntArray:
    """(2, models): how many models predict what this one does, and the square of it, summed over counted samples.

    Add them up where the samples come in parts.
    """
    assert predictions.classes is not None  # or else there would be no votes
    found = np.zeros((2, len(predictions.models)), dtype=np.int64)
    _count_company(predictions.values, counted, len(predictions.classes), found)
    return found


def model_order(start: FloatArray, found: IntArray) -> IntArray:
    """(models,): the order that depends on what models predict and not on their place in the pool.

    It follows from the start values, then from the company of each model; only identical models and mirror images are
    left as they come.
    """
    return np.lexsort((found[1], found[0], np.round(start, DIGITS)))


def group_samples(predictions: Predictions, known: IntArray, counted: BoolArray, order: IntArray) -> SampleGroups:
    """Group the samples that are counted, with the models in this order; `known` are codes of labels, or -1."""
    assert predictions.classes is not None
    classes, models = len(predictions.classes), len(order)
    said = np.full((models + 1, np.count_nonzero(counted)), MISSING, dtype=smallest_code_type(classes))
    share = np.empty(said.shape[1])
    if not share.size:
        return SampleGroups(said[:-1].T, said[-1], share, share, max(classes, 2), np.empty(0, dtype=np.int64))
    _number_classes(predictions.values, known, counted, order, classes, said, share)  # the label is the last row
    first, group = column_patterns(said)
    truth, share, size = said[-1, first], share[first], np.bincount(group).astype(np.float64)
    # a model that abstains is wrong, which takes a class to be so, even if the others name only one
    return SampleGroups(np.ascontiguousarray(said[:-1, first].T), truth, share, size, max(classes, 2), group)


@kernel
def _count_company(values: Array, counted: Array, classes: int, found: Array) -> None:
    """Add the number of models with the same prediction, and its square, over the samples that are counted."""
    count = np.zeros(classes, dtype=np.int64)
    for sample in range(len(counted)):
        if counted[sample]:
            for model in range(len(values)):
                if values[model, sample] >= 0:
                    count[values[model, sample]] += 1
            for model in range(len(values)):
                if values[model, sample] >= 0:
                    same = count[values[model, sample]]
                    found[0, model] += same
                    found[1, model] += same * same
            for model in range(len(values)):
                if values[model, sample] >= 0:
                    count[values[model, sample]] = 0


@kernel
def _number_classes(
    values: Array, label: Array, counted: Array, order: Array, classes: int, said: Array, share: Array
) -> None:
    """The classes of each counted sample, numbered as they come, and the share of models that predict the winner."""
    number, count, place = np.full(classes, -1), np.zeros(classes, dtype=np.int64), -1
    for sample in range(len(counted)):
        if not counted[sample]:
            continue
        place, named, present, top = place + 1, 0, 0, 0
        for row in range(len(order)):
            code = values[order[row], sample]
            if code >= 0:
                if number[code] < 0:
                    number[code], count[code] = named, 0
                    named += 1
                said[row, place] = number[code]
                count[code] += 1
                top = max(top, count[code])
            elif code != MISSING:
                said[row, place] = ABSTAINED
            present += code != MISSING
        truth = label[sample]
        if truth >= 0:
            top = count[truth] if number[truth] >= 0 else 0
            said[len(order), place] = number[truth] if number[truth] >= 0 else named
        share[place] = top / present
        for row in range(len(order)):
            if values[order[row], sample] >= 0:
                number[values[order[row], sample]] = -1
