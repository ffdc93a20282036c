"""Pieces of pools in memory: taken out, and put together."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa

from adjudge.core.arrays import Array, Auxiliary, IntArray
from adjudge.core.index import Index, all_ids
from adjudge.core.predictions import Predictions
from adjudge.io.predictions.scores import as_scores, scores_of


def together(parts: list[Predictions]) -> Predictions:
    """Parts as one pool in memory."""
    if len(parts) == 1:
        return parts[0]
    if parts[0].grades is not None:  # the numbers of answers are those of each part alone
        return as_scores(together([_as_numbers(part) for part in parts]), parts[0].grades.span)
    first = parts[0]
    stated = None if first.probabilities is None else np.concatenate([p.probabilities for p in parts], axis=1)
    ranges = [each.samples for each in parts if isinstance(each.samples, range)]
    samples: Index
    if len(ranges) == len(parts) and all(one.stop == other.start for one, other in pairwise(ranges)):
        samples = range(ranges[0].start, ranges[-1].stop)
    else:
        samples = pa.concat_arrays([all_ids(each.samples) for each in parts])
    values = np.concatenate([each.values for each in parts], axis=1)
    facts = None if first.columns is None else pa.concat_tables([each.columns for each in parts])
    numbers = {name: _joined([each.auxiliary[name] for each in parts]) for name in _shared_names(parts)}
    return replace(first, values=values, samples=samples, probabilities=stated, columns=facts, auxiliary=numbers)


def _as_numbers(part: Predictions) -> Predictions:
    return replace(part, values=scores_of(part), grades=None)


def _shared_names(parts: list[Predictions]) -> list[str]:
    """The auxiliary numbers that all parts have."""
    return [name for name in parts[0].auxiliary if all(name in each.auxiliary for each in parts)]


def _joined(found: list[Auxiliary]) -> Auxiliary:
    return Auxiliary(np.concatenate([each.values for each in found], axis=-1), found[0].models)


def at_places(part: Predictions, places: IntArray) -> Predictions:
    """Some of its samples, in this order."""
    ids = part.samples
    return replace(
        part,
        values=part.values[:, places],
        samples=[str(ids[int(each)]) for each in places] if isinstance(ids, range) else ids.take(pa.array(places)),
        probabilities=None if part.probabilities is None else part.probabilities[:, places],
        columns=None if part.columns is None else part.columns.take(pa.array(places)),
        auxiliary={name: each.at(places) for name, each in part.auxiliary.items()},
    )


class HeldColumns:
    """Columns of a pool in parts that were read: those of labeled samples are looked at again and again."""

    def __init__(self, read: Callable[[IntArray], Array], most: int) -> None:
        self._read, self._most = read, most  # bytes; more are held only as long as they are asked for together
        self._places, self._values = np.empty(0, dtype=np.int64), np.empty((0, 0))

    def get(self, places: IntArray) -> Array:
        """(models, places): the columns at these places, in this order."""
        if (new := np.setdiff1d(places, self._places)).size:
            found = self._read(new)
            if self._values.size and self._values.nbytes + found.nbytes <= self._most:
                found, new = np.hstack([self._values, found]), np.append(self._places, new)
            elif len(new) < len(np.unique(places)):
                new = np.unique(places)
                found = self._read(new)
            order = np.argsort(new)
            self._places, self._values = new[order], found[:, order]
        return self._values[:, np.searchsorted(self._places, places)]


def itself(part: Predictions) -> Predictions:
    """The part, for those who want all of it."""
    return part


def sliced(part: Predictions, start: int, stop: int) -> Predictions:
    """A range of its samples."""
    some = slice(start, stop)
    return replace(
        part,
        values=part.values[:, some],
        samples=part.samples[some],
        probabilities=None if part.probabilities is None else part.probabilities[:, some],
        columns=None if part.columns is None else part.columns.slice(start, stop - start),
        auxiliary={name: Auxiliary(each.values[..., some], each.models) for name, each in part.auxiliary.items()},
    )
