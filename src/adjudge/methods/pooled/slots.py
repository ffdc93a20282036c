"""What the models answered, sample by sample: each distinct answer is a slot that its models share."""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.kernels import kernel

TINY = 1e-12  # a chance whose logarithm is not taken
NOBODY = -1  # the slot of a model that said nothing


@dataclass(frozen=True, eq=False)
class Answers:
    """The distinct answers to some samples; classes that nobody named take no room.

    With a thousand classes and a hundred models a sample still has a hundred slots at most, and mostly two or three.
    """

    slot: Array  # (samples, models): where the model's answer is, or NOBODY
    code: Array  # (slots,): the class it names
    first: IntArray  # (samples + 1,): the slots of a sample are first[i] .. first[i + 1]

    @property
    def sample(self) -> IntArray:
        """(slots,): to which sample a slot belongs."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))


def answers(columns: Array, classes: int) -> Answers:
    """The answers in some columns of a pool, given as (models, samples).

    >>> found = answers(np.array([[0, 2], [1, 2], [0, -1]]), classes=3)
    >>> found.slot.tolist(), found.code.tolist(), found.first.tolist()
    ([[0, 1, 0], [2, 2, -1]], [0, 1, 2], [0, 2, 3])
    """
    slot, code, first = _slots(np.ascontiguousarray(columns.T), classes)
    return Answers(slot, code, first)


def by_class(said: Answers, classes: int) -> Array:
    """(samples, models * (1 + classes)): the slots, and each model once more for each class, silent about the others.

    >>> by_class(answers(np.array([[0, 1], [1, 1]]), classes=2), classes=2).tolist()
    [[0, 1, 0, -1, -1, 1], [2, 2, -1, 2, -1, 2]]
    """
    samples, models = said.slot.shape
    wide = np.full((samples, models * (1 + classes)), NOBODY, dtype=said.slot.dtype)
    wide[:, :models] = said.slot
    sample, model = np.nonzero(said.slot != NOBODY)
    slot = said.slot[sample, model]
    wide[sample, models + model * classes + said.code[slot]] = slot
    return wide


@kernel
def _slots(rows: Array, classes: int) -> tuple[Array, Array, IntArray]:
    samples, models = rows.shape
    slot = np.full((samples, models), NOBODY, dtype=np.int32)
    code = np.empty(samples * min(models, classes), dtype=np.int32)
    first = np.zeros(samples + 1, dtype=np.int64)
    where = np.full(classes, NOBODY, dtype=np.int64)
    count = 0
    for sample in range(samples):
        for model in range(models):
            said = rows[sample, model]
            if said < 0:
                continue
            if where[said] < first[sample]:  # a slot of an earlier sample
                where[said] = count
                code[count] = said
                count += 1
            slot[sample, model] = where[said]
        first[sample + 1] = count
    return slot, code[:count].copy(), first


@kernel
def chances(slot: Array, code: Array, first: Array, weight: Array, bias: Array, more: Array) -> Array:
    """(slots, draws): the chance of each answer, when each model's vote weighs and each class has a bias.

    `weight` is (models, draws), `bias` (classes, draws), `more` (slots, draws) what else speaks for an answer. The
    chances of a sample's slots leave over that of the classes nobody named.
    """
    samples, models = slot.shape
    draws = weight.shape[1]
    found = np.empty((len(code), draws), dtype=np.float32)
    largest = np.zeros(draws, dtype=np.float32)
    for draw in range(draws):
        largest[draw] = bias[:, draw].max()
    unnamed = np.exp(bias - largest)  # (classes, draws)
    every = unnamed.sum(axis=0)
    total, top = np.empty(draws, dtype=np.float32), np.empty(draws, dtype=np.float32)
    heard = np.flatnonzero(np.array([(weight[:, draw] != 0).any() for draw in range(draws)]))  # others count no votes
    by_vote, backers = weight[:, heard], np.zeros((len(bias), len(heard)), dtype=np.float32)
    for sample in range(samples):
        start, stop = first[sample], first[sample + 1]
        backers[: stop - start] = 0.0
        for model in range(models):
            place = slot[sample, model] - start
            if place >= 0:
                for each in range(len(heard)):
                    backers[place, each] += by_vote[model, each]
        for place in range(start, stop):
            for draw in range(draws):
                found[place, draw] = bias[code[place], draw] + more[place, draw]
            for each in range(len(heard)):
                found[place, heard[each]] += backers[place - start, each]
        top[:] = largest
        total[:] = every
        if stop - start == len(bias):  # nothing is left over: rounding errors are no class, and set no scale
            top[:] = -np.inf
            total[:] = 0.0
        for place in range(start, stop):
            for draw in range(draws):
                total[draw] -= unnamed[code[place], draw]
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
def doubts(found: Array, first: Array) -> Array:
    """(samples, draws): the entropy of a sample's class in nats, all that nobody named taken as one class."""
    samples, draws = len(first) - 1, found.shape[1]
    entropy = np.zeros((samples, draws), dtype=np.float32)
    rest = np.empty(draws, dtype=np.float32)
    for sample in range(samples):
        rest[:] = 1.0
        for place in range(first[sample], first[sample + 1]):
            for draw in range(draws):
                chance = found[place, draw]
                rest[draw] -= chance
                entropy[sample, draw] -= chance * np.log(max(chance, np.float32(TINY)))
        for draw in range(draws):
            entropy[sample, draw] -= rest[draw] * np.log(max(rest[draw], np.float32(TINY)))
    return entropy


