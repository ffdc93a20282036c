"""On which samples two models say the same, differ, or cannot be compared since a prediction is missing."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import blake2b

import numpy as np

from adjudge.core.arrays import Array, BoolArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.predictions import Predictions
from adjudge.core.strata import UNANIMOUS
from adjudge.core.votes import added
from adjudge.inference.draws import Draws


@dataclass(frozen=True, eq=False)
class PredictionOverlap:
    """Pairs of models on a pool, and on the rows of a log; `left` and `right` are positions of models."""

    predictions: Predictions
    sample: IntArray  # (log rows,)

    @cached_property
    def predicted(self) -> Array:
        """(models, log rows): the same on the rows of the log."""
        return self.predictions.as_judged(self.predictions.values[:, self.sample])

    def disagreements(self, draws: Draws, left: Array, right: Array) -> IntArray:
        """(pairs,): on how many samples of a stratum the predictions of two models differ; kept in the cache.

        A missing prediction differs from any other.
        """
        name = "disagreements", _key(draws)
        known: dict[int, IntArray] = dict(cache.peek(self.predictions, name) or {})
        if new := sorted(set(right.tolist()) - known.keys()):
            counts = added(self._over_parts(partial(_differences, new, frozenset(known)), draws))
            for model, count in zip(new, counts, strict=True):
                for one, found in known.items():  # the count is symmetric: with a thousand models, that saves seconds
                    count[one] = found[model]
                known[model] = count
            cache.put(self.predictions, name, known)
        rows, place = np.unique(right, return_inverse=True)
        return np.array([known[model] for model in rows.tolist()])[place, left]

    def groups(self, draws: Draws) -> IntArray:
        """(models,): models with equal predictions on all samples of the stratum have the same number; kept as well."""
        return self._numbers(_digests, draws)

    def compatible_groups(self, draws: Draws) -> IntArray:
        """(models,): models of the same number contradict each other nowhere in the stratum.

        Where all models agree, a missing prediction contradicts none. Elsewhere it may be any, so only models with
        equal predictions have the same number.
        """
        if draws.stratum != UNANIMOUS:
            return self.groups(draws)
        return self._numbers(_filled_digests, draws)

    def _numbers(self, digests: Callable[..., tuple[Array]], draws: Draws) -> IntArray:
        name = digests.__name__, _key(draws)
        return cache.get(self.predictions, name, lambda: _numbered(self._over_parts(digests, draws)))

    def only_one(self, draws: Draws, left: Array, right: Array) -> tuple[IntArray, IntArray]:
        """(pairs,): open samples of the stratum that only the left or only the right model predicts.

        For models that contradict each other nowhere in the stratum.
        """
        inside = draws.inside.astype(np.int64)
        both = self.disagreements(draws, left, right) - (self.predicted[left] != self.predicted[right]) @ inside
        more = self._open(draws)[left] - self._open(draws)[right]
        return (both + more) // 2, (both - more) // 2

    def _open(self, draws: Draws) -> IntArray:
        """(models,): open samples of the stratum that a model predicts."""
        count = np.full(len(self.predictions.models), draws.left_open)
        some = np.flatnonzero(self.predictions.n_predicted < self.predictions.values.shape[1])
        if some.size:
            there = self.predictions.is_present(self.predicted[some])
            handed_out = np.count_nonzero(there & draws.inside, axis=1)
            count[some] = n_predicted_in(self.predictions, some, draws) - handed_out
        return count

    def _over_parts(self, function: Callable[..., tuple[Array]], draws: Draws) -> Iterator[tuple[Array]]:
        """A function of each part, and of which of its samples are in the stratum."""
        return self.predictions.over_parts(function, *([] if draws.members is None else [draws.members]))


def _key(draws: Draws) -> bytes:
    """The samples of a stratum, which are the same however long the log is."""
    return b"" if draws.members is None else np.packbits(draws.members).tobytes()


def n_predicted_in(predictions: Predictions, models: IntArray, draws: Draws) -> IntArray:
    """(models,): how many samples of a stratum each of some models predicts."""
    if draws.members is None:
        return predictions.n_predicted[models]
    return added(predictions.over_parts(partial(_present, models), draws.members))


def _present(models: IntArray, part: Predictions, members: BoolArray) -> tuple[IntArray]:
    return (np.array([np.count_nonzero(part.is_present(part.values[model]) & members) for model in models]),)


def _differences(new: list[int], known: frozenset[int], part: Predictions, *members: BoolArray) -> tuple[IntArray]:
    """(new, models): on how many samples predictions differ; 0 for pairs with an earlier new model or a known one."""
    values = part.as_judged(part.values)
    found = np.zeros((len(new), len(values)), dtype=np.int64)
    for place, model in enumerate(new):
        for other in set(range(len(values))) - known - set(new[:place]):
            differ = values[model] != values[other]
            found[place, other] = np.count_nonzero(differ & members[0] if members else differ)
    return (found,)


def _digests(part: Predictions, *members: BoolArray) -> tuple[Array]:
    """(models, 16): a hash of the predictions of each model."""
    return (_hashed(part.as_judged(part.values), *members),)


def _filled_digests(part: Predictions, *members: BoolArray) -> tuple[Array]:
    """The same, where a missing prediction is what the other models say."""
    values = part.as_judged(part.values)
    agreed = np.array(values[0])
    for row in values[1:]:
        np.copyto(agreed, row, where=~part.is_present(agreed))
    return (_hashed((np.where(part.is_present(row), row, agreed) for row in values), *members),)


def _hashed(rows: Iterable[Array], *members: BoolArray) -> Array:
    inside = members[0] if members else slice(None)
    digests = [blake2b(row[inside].tobytes(), digest_size=16).digest() for row in rows]
    return np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, 16)


def _numbered(digests: Iterable[tuple[Array]]) -> IntArray:
    """(models,): models with equal hashes in all parts have the same number."""
    groups: dict[bytes, int] = {}
    rows = np.concatenate([each for (each,) in digests], axis=1)
    return np.array([groups.setdefault(row.tobytes(), len(groups)) for row in rows])


def pairs_of(left: Array, right: Array) -> tuple[Array, Array]:
    """All pairs of a left and a right model, one after the other."""
    return np.repeat(left, len(right)), np.tile(right, len(left))
