"""Votes of the pool on each sample: the kernels that all methods share, in blocks of samples."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.kernels import exact_kernel, kernel
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.errors import MethodError

SCRATCH = 1 << 13  # vote counters held at a time (a block of samples x classes): 32 KB stay in the fastest cache
MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplying loses no bits (the golden ratio in 64 bits)


@dataclass(frozen=True, eq=False)
class Votes:
    """How the pool voted on each sample; all arrays are (samples,)."""

    present: Array  # models with a prediction; an abstention is one, but no vote
    top: Array  # votes for the majority class
    tied: Array  # classes with this number of votes
    majority: Array  # the lowest code among them; -1 where no model names a class
    pairs: Array  # ordered pairs of models with equal predictions

    @property
    def unanimous(self) -> Array:
        """Samples on which all predictions are equal: no ranking depends on their labels."""
        return np.asarray((self.top == self.present) | (self.present == 1))  # one that abstains agrees with itself


def votes(predictions: Predictions) -> Votes:
    """Count the votes of a pool; kept in the cache.

    >>> pool = Predictions(np.array([[0, 1], [0, 0], [0, 1]]), ("a", "b", "c"), range(2), ("x", "y"))
    >>> votes(pool).majority.tolist(), votes(pool).top.tolist()
    ([0, 1], [3, 2])
    """
    return _counted(predictions)[0]


def _counted(predictions: Predictions) -> tuple[Votes, FloatArray, IntArray]:
    """The tally without labels: votes, and each model's share of them and number of predictions."""

    def count() -> tuple[Votes, FloatArray, IntArray]:
        parts = list(predictions.over_parts(_tallied))
        tally = (joined((part[place],) for part in parts) for place in range(5))
        share, n_predicted = (added((part[place],) for part in parts) for place in (5, 6))
        return Votes(*tally), share, n_predicted

    return cache.get(predictions, "votes", count)


def vote_agreement(predictions: Predictions, labels: Labels) -> FloatArray:
    """(models,): the mean agreement of a model with the majority vote.

    A sample counts 1 for a model that predicts the majority class, and 1/k where k classes tie for the majority and the
    model predicts one of them. A label replaces the vote.
    """
    known = [labels.codes] if labels.usable.any() else []
    share, n_predicted = map(sum, zip(*predictions.over_parts(_shares, *known), strict=True))
    with np.errstate(invalid="ignore"):
        return np.asarray(share / n_predicted)


def all_unanimous(predictions: Predictions) -> bool:
    """Whether all models say the same about every sample; ends with the first part where they do not."""
    return all(bool(same) for (same,) in predictions.over_parts(_unanimous))


def tie_broken_vote(predictions: Predictions, rng: np.random.Generator) -> Array:
    """(samples,): the majority class; a tie goes to the class of a model picked at random among the tied ones.

    The draw does not depend on class codes, so renaming classes renames the vote and changes nothing else; -1 where no
    model names a class.
    """
    counted = votes(predictions)
    vote = counted.majority.astype(predictions.values.dtype)
    tied = counted.tied > 1
    if tied.any():
        backer = np.zeros(len(tied), dtype=np.int64)
        backer[tied] = rng.integers(np.iinfo(np.int64).max, size=np.count_nonzero(tied))
        vote[tied] = joined(predictions.over_parts(_break_ties, tied, backer))
    return vote


def joined(found: Iterable[tuple[Array]]) -> Array:
    """One vector (samples,) from what was found in each part; no copy of a single one."""
    vectors = [each for (each,) in found]
    return vectors[0] if len(vectors) == 1 else np.concatenate(vectors)


def added(found: Iterable[tuple[Array]]) -> Array:
    """The sum over parts, in their order, so that it is the same however many workers there are."""
    return reduce(np.add, (each for (each,) in found))


def _tallied(part: Predictions) -> tuple[Array, ...]:
    counted, share, n_predicted = _count(part, np.empty(0, dtype=np.int64))
    return counted.present, counted.top, counted.tied, counted.majority, counted.pairs, share, n_predicted


def _shares(part: Predictions, *known: Array) -> tuple[FloatArray, IntArray]:
    _, share, n_predicted = _count(part, *known) if known else _counted(part)
    return share, n_predicted


def _unanimous(part: Predictions) -> tuple[Array]:
    return (np.array(votes(part).unanimous.all()),)


def _break_ties(part: Predictions, tied: Array, backer: Array) -> tuple[Array]:
    columns = np.ascontiguousarray(part.values[:, tied].T)
    return (_backed(columns, backer[tied], len(part.classes or ())),)


def patterns(predictions: Predictions) -> tuple[IntArray, IntArray]:
    """Group samples with equal predictions of all models.

    Returns the position of the first sample of each group, and the group of each sample.

    >>> pool = Predictions(np.array([[0, 1, 0], [1, 1, 1]]), ("a", "b"), range(3), ("x", "y"))
    >>> first, group = patterns(pool)
    >>> group[0] == group[2], group[0] == group[1], len(first)
    (np.True_, np.False_, 2)
    """
    return column_patterns(class_codes(predictions))


def column_patterns(values: Array) -> tuple[IntArray, IntArray]:
    """The same for any codes of (models, samples)."""
    seed = np.uint64(1)
    while True:
        _, first, group = np.unique(_hash_columns(values, seed), return_index=True, return_inverse=True)
        if _same_columns(values, first[group]):
            return first, group
        seed += np.uint64(1)  # a hash collision: hash again


def class_codes(predictions: Predictions) -> Array:
    """The predictions, for methods that count votes."""
    if predictions.classes is None:
        raise MethodError("votes need classes, and these predictions are numbers; label some samples and use `drawn`")
    return predictions.values


