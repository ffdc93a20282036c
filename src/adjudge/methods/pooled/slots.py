"""The distinct answers to each sample, as slots: models that give the same answer share one."""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.kernels import exact_kernel, kernel

LOG_FLOOR = 1e-12  # the smallest probability whose logarithm is taken
MISSING, ABSTAINED = -1, -2  # in place of the slot of a model without a prediction, and of one that abstains


@dataclass(frozen=True, eq=False)
class Slots:
    """The distinct answers to some samples; classes that no model predicts take no memory.

    With a thousand classes and a hundred models a sample has at most a hundred slots, usually two or three.
    """

    slot: Array  # (samples, models): the slot of the model's prediction, or MISSING, or ABSTAINED
    code: Array  # (slots,): the class of the slot
    first: IntArray  # (samples + 1,): the slots of sample i are first[i] .. first[i + 1]

    @property
    def sample(self) -> IntArray:
        """(slots,): the sample to which a slot belongs."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))


def slots_of(columns: Array, classes: int) -> Slots:
    """The slots of some columns of a pool, given as (models, samples).

    >>> found = slots_of(np.array([[0, 2], [1, 2], [0, -1]]), classes=3)
    >>> found.slot.tolist(), found.code.tolist(), found.first.tolist()
    ([[0, 1, 0], [2, 2, -1]], [0, 1, 2], [0, 2, 3])
    """
    slot, code, first = _number_slots(np.ascontiguousarray(columns.T), classes)
    return Slots(slot, code, first)


def by_class(slots: Slots, classes: int) -> Array:
    """(samples, models * (1 + classes)): the slot of each model, then of each pair of a model and a class.

    A pair has a slot where the model predicts that class, and is MISSING elsewhere.

    >>> by_class(slots_of(np.array([[0, 1], [1, 1]]), classes=2), classes=2).tolist()
    [[0, 1, 0, -1, -1, 1], [2, 2, -1, 2, -1, 2]]
    """
    samples, models = slots.slot.shape
    wide = np.full((samples, models * (1 + classes)), MISSING, dtype=slots.slot.dtype)
    wide[:, :models] = slots.slot
    sample, model = np.nonzero(slots.slot >= 0)
    slot = slots.slot[sample, model]
    wide[sample, models + model * classes + slots.code[slot]] = slot
    return wide


@exact_kernel
def _number_slots(rows: Array, classes: int) -> tuple[Array, Array, IntArray]:
    samples, models = rows.shape
    slot = np.full((samples, models), MISSING, dtype=np.int32)
    code = np.empty(samples * min(models, classes), dtype=np.int32)
    first = np.zeros(samples + 1, dtype=np.int64)
    where = np.full(classes, MISSING, dtype=np.int64)
    count = 0
    for sample in range(samples):
        for model in range(models):
            answer = rows[sample, model]
            if answer < 0:
                slot[sample, model] = MISSING if answer == MISSING else ABSTAINED
                continue
            if where[answer] < first[sample]:  # a slot of an earlier sample
                where[answer] = count
                code[count] = answer
                count += 1
            slot[sample, model] = where[answer]
        first[sample + 1] = count
    return slot, code[:count].copy(), first


@kernel
def _exponentials(bias: Array) -> tuple[Array, Array, Array]:
    """The largest bias of each draw; the sum of all exponentials, relative to that of the largest; and each of them."""
    classes, draws = bias.shape
    largest, total = bias[0].copy(), np.zeros(draws, dtype=np.float32)
    found = np.empty((classes, draws), dtype=np.float32)
    for label in range(classes):
        for draw in range(draws):
            largest[draw] = max(largest[draw], bias[label, draw])
    for label in range(classes):
        for draw in range(draws):
            found[label, draw] = np.exp(bias[label, draw] - largest[draw])
            total[draw] += found[label, draw]
    return largest, total, found


@kernel
def _used(weight: Array) -> IntArray:
    """The draws with any weight: those from a prior that does not use these features have none."""
    used, count = np.empty(weight.shape[1], dtype=np.int64), 0
    for draw in range(weight.shape[1]):
        for feature in range(len(weight)):
            if weight[feature, draw] != 0:
                used[count] = draw
                count += 1
                break
    return used[:count]


@kernel
def softmax(slot: Array, code: Array, first: Array, weight: Array, bias: Array, offset: Array) -> Array:
    """(slots, draws): the probability of each slot's class in a log-linear model.

    The logit of a class is its `bias` (classes, draws), plus the `weight` (features, draws) of each indicator feature
    that is 1 at its slot, plus an `offset` (slots, draws), which has no rows if it is zero. Feature j of sample i is 1
    at slot[i, j], if that is not MISSING. The classes without a slot have the rest of the probability.
    """
    (samples, features), draws = slot.shape, weight.shape[1]
    found = np.empty((len(code), draws), dtype=np.float32)
    largest, all_classes, by_bias = _exponentials(bias)
    total, top = np.empty(draws, dtype=np.float32), np.empty(draws, dtype=np.float32)
    used = _used(weight)
    used_weight = np.empty((features, len(used)), dtype=np.float32)
    for feature in range(features):
        for each in range(len(used)):
            used_weight[feature, each] = weight[feature, used[each]]
    logit = np.zeros((len(bias), len(used)), dtype=np.float32)
    for sample in range(samples):
        start, stop = first[sample], first[sample + 1]
        logit[: stop - start] = 0.0
        for feature in range(features):
            place = slot[sample, feature] - start
            if place >= 0:
                for each in range(len(used)):
                    logit[place, each] += used_weight[feature, each]
        for place in range(start, stop):
            for draw in range(draws):
                found[place, draw] = bias[code[place], draw] + (offset[place, draw] if len(offset) else np.float32(0))
            for each in range(len(used)):
                found[place, used[each]] += logit[place - start, each]
        for draw in range(draws):
            top[draw], total[draw] = largest[draw], all_classes[draw]
            if stop - start == len(bias):  # every class has a slot: what is left over is rounding
                top[draw], total[draw] = -np.inf, 0.0
        for place in range(start, stop):
            for draw in range(draws):
                total[draw] -= by_bias[code[place], draw]
                top[draw] = max(top[draw], found[place, draw])
        for draw in range(draws):
            total[draw] = total[draw] * np.exp(largest[draw] - top[draw]) if total[draw] > 0 else 0.0
        for place in range(start, stop):
            for draw in range(draws):
                found[place, draw] = np.exp(found[place, draw] - top[draw])
                total[draw] += found[place, draw]
        for place in range(start, stop):
            for draw in range(draws):
                found[place, draw] /= total[draw]
    return found


@kernel
def entropies(probability: Array, first: Array) -> Array:
    """(samples, draws): the entropy of a sample's class in nats; classes without a slot count as one class."""
    samples, draws = len(first) - 1, probability.shape[1]
    entropy = np.zeros((samples, draws), dtype=np.float32)
    rest = np.empty(draws, dtype=np.float32)
    for sample in range(samples):
        for draw in range(draws):
            rest[draw] = 1.0
        for place in range(first[sample], first[sample + 1]):
            for draw in range(draws):
                each = probability[place, draw]
                rest[draw] -= each
                entropy[sample, draw] -= each * np.log(max(each, np.float32(LOG_FLOOR)))
        for draw in range(draws):
            entropy[sample, draw] -= rest[draw] * np.log(max(rest[draw], np.float32(LOG_FLOOR)))
    return entropy


