"""Log-likelihood of the predictions under confusion matrices, summed over models: for few classes, and for many.

The confusion matrix e[c, k] of each model is counted from the class probabilities of each group of samples (`start`,
`codes`, `probabilities`: see `SparsePosterior`). Then log e[c, k], with k the prediction of the model, is added to the
scores (groups x classes) of the groups from `low` on. For many classes both are done at once.
"""

from math import log

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.kernels import kernel

PSEUDO_COUNT = 1e-10  # added to every cell of a confusion matrix: the logarithm of zero is no number
BLOCK = 1024  # groups that stay in the processor cache while all models pass


@kernel
def confusion_counts(
    values: Array, size: Array, start: Array, codes: Array, probabilities: Array, classes: int
) -> Array:
    """(models, prediction, truth): expected numbers of samples, counted from the class probabilities."""
    models, groups = values.shape
    table = np.zeros((models, classes, classes))
    for block in range(0, groups, BLOCK):
        for model in range(models):
            for group in range(block, min(block + BLOCK, groups)):
                answer = values[model, group]
                if answer >= 0:
                    for place in range(start[group], start[group + 1]):
                        table[model, answer, codes[place]] += size[group] * probabilities[place]
    return table


@kernel
def log_confusions(counts: Array) -> Array:
    """(models, prediction, truth): the logarithms of the confusion matrices."""
    table = counts.copy()
    for model in range(len(table)):
        _take_logs(table[model])
    return table


@kernel
def add_by_table(values: Array, table: Array, low: int, scores: Array) -> None:
    """With all confusion matrices in memory: fast for few classes."""
    models, (rows, classes) = len(values), scores.shape
    for block in range(0, rows, BLOCK):
        for model in range(models):
            for row in range(block, min(block + BLOCK, rows)):
                answer = values[model, low + row]
                if answer >= 0:
                    for code in range(classes):
                        scores[row, code] += table[model, answer, code]


@kernel
def _take_logs(table: Array) -> None:
    """Counts (prediction, truth) to log probabilities; a class that the model never predicts counts for nothing."""
    classes = len(table)
    answers = 0
    for answer in range(classes):
        answers += table[answer].max() > 0
    for code in range(classes):
        total = log(table[:, code].sum() + PSEUDO_COUNT * answers)
        for answer in range(classes):
            table[answer, code] = log(table[answer, code] + PSEUDO_COUNT) - total


@kernel
def add_by_answer(
    values: Array, size: Array, start: Array, codes: Array, probabilities: Array, whole: Array, low: int, scores: Array
) -> None:
    """One model and one predicted class after the other: no confusion matrix is ever held as a whole.

    `whole` is the number of samples of each class. The value of an empty cell is added once for all groups, so that
    only filled cells cost time.
    """
    common = np.zeros(len(whole))
    for model in range(len(values)):
        _add_model(values[model], size, start, codes, probabilities, whole, common, low, scores)
    scores += common


@kernel
def _by_answer(predicted: Array, classes: int) -> tuple[Array, Array]:
    """The groups in the order of the model's predictions; those of class k are from first[k] to first[k + 1]."""
    first, order = np.zeros(classes + 1, dtype=np.int64), np.empty(len(predicted), dtype=np.int32)
    for code in predicted:
        if code >= 0:
            first[code + 1] += 1
    for code in range(classes):
        first[code + 1] += first[code]
    place = first[:-1].copy()
    for group in range(len(predicted)):
        code = predicted[group]
        if code >= 0:
            order[place[code]] = group
            place[code] += 1
    return first, order


@kernel
def _empty_cells(
    predicted: Array, size: Array, start: Array, codes: Array, probabilities: Array, whole: Array
) -> Array:
    """(classes,): log e[c, k] for the classes k that the model never predicts where c may be the truth."""
    classes = len(whole)
    total, used = whole.copy(), np.zeros(classes, dtype=np.bool_)
    for group in range(len(predicted)):
        if predicted[group] >= 0:
            used[predicted[group]] = True
        else:
            for place in range(start[group], start[group + 1]):
                total[codes[place]] -= size[group] * probabilities[place]
    answers = max(1, used.sum())
    empty = np.empty(classes)
    for code in range(classes):
        empty[code] = log(PSEUDO_COUNT) - log(max(total[code], 0.0) + PSEUDO_COUNT * answers)
    return empty


@kernel
def _add_model(
    predicted: Array,
    size: Array,
    start: Array,
    codes: Array,
    probabilities: Array,
    whole: Array,
    common: Array,
    low: int,
    scores: Array,
) -> None:
    """What one model adds to the scores, less what goes to `common`."""
    classes, high = len(whole), low + len(scores)
    empty = _empty_cells(predicted, size, start, codes, probabilities, whole)
    common += empty
    for group in range(low, high):
        if predicted[group] < 0:
            for code in range(classes):
                scores[group - low, code] -= empty[code]
    first, order = _by_answer(predicted, classes)
    cell, filled = np.zeros(classes), np.empty(classes, dtype=np.int64)
    for answer in range(classes):
        groups, count = order[first[answer] : first[answer + 1]], 0
        for group in groups:
            for place in range(start[group], start[group + 1]):
                code = codes[place]
                if cell[code] == 0.0:
                    filled[count] = code
                    count += 1
                cell[code] += size[group] * probabilities[place]
        for code in filled[:count]:
            cell[code] = log(cell[code] / PSEUDO_COUNT + 1.0)
        for group in groups:
            if low <= group < high:
                _add_cells(scores, group - low, cell, filled, count)
        cell[filled[:count]] = 0.0


@kernel
def _add_cells(scores: Array, row: int, cell: Array, filled: Array, count: int) -> None:
    if 4 * count > len(cell):  # adding zeros too is faster than picking the others
        for code in range(len(cell)):
            scores[row, code] += cell[code]
    else:
        for number in range(count):
            scores[row, filled[number]] += cell[filled[number]]
