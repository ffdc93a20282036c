"""Strata of a pool: the samples on which models differ (disputed), and those on which all agree (unanimous).

A pair of models has a stratum of its own: the samples on which these two differ, which is a part of the disputed ones.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from adjudge.core.arrays import BoolArray, locked
from adjudge.core.cache import cache
from adjudge.core.labels import Labels, RunHeader
from adjudge.core.predictions import Predictions
from adjudge.core.votes import joined
from adjudge.errors import LabelsError

WHOLE_POOL, DISPUTED, UNANIMOUS = 0, 1, 2  # the numbers of the strata in a log
FIRST_PAIR = 3  # the number of the first pair of `RunHeader.pairs`; that of the next is one more
REST = -1  # samples on which the pair agrees; never drawn from by itself, so never in a log


def disputed(predictions: Predictions, models: tuple[str, ...] = ()) -> BoolArray:
    """(samples,): whether two models predict different values; missing predictions do not count.

    `models` are those of the header of a log, so that the strata of a run stay the same when a model joins the pool;
    without names all models count. A pool that is part of another one (`Predictions.whole`) has the strata of that one.

    >>> pool = Predictions(np.array([[0, 1, 1], [0, 0, -1]]), ("a", "b"), range(3), ("cat", "dog"))
    >>> disputed(pool).tolist(), disputed(pool, ("a",)).tolist()
    ([False, True, False], [False, False, False])
    """
    if predictions.whole is not None:
        return disputed(predictions.whole, models)
    return cache.get(
        predictions, ("disputed", models), lambda: locked(_differ(predictions, _places(predictions, models)))
    )


def with_pair(header: RunHeader, pair: tuple[str, str]) -> tuple[RunHeader, int]:
    """A header that has the pair, and the number of its stratum; the order of the two does not matter.

    >>> with_pair(RunHeader(pairs=(("a", "b"),)), ("b", "a"))[1]
    3
    """
    for place, known in enumerate(header.pairs):
        if set(known) == set(pair):
            return header, FIRST_PAIR + place
    return replace(header, pairs=(*header.pairs, pair)), FIRST_PAIR + len(header.pairs)


def only_pair(labels: Labels, *, pending: bool = False) -> tuple[str, str] | None:
    """The pair of models, if every drawn label is on a sample where these two differ; otherwise None.

    `pending`: only rows without an answer are looked at.
    """
    drawn = np.unique(labels.stratum[~np.isnan(labels.weight) & ~(labels.answered & pending)])
    place = int(drawn[0]) - FIRST_PAIR if len(drawn) == 1 else -1
    return labels.header.pairs[place] if 0 <= place < len(labels.header.pairs) else None


def _places(predictions: Predictions, models: tuple[str, ...]) -> list[int]:
    if not models:
        return list(range(len(predictions.models)))
    place = {name: at for at, name in enumerate(predictions.models)}
    if gone := [name for name in models if name not in place]:
        raise LabelsError(
            f"the labels were drawn for a pool with the model {gone[0]!r}, which is not among the "
            f"{len(predictions.models)} models given; give its predictions too and name the models to look at (--only, "
            "`Predictions.only` in Python), or treat the labels as not randomly drawn (--drawn unknown, drawn=)"
        )
    return [place[name] for name in models]


def _differ(predictions: Predictions, places: list[int]) -> BoolArray:
    return joined(predictions.over_parts(partial(_differ_in, places)))


def _differ_in(places: list[int], part: Predictions) -> tuple[BoolArray]:
    """One model after the other, so that nothing of the size of the part is held twice."""
    values = part.values
    first = values[places[0]].copy()
    differ = np.zeros(len(first), dtype=bool)
    for place in places[1:]:
        said = values[place]
        present, missing = part.is_present(said), ~part.is_present(first)
        differ |= present & ~missing & (said != first)
        np.copyto(first, said, where=missing)
    return (differ,)
