"""Votes of the pool on each sample: the kernels that all methods share, in blocks of samples."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.kernels import exact_kernel
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.tally import tally_votes
from adjudge.errors import MethodError

VOTES, VOTE = "votes", "vote"  # what the cache calls the tally without labels, and a `_Vote`
BLOCK = 1 << 18  # samples whose tally is made together where little of it is kept: the next one takes the same memory


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
    """The tally without labels: votes, and each model's share of them (see `tally_votes`) and number of predictions."""

    def count() -> tuple[Votes, FloatArray, IntArray]:
        parts = list(predictions.over_parts(_tallied))
        tally = (joined((part[place],) for part in parts) for place in range(5))
        share, n_predicted = (added((part[place],) for part in parts) for place in (5, 6))
        return Votes(*tally), share, n_predicted

    return cache.get(predictions, VOTES, count)


def vote_agreement(predictions: Predictions, labels: Labels) -> FloatArray:
    """(models,): the mean agreement of a model with the majority vote.

    A sample counts 1 for a model that predicts the majority class, and 1/k where k classes tie for the majority and the
    model predicts one of them. A label replaces the vote.
    """
    known = [labels.codes] if labels.usable.any() else []
    counted: _Vote | None = None if known else cache.peek(predictions, VOTE)
    parts = [vars(counted).values()] if counted else predictions.over_parts(_shares, *known)
    share, n_predicted = (added((each,) for each in column) for column in list(zip(*parts, strict=True))[-2:])
    with np.errstate(invalid="ignore"):
        return np.asarray(share.sum(axis=0) / n_predicted)


def all_unanimous(predictions: Predictions) -> bool:
    """Whether all models say the same about every sample; ends with the first part where they do not."""
    return all(bool(same) for (same,) in predictions.over_parts(_unanimous))


def any_shared(predictions: Predictions) -> bool:
    """Whether any sample has predictions of two models."""
    return any(bool(several) for (several,) in predictions.over_parts(_shared))


def not_unanimous(predictions: Predictions) -> BoolArray:
    """(samples,): whether predictions differ."""
    return joined(predictions.over_parts(_differ))


def tie_broken_vote(predictions: Predictions, rng: np.random.Generator) -> Array:
    """(samples,): the majority class; a tie goes to the class of a model picked at random among the tied ones.

    The draw does not depend on class codes, so renaming classes renames the vote and changes nothing else; -1 where no
    model names a class.
    """
    return vote_and_agreement(predictions, rng)[0]


def vote_and_agreement(predictions: Predictions, rng: np.random.Generator) -> tuple[Array, IntArray]:
    """`tie_broken_vote`, and (models,): on how many samples a model agrees with it."""
    counted = cache.get(predictions, VOTE, lambda: _vote(predictions))
    vote, agreeing, tied = counted.majority.copy(), counted.share[0].astype(np.int64), counted.tied
    if tied.any():
        backer = np.zeros(len(tied), dtype=np.int64)
        backer[tied] = rng.integers(np.iinfo(np.int64).max, size=np.count_nonzero(tied))
        if len(counted.columns) == np.count_nonzero(tied):
            found = [_broken(counted.columns, backer[tied], len(predictions.classes or ()))]
        else:
            found = list(predictions.over_parts(_break_ties, tied, backer))
        vote[tied] = joined((each,) for each, _ in found)
        agreeing = agreeing + added((each,) for _, each in found)
    return vote, agreeing


@dataclass(frozen=True, eq=False)
class _Vote:
    """What is left of the votes of parts once they are put together: a few bytes for each sample."""

    majority: Array  # (samples,), as in `Votes`
    tied: Array  # (samples,): whether several classes have the most votes
    columns: (
        Array  # (tied samples, models): their predictions, or fewer where they would take more than the vote itself
    )
    share: FloatArray  # (2, models): see `tally_votes`
    n_predicted: IntArray


def _vote(predictions: Predictions) -> _Vote:
    return _Vote(*_put_together(predictions.over_parts(_voted)))


