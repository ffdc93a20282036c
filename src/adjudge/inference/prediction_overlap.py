"""On which samples two models say the same, differ, or cannot be compared since a prediction is missing."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np

from adjudge.core.arrays import Array, BoolArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.predictions import Predictions
from adjudge.core.strata import UNANIMOUS
from adjudge.inference.draws import Draws


@dataclass(frozen=True, eq=False)
class PredictionOverlap:
    """Pairs of models on a pool, and on the rows of a log; `left` and `right` are positions of models."""

    predictions: Predictions
    sample: IntArray  # (log rows,)

    @cached_property
    def values(self) -> Array:
        """(models, samples): the predictions, as labels can tell them apart."""
        return self.predictions.as_judged(self.predictions.values)

    @cached_property
    def predicted(self) -> Array:
        """(models, log rows): the same on the rows of the log."""
        return self.predictions.as_judged(self.predictions.values[:, self.sample])

    def disagreements(self, draws: Draws, left: Array, right: Array) -> IntArray:
        """(pairs,): on how many samples of a stratum the predictions of two models differ; kept in the cache.

        A missing prediction differs from any other.
        """
        values, members = self.values, draws.members
        name = "disagreements", b"" if members is None else np.packbits(members).tobytes()
        known: dict[int, IntArray] = dict(cache.peek(self.predictions, name) or {})

        def counted(one: int, other: int) -> int:
            if one in known:  # the count is symmetric: with a thousand models, that saves seconds
                return int(known[one][other])
            differ = values[one] != values[other]
            return int(np.count_nonzero(differ if members is None else differ & members))

        if new := set(right.tolist()) - known.keys():
            for model in new:
                known[model] = np.array([counted(other, model) for other in range(len(values))])
            cache.put(self.predictions, name, known)
        rows, place = np.unique(right, return_inverse=True)
        return np.array([known[model] for model in rows.tolist()])[place, left]

    def groups(self, draws: Draws) -> IntArray:
        """(models,): models with equal predictions on all samples of the stratum have the same number."""
        return _numbered(self.values, draws.members)

    def compatible_groups(self, draws: Draws) -> IntArray:
        """(models,): models of the same number contradict each other nowhere in the stratum.

        Where all models agree, a missing prediction contradicts none. Elsewhere it may be any, so only models with
        equal predictions have the same number.
        """
        values = self.values
        if draws.stratum != UNANIMOUS:
            return self.groups(draws)
        agreed = np.array(values[0])
        for row in values[1:]:
            np.copyto(agreed, row, where=~self.predictions.is_present(agreed))
        return _numbered((np.where(self.predictions.is_present(row), row, agreed) for row in values), draws.members)

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
        for model in np.flatnonzero(self.predictions.n_predicted < self.predictions.values.shape[1]):
            present = self.predictions.is_present(self.predictions.values[model])
            here = present if draws.members is None else present & draws.members
            count[model] = np.count_nonzero(here) - np.count_nonzero(here[self.sample])
        return count


def _numbered(values: Iterable[Array], members: BoolArray | None) -> IntArray:
    """(models,): equal rows have the same number."""
    groups: dict[bytes, int] = {}
    inside = slice(None) if members is None else members
    digests = [blake2b(row[inside].tobytes(), digest_size=16).digest() for row in values]
    return np.array([groups.setdefault(digest, len(groups)) for digest in digests])


def pairs_of(left: Array, right: Array) -> tuple[Array, Array]:
    """All pairs of a left and a right model, one after the other."""
    return np.repeat(left, len(right)), np.tile(right, len(left))
