"""The most likely weights of a log-linear pool: Newton's method, compiled, in one thread."""

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.votes import kernel

STEPS = 100  # of Newton's method; ten are usual
CLOSE = 1e-9  # a step that changes no weight by more is the last


@kernel
def climb(
    slot: Array, code: Array, label: Array, start: FloatArray, precision: FloatArray, classes: int
) -> tuple[FloatArray, FloatArray, float]:
    """Newton's method; a step that leads down is halved. In one thread, so that its bits are the same everywhere."""
    here = start.copy()
    height, slope, curve = _look(slot, code, label, here, classes)
    for _ in range(STEPS):
        for place in range(len(here)):
            slope[place] -= precision[place] * (here[place] - start[place])
            curve[place, place] += precision[place]
        _factorize(curve)
        step = _solve(curve, slope)
        length, longest = 1.0, np.abs(step).max()
        while longest * length > CLOSE:
            there = here + length * step
            likelihood, slope, wider = _look(slot, code, label, there, classes)
            reached = likelihood - 0.5 * (precision * (there - start) ** 2).sum()
            if reached >= height:
                break
            length /= 2
        if longest * length <= CLOSE:
            return here, curve, height
        here, height, curve = there, reached, wider
    for place in range(len(here)):
        curve[place, place] += precision[place]
    _factorize(curve)
    return here, curve, height


@kernel
def _factorize(matrix: FloatArray) -> None:
    """The lower Cholesky factor, in place; what is above the diagonal becomes zero."""
    for row in range(len(matrix)):
        for column in range(row):
            rest = matrix[row, column] - _product(matrix[row], matrix[column], column)
            matrix[row, column] = rest / matrix[column, column]
        matrix[row, row] = np.sqrt(matrix[row, row] - _product(matrix[row], matrix[row], row))
        matrix[row, row + 1 :] = 0.0


@kernel
def _product(left: FloatArray, right: FloatArray, length: int) -> float:
    total = 0.0
    for place in range(length):
        total += left[place] * right[place]
    return total


@kernel
def _solve(factor: FloatArray, right: FloatArray) -> FloatArray:
    found = right.copy()
    for row in range(len(found)):
        for column in range(row):
            found[row] -= factor[row, column] * found[column]
        found[row] /= factor[row, row]
    for row in range(len(found) - 1, -1, -1):
        found[row] /= factor[row, row]
        for column in range(row):
            found[column] -= factor[row, column] * found[row]
    return found


@kernel
def _look(
    slot: Array, code: Array, label: Array, here: FloatArray, classes: int
) -> tuple[float, FloatArray, FloatArray]:
    """Log-likelihood of the labels, slope and (negative) curvature at these weights of models and biases of classes."""
    samples, models = slot.shape
    likelihood, slope, curve = 0.0, np.zeros(len(here)), np.zeros((len(here), len(here)))
    score, expected = np.empty(classes), np.empty(len(here))
    spoken = np.empty(len(here), dtype=np.int64)  # who says something, and all classes
    for sample in range(samples):
        score[:] = here[models:]
        for model in range(models):
            if slot[sample, model] >= 0:
                score[code[slot[sample, model]]] += here[model]
        score -= score.max()
        score[:] = np.exp(score)
        score /= score.sum()
        likelihood += np.log(max(score[label[sample]], 1e-300))
        count = 0
        for model in range(models):
            named = slot[sample, model]
            if named < 0:
                continue
            spoken[count] = model
            count += 1
            expected[model] = score[code[named]]
            slope[model] += (code[named] == label[sample]) - expected[model]
            curve[model, models + code[named]] += expected[model]
            for other in spoken[:count]:
                if slot[sample, other] == named:
                    curve[model, other] += expected[model]
        for place in range(classes):
            spoken[count] = models + place
            count += 1
            expected[models + place] = score[place]
            slope[models + place] += (place == label[sample]) - score[place]
            curve[models + place, models + place] += score[place]
        for turn in range(count):
            for other in spoken[: turn + 1]:
                curve[spoken[turn], other] -= expected[spoken[turn]] * expected[other]
    for model in range(models):  # these were counted above the diagonal
        for place in range(models, len(here)):
            curve[place, model] += curve[model, place]
    for place in range(len(here)):
        for other in range(place):
            curve[other, place] = curve[place, other]
    return likelihood, slope, curve