@kernel
def sums_for_samples(value: Array, first: Array) -> Array:
    """(samples, draws): the sum of values (slots, draws) over the slots of a sample."""
    total = np.zeros((len(first) - 1, value.shape[1]))
    for sample in range(len(first) - 1):
        for place in range(first[sample], first[sample + 1]):
            for draw in range(value.shape[1]):
                total[sample, draw] += value[place, draw]
    return total


@kernel
def sums_for_models(slot: Array, value: Array, count: Array) -> Array:
    """(models, draws): for each model, the weighted sum over samples of the values (slots, draws) at its slot."""
    samples, models = slot.shape
    draws = value.shape[1]
    total = np.zeros((models, draws))
    for sample in range(samples):
        times = np.float32(count[sample])
        if times == 0:
            continue
        for model in range(models):
            place = slot[sample, model]
            if place >= 0:
                for draw in range(draws):
                    total[model, draw] += value[place, draw] * times
    return total


@kernel
def covariances(slot: Array, probability: Array, first: Array, draw_weight: FloatArray, count: Array) -> FloatArray:
    """(models, models): the aleatoric covariance of being right, summed over samples with their counts.

    Within a draw the class probabilities (slots, draws) are known, so only the noise of the labels counts: a sample on
    which the draws differ, but each is certain, adds nothing. The result is the weighted mean over draws.

    >>> slots = slots_of(np.array([[0, 0], [0, 1]]), classes=2)
    >>> probability = np.array([[0.5, 0.5], [0.9, 0.9], [0.1, 0.1]])
    >>> covariances(slots.slot, probability, slots.first, np.array([0.5, 0.5]), np.array([1, 2])).round(2).tolist()
    [[0.43, 0.07], [0.07, 0.43]]
    """
    samples, models = slot.shape
    total, each = np.zeros((models, models)), np.empty(len(draw_weight))
    for sample in range(samples):
        start, stop = first[sample], first[sample + 1]
        within = np.zeros((stop - start, stop - start))
        for one in range(start, stop):
            for other in range(start, one + 1):
                for draw in range(len(draw_weight)):  # apart from their sum, so that it can be vectorized
                    both = probability[one, draw] * ((one == other) - probability[other, draw])
                    each[draw] = draw_weight[draw] * both * count[sample]
                added = 0.0
                for draw in range(len(draw_weight)):
                    added += each[draw]
                within[one - start, other - start] = within[other - start, one - start] = added
        for model in range(models):
            place = slot[sample, model]
            if place < 0:
                continue
            for other in range(model + 1):
                there = slot[sample, other]
                if there >= 0:
                    total[model, other] += within[place - start, there - start]
    for model in range(models):
        for other in range(model):
            total[other, model] = total[model, other]
    return total
