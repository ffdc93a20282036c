"""Slices: rankings on subsets of the pool, one for each value of a column."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan

import numpy as np
import pyarrow.compute as pc

from adjudge import evaluation
from adjudge.core.arrays import BoolArray, IntArray
from adjudge.core.index import listed
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.ranking import Ranking
from adjudge.decisions.checks import check_labels, check_pool, warn_about_labels
from adjudge.decisions.rank import RankOptions, rank_checked
from adjudge.errors import InputError, NotEnoughLabels

MINIMUM = 20  # labels of a slice; with fewer, a ranking says next to nothing
MOST = 200  # slices
BLANK = "(blank)"


@dataclass(frozen=True, eq=False)
class Slice:
    """One value of the column, how many samples and labels it has, and its ranking; None: it is too small."""

    name: str
    samples: int
    labels: int
    ranking: Ranking | None


def rank_slices(
    predictions: Predictions,
    labels: Labels | None,
    column: str,
    *,
    minimum: int = MINIMUM,
    options: RankOptions | None = None,
) -> tuple[Slice, ...]:
    """Rank the models on each slice of the pool, largest first; without labels, by agreement within it.

    Parameters
    ----------
    column
        One of the columns of facts of the pool.
    minimum
        A slice with fewer labels, or fewer samples where there are no labels, has no ranking; it is not merged with
        others.
    options
        Those of `rank`.

    Examples
    --------
    >>> from adjudge import from_frame
    >>> said = {"net": [0, 1, 1, 0], "tree": [0, 0, 1, 0], "rule": [0, 1, 1, 1]}
    >>> pool = from_frame({"id": list("abcd"), "site": list("xxxy"), **said}, columns=["site"])
    >>> found = rank_slices(pool, None, "site", minimum=2)
    >>> [(each.name, each.ranking and each.ranking.rank.tolist()) for each in found]
    [('x', [1, 3, 1]), ('y', None)]
    """
    check_pool(predictions)
    labels = Labels.empty(len(predictions.samples)) if labels is None else labels
    check_labels(predictions, labels)
    if minimum < 1:
        raise InputError(f"a minimum of {minimum} labels for a slice is below 1")
    names, member = _members(predictions, column)
    warn_about_labels(predictions, labels)
    settled = labels.settled()
    inside = member[settled.sample[settled.usable]]
    found = []
    for place in np.argsort(-np.bincount(member), kind="stable"):
        samples, count = int((member == place).sum()), int((inside == place).sum())
        large = (count if labels.usable.any() else samples) >= minimum
        ranking = _ranked(predictions, labels, settled, member == place, options or RankOptions()) if large else None
        found.append(Slice(names[place], samples, count, ranking))
    return tuple(found)


@dataclass(frozen=True)
class SliceChange:
    """How the ranking of a slice differs from that on clean data.

    Attributes
    ----------
    best
        The models that come first in the slice.
    leader
        The model that comes first on clean data.
    rank
        The leader's rank in the slice.
    may_be_best
        Whether no model is clearly better than the leader; None: that cannot be told.
    spearman
        The rank correlation of the two rankings.
    alone
        Whether one model only has predictions in the slice, so that nothing is compared.
    """

    name: str
    best: tuple[str, ...]
    leader: str
    rank: int
    may_be_best: bool | None
    spearman: float
    alone: bool = False

    @property
    def verdict(self) -> str:
        if self.alone:
            return "not compared"
        if self.rank == 1:
            return "still first"
        if self.may_be_best is None:
            return "no longer first"
        return "may still be the best" if self.may_be_best else "no longer the best"


def slice_changes(clean: Ranking, found: Sequence[Slice]) -> tuple[SliceChange, ...]:
    """Whether the best model on clean data, or in the whole pool, is still the best in each slice that has a ranking.

    Examples
    --------
    >>> from adjudge import from_frame, rank
    >>> said = {"net": [0, 1, 1, 0], "tree": [0, 0, 1, 0], "rule": [0, 1, 1, 1]}
    >>> pool = from_frame({"id": list("abcd"), "site": list("xxyy"), **said}, columns=["site"])
    >>> parts = rank_slices(pool, None, "site", minimum=2)
    >>> [(each.name, each.best, each.verdict) for each in slice_changes(rank(pool), parts)]
    [('x', ('net', 'rule'), 'still first'), ('y', ('net', 'tree'), 'still first')]
    """
    leader = int(clean.order[0])
    changes = []
    for each in found:
        if (ranking := each.ranking) is None:
            continue
        best = tuple(ranking.models[model] for model in np.flatnonzero(ranking.rank == 1))
        row = next(row for row in ranking.rows() if row["name"] == clean.models[leader])
        known = ranking.estimate.has_interval and row["tier"] is not None
        may = bool(row.get("may_be_best", row["tier"] == 1)) if known else None
        alike = evaluation.spearman(*(each.rank.astype(np.float64) for each in (ranking, clean)))
        advice = ranking.recommendation
        alone = advice is not None and len(advice.silent) == len(ranking.models) - 1 > 0
        changes.append(SliceChange(each.name, best, clean.models[leader], int(ranking.rank[leader]), may, alike, alone))
    return tuple(changes)


def _ranked(
    predictions: Predictions, labels: Labels, log: Labels, inside: BoolArray, options: RankOptions
) -> Ranking | None:
    """Rank with all predictions outside the slice missing, so that the weights of the draws stay valid.

    `log` is the settled log, whose labels inside the slice are counted.
    """
    values = np.array(predictions.values)
    values[:, ~inside] = nan if predictions.classes is None else MISSING
    try:
        part = replace(predictions, values=values, probabilities=None, whole=predictions)
        ranking = rank_checked(part, labels, options)
    except NotEnoughLabels:
        return None
    here = inside[log.sample]
    skipped = here & log.answered & ~log.usable
    return replace(ranking, labels=int((here & log.usable).sum()), skipped=int(skipped.sum()))


def _members(predictions: Predictions, column: str) -> tuple[list[str], IntArray]:
    """The names of the slices, and the slice of each sample."""
    facts = [] if predictions.columns is None else predictions.columns.column_names
    if predictions.columns is None or column not in facts:
        has = f"its columns of facts are {listed(facts)}" if facts else "it has no columns of facts"
        raise InputError(f"there is no column {column!r} in the pool; {has}: name them with --columns")
    values = predictions.columns.column(column).combine_chunks().cast("large_string")
    coded = pc.if_else(pc.equal(pc.fill_null(values, ""), ""), BLANK, values).dictionary_encode()
    names = coded.dictionary.to_pylist()
    if len(names) > MOST:
        raise InputError(
            f"column {column!r} has {len(names):,} different values, too many to rank each; merge them into at most "
            f"{MOST}"
        )
    return names, np.asarray(coded.indices)
