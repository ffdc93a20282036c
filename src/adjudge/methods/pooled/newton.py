"""The most likely weights of a log-linear pool: Newton's method, compiled, in one thread."""

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.kernels import kernel

STEPS = 100  # of Newton's method; ten are usual
CLOSE = 1e-9  # a step that changes no weight by more is the last


@kernel
def climb(
    feature: FloatArray,
    code: Array,
    first: Array,
    label: Array,
    group: Array,
    start: FloatArray,
    precision: FloatArray,
) -> tuple[FloatArray, FloatArray, float]:
    """Newton's method; a step that leads down is halved. In one thread, so that its bits are the same everywhere.

    `feature` is (slots, voices); slots and their classes are those of `core.answers`. Classes of one `group` share a
    bias. Returns weights and biases in one array, the lower Cholesky factor of their precision, and the
    log-likelihood less what the prior takes from it.
    """
    here = start.copy()
    height, slope, curve = _look(feature, code, first, label, group, here)
    for _ in range(STEPS):
        for place in range(len(here)):
            slope[place] -= precision[place] * (here[place] - start[place])
            curve[place, place] += precision[place]
        _factorize(curve)
        step = _solve(curve, slope)
        length, longest = 1.0, np.abs(step).max()
        while longest * length > CLOSE:
            there = here + length * step
            likelihood, slope, wider = _look(feature, code, first, label, group, there)
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
    """The lower Cholesky factor, in place; what is above the diagonal becomes zero.

    Column by column, so that the innermost loop adds to different numbers, which a processor does several at a time.
    """
    below = np.empty(len(matrix))
    for column in range(len(matrix)):
        root = np.sqrt(matrix[column, column])
        matrix[column, column] = root
        matrix[column, column + 1 :] = 0.0
        for row in range(column + 1, len(matrix)):
            matrix[row, column] /= root
            below[row] = matrix[row, column]
            for place in range(column + 1, row + 1):
                matrix[row, place] -= below[row] * below[place]


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
    feature: FloatArray, code: Array, first: Array, label: Array, group: Array, here: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Log-likelihood of the labels, slope and (negative) curvature at these weights of voices and biases of groups."""
    voices, groups = feature.shape[1], len(here) - feature.shape[1]
    likelihood, slope, curve = 0.0, np.zeros(len(here)), np.zeros((len(here), len(here)))
    size = np.bincount(group, minlength=groups).astype(np.float64)
    chance, held, expected = np.empty(len(code)), np.empty(groups), np.empty(len(here))
    for sample in range(len(label)):
        slots = range(first[sample], first[sample + 1])
        held[:] = size  # classes of each group that nobody named, and what they weigh
        top = -np.inf
        for slot in slots:
            held[group[code[slot]]] -= 1
            chance[slot] = here[voices + group[code[slot]]] + _product(feature[slot], here, voices)
            top = max(top, chance[slot])
        for place in range(groups):
            if held[place] > 0:
                top = max(top, here[voices + place])
        for place in range(groups):
            if held[place] > 0:
                held[place] *= np.exp(here[voices + place] - top)
        told = np.exp(min(here[voices + group[label[sample]]] - top, 0.0))
        for slot in slots:
            chance[slot] = np.exp(chance[slot] - top)
            if code[slot] == label[sample]:
                told = chance[slot]
        total = held.sum()
        for slot in slots:
            total += chance[slot]
        held /= total
        likelihood += np.log(max(told / total, 1e-300))
        expected[:voices] = 0.0
        for slot in slots:
            likely, named, place = chance[slot] / total, code[slot] == label[sample], group[code[slot]]
            held[place] += likely
            for voice in range(voices):
                said = feature[slot, voice]
                if said == 0.0:
                    continue
                expected[voice] += likely * said
                slope[voice] += (named - likely) * said
                curve[voices + place, voice] += likely * said
                for other in range(voice + 1):
                    curve[voice, other] += likely * said * feature[slot, other]
        for place in range(groups):
            expected[voices + place] = held[place]
            slope[voices + place] += (place == group[label[sample]]) - held[place]
            curve[voices + place, voices + place] += held[place]
        for place in range(len(here)):
            if expected[place] != 0.0:
                for other in range(place + 1):
                    curve[place, other] -= expected[place] * expected[other]
    for place in range(len(here)):
        for other in range(place):
            curve[other, place] = curve[place, other]
    return likelihood, slope, curve