@kernel
def sums_for_samples(found: Array, first: Array) -> Array:
    """(samples, draws): the sum over a sample's slots of what stands there."""
    total = np.zeros((len(first) - 1, found.shape[1]))
    for sample in range(len(first) - 1):
        for place in range(first[sample], first[sample + 1]):
            for draw in range(found.shape[1]):
                total[sample, draw] += found[place, draw]
    return total


@kernel
def sums_for_models(slot: Array, found: Array, count: Array) -> Array:
    """(models, draws): for each model, the sum over samples of what stands at its answer, times the count."""
    samples, models = slot.shape
    draws = found.shape[1]
    total = np.zeros((models, draws))
    for sample in range(samples):
        times = np.float32(count[sample])
        if times == 0:
            continue
        for model in range(models):
            place = slot[sample, model]
            if place >= 0:
                for draw in range(draws):
                    total[model, draw] += found[place, draw] * times
    return total


@kernel
def covariances(slot: Array, found: Array, first: Array, share: FloatArray, count: Array) -> FloatArray:
    """(models, models): of being right, summed over samples, times the count; the mean over draws of known chances.

    `found` is (slots, draws). A sample on which the draws differ, but each is certain, adds nothing.

    >>> said = answers(np.array([[0, 0], [0, 1]]), classes=2)
    >>> chance = np.array([[0.5, 0.5], [0.9, 0.9], [0.1, 0.1]])
    >>> covariances(said.slot, chance, said.first, np.array([0.5, 0.5]), np.array([1, 2])).round(2).tolist()
    [[0.43, 0.07], [0.07, 0.43]]
    """
    samples, models = slot.shape
    total = np.zeros((models, models))
    for sample in range(samples):
        start, stop = first[sample], first[sample + 1]
        apart = np.zeros((stop - start, stop - start))
        for one in range(start, stop):
            for other in range(start, one + 1):
                for draw in range(len(share)):
                    both = found[one, draw] * ((one == other) - found[other, draw])
                    apart[one - start, other - start] += share[draw] * both * count[sample]
                apart[other - start, one - start] = apart[one - start, other - start]
        for model in range(models):
            place = slot[sample, model]
            if place < 0:
                continue
            for other in range(model + 1):
                there = slot[sample, other]
                if there >= 0:
                    total[model, other] += apart[place - start, there - start]
    for model in range(models):
        for other in range(model):
            total[other, model] = total[model, other]
    return total
