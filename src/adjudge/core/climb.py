"""The most likely weights of a log-linear pool: Newton's method, compiled, in one thread."""

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.votes import kernel

STEPS = 100  # of Newton's method; ten are usual
CLOSE = 1e-9  # a step that changes no weight by more is the last


@kernel
def climb(
    feature: FloatArray,
    code: Array,
    first: Array,
    label: Array,
    start: FloatArray,
    precision: FloatArray,
    classes: int,
) -> tuple[FloatArray, FloatArray, float]:
    """Newton's method; a step that leads down is halved. In one thread, so that its bits are the same everywhere.

    `feature` is (slots, voices); slots and their classes are those of `core.answers`. Returns weights and biases in one
    array, the lower Cholesky factor of their precision, and the log-likelihood less what the prior takes from it.
    """
    here = start.copy()
    height, slope, curve = _look(feature, code, first, label, here, classes)
    for _ in range(STEPS):
        for place in range(len(here)):
            slope[place] -= precision[place] * (here[place] - start[place])
            curve[place, place] += precision[place]
        _factorize(curve)
        step = _solve(curve, slope)
        length, longest = 1.0, np.abs(step).max()
        while longest * length > CLOSE:
            there = here + length * step
            likelihood, slope, wider = _look(feature, code, first, label, there, classes)
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
    feature: FloatArray, code: Array, first: Array, label: Array, here: FloatArray, classes: int
) -> tuple[float, FloatArray, FloatArray]:
    """Log-likelihood of the labels, slope and (negative) curvature at these weights of voices and biases of classes."""
    voices = feature.shape[1]
    likelihood, slope, curve = 0.0, np.zeros(len(here)), np.zeros((len(here), len(here)))
    score, expected = np.empty(classes), np.empty(len(here))
    loud = np.empty(len(here), dtype=np.int64)  # who says something for a slot, or for any
    for sample in range(len(label)):
        score[:] = here[voices:]
        for slot in range(first[sample], first[sample + 1]):
            score[code[slot]] += _product(feature[slot], here, voices)
        score -= score.max()
        score[:] = np.exp(score)
        score /= score.sum()
        likelihood += np.log(max(score[label[sample]], 1e-300))
        expected[:voices] = 0.0
        for slot in range(first[sample], first[sample + 1]):
            likely, named = score[code[slot]], code[slot] == label[sample]
            count = 0
            for voice in range(voices):
                said = feature[slot, voice]
                if said == 0.0:
                    continue
                loud[count] = voice
                count += 1
                expected[voice] += likely * said
                slope[voice] += (named - likely) * said
                curve[voices + code[slot], voice] += likely * said
                for other in loud[:count]:
                    curve[voice, other] += likely * said * feature[slot, other]
        count = 0
        for voice in range(voices):
            if expected[voice] != 0.0:
                loud[count] = voice
                count += 1
        for place in range(classes):
            loud[count] = voices + place
            count += 1
            expected[voices + place] = score[place]
            slope[voices + place] += (place == label[sample]) - score[place]
            curve[voices + place, voices + place] += score[place]
        for turn in range(count):
            for other in loud[: turn + 1]:
                curve[loud[turn], other] -= expected[loud[turn]] * expected[other]
    for place in range(len(here)):
        for other in range(place):
            curve[other, place] = curve[place, other]
    return likelihood, slope, curve