def _count(predictions: Predictions, known: Array) -> tuple[Votes, FloatArray, IntArray]:
    values = class_codes(predictions)
    assert predictions.classes is not None
    models, samples = values.shape
    counts = counters(predictions)
    present, top, tied, pairs = (np.zeros(samples, dtype=np.int32) for _ in range(4))
    tally = present, top, tied, np.full(samples, -1, dtype=np.int32), pairs
    share, n_predicted = np.zeros(models), np.zeros(models, dtype=np.int64)
    _tally(values, known, counts, tally, share, n_predicted)
    return Votes(*tally), share, n_predicted


def counters(predictions: Predictions) -> Array:
    """(block of samples, classes): zeros to count votes in, as many as fit into the fastest cache."""
    classes = len(predictions.classes or ())
    return np.zeros((max(1, min(len(predictions.samples), 4096, SCRATCH // classes)), classes), dtype=np.int32)


@exact_kernel
def _clear(values: Array, known: Array, counts: Array, start: int, rows: int) -> None:
    """Set the counters that a block of samples used to zero, where the classes are many."""
    for row in range(rows):
        for model in range(len(values)):
            code = values[model, start + row]
            if code >= 0:
                counts[row, code] = 0
        if known.size > 0 and known[start + row] >= 0:
            counts[row, known[start + row]] = 0


@exact_kernel
def _tally(
    values: Array, known: Array, counts: Array, tally: tuple[Array, ...], share: Array, n_predicted: Array
) -> None:
    """Count the votes into `tally`: the arrays of `Votes`, (samples,) each; and shares of the vote, (models,)."""
    present, top, tied, majority, pairs = tally
    models, samples = values.shape
    block, classes = counts.shape
    wanted, worth = np.empty(block, dtype=np.int32), np.empty(block)
    dense = classes <= models  # look at all classes of a sample, or else at what each model predicts
    for start in range(0, samples, block):
        rows = min(block, samples - start)
        for model in range(models):
            for row in range(rows):
                code = values[model, start + row]
                present[start + row] += code != MISSING
                if code >= 0:
                    counts[row, code] += 1
        for row in range(rows):
            sample, backing = start + row, 0
            for place in range(classes if dense else models):
                code = place if dense else values[place, sample]
                if code < 0 or counts[row, code] == 0:
                    continue
                count = counts[row, code]
                voters = count if dense else 1
                pairs[sample] += voters * (count - 1)
                if count > top[sample]:
                    top[sample], majority[sample], backing = count, code, voters
                elif count == top[sample]:
                    majority[sample] = min(majority[sample], code)
                    backing += voters
            tied[sample] = backing // max(top[sample], 1)  # each tied class has `top` voters
            wanted[row], worth[row] = top[sample], 1.0 / max(tied[sample], 1)
            if known.size > 0 and known[sample] >= 0:  # a count that no other class can have
                counts[row, known[sample]], wanted[row], worth[row] = -1, -1, 1.0
        for model in range(models):
            held, predicted = 0.0, 0
            for row in range(rows):
                code = values[model, start + row]
                predicted += code != MISSING
                if code >= 0:
                    held += worth[row] * (counts[row, code] == wanted[row])  # no branch to mispredict
            share[model] += held
            n_predicted[model] += predicted
        if dense:
            counts[:rows] = 0
        else:
            _clear(values, known, counts, start, rows)


@kernel
def co_voters(rows: Array, classes: int) -> Array:
    """(models, samples): how many models have the same prediction as this one; 0 where it names no class."""
    models, samples = rows.shape
    company, count = np.zeros((models, samples), dtype=np.int32), np.zeros(classes, dtype=np.int32)
    for sample in range(samples):
        for model in range(models):
            if rows[model, sample] >= 0:
                count[rows[model, sample]] += 1
        for model in range(models):
            if rows[model, sample] >= 0:
                company[model, sample] = count[rows[model, sample]]
        for model in range(models):
            if rows[model, sample] >= 0:
                count[rows[model, sample]] = 0
    return company


@exact_kernel
def _backed(columns: Array, backer: Array, classes: int) -> Array:
    """For each sample, the prediction of the (backer modulo backers)-th model among those that predict a tied class."""
    samples = len(columns)
    counts = np.zeros(classes, dtype=np.int32)
    vote = np.empty(samples, dtype=columns.dtype)
    for sample in range(samples):
        top, backing = 0, 0
        for code in columns[sample]:
            if code >= 0:
                counts[code] += 1
                top = max(top, counts[code])
        for code in columns[sample]:
            backing += code >= 0 and counts[code] == top
        left = backer[sample] % backing
        for code in columns[sample]:
            if code >= 0 and counts[code] == top:
                if left == 0:
                    vote[sample] = code
                left -= 1
        for code in columns[sample]:
            if code >= 0:
                counts[code] = 0
    return vote


@kernel
def _hash_columns(values: Array, seed: np.uint64) -> Array:
    models, samples = values.shape
    hashes = np.full(samples, seed, dtype=np.uint64)
    for model in range(models):
        for sample in range(samples):
            mixed = (hashes[sample] ^ np.uint64(values[model, sample] + 1)) * MIX
            hashes[sample] = mixed ^ (mixed >> np.uint64(29))
    return hashes


@exact_kernel
def _same_columns(values: Array, other: Array) -> bool:
    models, samples = values.shape
    for model in range(models):
        for sample in range(samples):
            if values[model, sample] != values[model, other[sample]]:
                return False
    return True
