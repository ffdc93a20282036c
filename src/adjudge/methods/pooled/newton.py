"""Maximum a posteriori weights of the log-linear model: Newton's method, compiled, in one thread.

Kernels loop over numbers rather than combine whole arrays: numba compiles a loop several times faster, since arrays
that may not fit together bring the code for an error message along.
"""

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.core.kernels import kernel

MAX_STEPS = 100  # ten are usual
TOLERANCE = 1e-9  # a step that changes no parameter by more is the last


@kernel
def newton(
    feature: FloatArray,
    code: Array,
    first: Array,
    label: Array,
    group: Array,
    prior_mean: FloatArray,
    prior_precision: FloatArray,
) -> tuple[FloatArray, FloatArray, float]:
    """Maximize the log-posterior by Newton's method, halving steps that lower it.

    `feature` is the design matrix (slots, features) of the labeled samples, `code` and `first` their slots (`Slots`)
    and `label` their classes. Classes of one `group` share a bias. The search starts from the mean of the normal prior
    of weights and biases. Returns the weights and biases in one array, the lower Cholesky factor of the negative
    Hessian there (the precision of Laplace's approximation), and the log-posterior up to the constant of the prior.

    It runs in one thread, so that the result is the same to the last bit on every machine.
    """
    point = prior_mean.copy()
    log_posterior, gradient, hessian = _derivatives(feature, code, first, label, group, point)
    for _ in range(MAX_STEPS):
        for place in range(len(point)):
            gradient[place] -= _product(prior_precision[place], point - prior_mean, len(point))
            for other in range(len(point)):
                hessian[place, other] += prior_precision[place, other]
        _cholesky(hessian)
        step = _solve(hessian, gradient)
        length, longest = 1.0, 0.0
        for place in range(len(step)):
            longest = max(longest, abs(step[place]))
        while longest * length > TOLERANCE:
            next_point, away, penalty = np.empty(len(point)), np.empty(len(point)), 0.0
            for place in range(len(point)):
                next_point[place] = point[place] + length * step[place]
                away[place] = next_point[place] - prior_mean[place]
            for place in range(len(point)):
                penalty += away[place] * _product(prior_precision[place], away, len(point))
            likelihood, gradient, next_hessian = _derivatives(feature, code, first, label, group, next_point)
            reached = likelihood - 0.5 * penalty
            if reached >= log_posterior:
                break
            length /= 2
        if longest * length <= TOLERANCE:
            return point, hessian, log_posterior
        point, log_posterior, hessian = next_point, reached, next_hessian
    for place in range(len(point)):
        for other in range(len(point)):
            hessian[place, other] += prior_precision[place, other]
    _cholesky(hessian)
    return point, hessian, log_posterior


@kernel
def _cholesky(matrix: FloatArray) -> None:
    """The lower Cholesky factor, in place, with zeros above the diagonal.

    Column by column, so that the innermost loop adds to different numbers and can be vectorized.
    """
    below = np.empty(len(matrix))
    for column in range(len(matrix)):
        root = np.sqrt(matrix[column, column])
        matrix[column, column] = root
        for place in range(column + 1, len(matrix)):
            matrix[column, place] = 0.0
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
    """Solve factor @ factor.T @ x = right."""
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
def _derivatives(
    feature: FloatArray, code: Array, first: Array, label: Array, group: Array, point: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Log-likelihood of the labels, its gradient and its negative Hessian at these weights and biases."""
    features, groups = feature.shape[1], len(point) - feature.shape[1]
    likelihood, gradient, hessian = 0.0, np.zeros(len(point)), np.zeros((len(point), len(point)))
    size = np.zeros(groups)
    for place in group:
        size[place] += 1
    by_slot, by_group, expected = np.empty(len(code)), np.empty(groups), np.empty(len(point))
    for sample in range(len(label)):
        slots = range(first[sample], first[sample + 1])
        for place in range(groups):
            by_group[place] = size[place]
        total, of_label = _exponentials(feature, code, slots, label[sample], group, point, by_slot, by_group)
        for place in range(groups):
            by_group[place] /= total
        likelihood += np.log(max(of_label / total, 1e-300))
        for column in range(features):
            expected[column] = 0.0
        for slot in slots:
            probability, is_label, place = by_slot[slot] / total, code[slot] == label[sample], group[code[slot]]
            by_group[place] += probability
            for column in range(features):
                value = feature[slot, column]
                if value == 0.0:
                    continue
                expected[column] += probability * value
                gradient[column] += (is_label - probability) * value
                hessian[features + place, column] += probability * value
                for other in range(column + 1):
                    hessian[column, other] += probability * value * feature[slot, other]
        for place in range(groups):
            expected[features + place] = by_group[place]
            gradient[features + place] += (place == group[label[sample]]) - by_group[place]
            hessian[features + place, features + place] += by_group[place]
        for place in range(len(point)):
            if expected[place] != 0.0:
                for other in range(place + 1):
                    hessian[place, other] -= expected[place] * expected[other]
    for place in range(len(point)):
        for other in range(place):
            hessian[other, place] = hessian[place, other]
    return likelihood, gradient, hessian


@kernel
def _exponentials(
    feature: FloatArray,
    code: Array,
    slots: range,
    label: int,
    group: Array,
    point: FloatArray,
    by_slot: FloatArray,
    by_group: FloatArray,
) -> tuple[float, float]:
    """The exponentials of one sample's logits, into `by_slot`, and of the classes without a slot into `by_group`.

    `by_group` comes with the number of classes in each group. Returns the sum of all, and that of the label's class.
    """
    features, top = feature.shape[1], -np.inf
    for slot in slots:
        by_group[group[code[slot]]] -= 1
        by_slot[slot] = point[features + group[code[slot]]] + _product(feature[slot], point, features)
        top = max(top, by_slot[slot])
    for place in range(len(by_group)):
        if by_group[place] > 0:
            top = max(top, point[features + place])
    for place in range(len(by_group)):
        if by_group[place] > 0:
            by_group[place] *= np.exp(point[features + place] - top)
    of_label = np.exp(min(point[features + group[label]] - top, 0.0))
    for slot in slots:
        by_slot[slot] = np.exp(by_slot[slot] - top)
        if code[slot] == label:
            of_label = by_slot[slot]
    total = 0.0
    for place in range(len(by_group)):
        total += by_group[place]
    for slot in slots:
        total += by_slot[slot]
    return total, of_label