def _voted(part: Predictions) -> tuple[Array, ...]:
    counted = cache.peek(part, VOTES)
    if counted is not None:
        return _needed(part.values, *counted)
    blocks = (slice(start, start + BLOCK) for start in range(0, part.values.shape[1], BLOCK))
    return _put_together(_needed(part.values[:, block], *_count(part, _NONE, block)) for block in blocks)


def _needed(values: Array, counted: Votes, share: FloatArray, n_predicted: IntArray) -> tuple[Array, ...]:
    """What `_Vote` needs of a tally."""
    tied = counted.tied > 1
    ties = np.flatnonzero(tied)
    few = ties if values.shape[0] * len(ties) <= len(tied) else ties[:0]
    return counted.majority.astype(values.dtype), tied, values[:, few].T, share, n_predicted


def _put_together(found: Iterable[tuple[Array, ...]]) -> tuple[Array, ...]:
    """One from those of several ranges of samples."""
    columns = [[(each,) for each in column] for column in zip(*found, strict=True)]
    return *map(joined, columns[:3]), *map(added, columns[3:])


def joined(found: Iterable[tuple[Array]]) -> Array:
    """One vector (samples,) from what was found in each part; no copy of a single one."""
    vectors = [each for (each,) in found]
    return vectors[0] if len(vectors) == 1 else np.concatenate(vectors)


def added(found: Iterable[tuple[Array]]) -> Array:
    """The sum over parts, in their order, so that it is the same however many workers there are."""
    return reduce(np.add, (each for (each,) in found))


def _tallied(part: Predictions) -> tuple[Array, ...]:
    counted, share, n_predicted = _count(part, _NONE)
    return counted.present, counted.top, counted.tied, counted.majority, counted.pairs, share, n_predicted


def _shares(part: Predictions, *known: Array) -> tuple[FloatArray, IntArray]:
    _, share, n_predicted = _count(part, known[0]) if known else _counted(part)
    return share, n_predicted


def _unanimous(part: Predictions) -> tuple[Array]:
    return (np.array(votes(part).unanimous.all()),)


def _shared(part: Predictions) -> tuple[Array]:
    return (np.array((votes(part).present > 1).any()),)


def _differ(part: Predictions) -> tuple[BoolArray]:
    return (~votes(part).unanimous,)


def _break_ties(part: Predictions, tied: Array, backer: Array) -> tuple[Array, IntArray]:
    return _broken(part.values[:, np.flatnonzero(tied)].T, backer[tied], len(part.classes or ()))


def _broken(columns: Array, backer: Array, classes: int) -> tuple[Array, IntArray]:
    """The vote of tied samples, and how many of them each model agrees with."""
    vote = _backed(np.ascontiguousarray(columns), backer, classes)
    return vote, np.count_nonzero(columns == vote[:, None], axis=0)


def codes_of(predictions: Predictions) -> Array:
    """The predictions, for what needs classes."""
    if predictions.classes is None:
        raise MethodError("votes need classes, and these predictions are numbers; label some samples and use `drawn`")
    return predictions.values


_NONE = np.empty(0, dtype=np.int64)  # codes of labels, where there are none


def _count(predictions: Predictions, known: Array, block: slice = slice(None)) -> tuple[Votes, FloatArray, IntArray]:
    values = codes_of(predictions)[:, block]
    assert predictions.classes is not None
    models, samples = values.shape
    present, top, tied, pairs = (np.zeros(samples, dtype=np.int32) for _ in range(4))
    tally = present, top, tied, np.full(samples, -1, dtype=np.int32), pairs
    share, n_predicted = np.zeros((2, models)), np.zeros(models, dtype=np.int64)
    tally_votes(values, known, len(predictions.classes), tally, share, n_predicted)
    if predictions.abstain:
        abstained = values < MISSING
        present += np.count_nonzero(abstained, axis=0)
        n_predicted += np.count_nonzero(abstained, axis=1)
    return Votes(*tally), share, n_predicted


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
