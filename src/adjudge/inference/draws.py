"""The drawn rows of a log, apart for each part of the pool."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.index import ids_at
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.strata import DISPUTED, UNANIMOUS, WHOLE_POOL, disputed
from adjudge.errors import LabelsError


@dataclass(frozen=True, eq=False)
class Draws:
    """What was drawn from one part of the pool; rows that were chosen, or that came before, count as known."""

    stratum: int
    members: BoolArray | None  # (samples,): those of the part; None: all
    inside: BoolArray  # (log rows,): whether the sample belongs to the part
    start: int  # rows of the log before the first draw
    size: int  # samples of the part that were not known then; 0: everything is known
    left_open: int  # samples of the part that are not in the log
    rows: IntArray  # (draws,): places in the log
    seen: IntArray
    weight: FloatArray
    max_weight: FloatArray  # nan: not known
    rest: IntArray  # (draws,): samples of the part that were open
    share: FloatArray  # (draws,): what each counts in the mean; adds up to one

    @property
    def equal(self) -> bool:
        """Whether all draws had the same chance."""
        return bool((self.weight == 1).all())

    @property
    def even(self) -> BoolArray:
        """(draws,): whether all open samples of the part had the same chance."""
        return np.asarray((self.weight == 1) & (self.max_weight == 1))

    @property
    def left(self) -> float:
        """The variance of the mean, as a share of that of one draw."""
        return float(np.sum(np.where(self.unit > 0, self.share**2 / np.maximum(self.unit, 1e-300), 0.0)))

    @cached_property
    def unit(self) -> FloatArray:
        """(draws,): what makes squared errors of all draws alike; 0 for the last open sample, which has none."""
        pairs = _known_max_weights(self.max_weight) * self.rest * (self.rest - 1.0)
        return np.asarray(np.where(pairs > 0, self.size**2 / np.maximum(pairs, 1e-300), 0.0))

    @cached_property
    def adds(self) -> FloatArray:
        """(draws,): what each adds to the variance of the mean of something whose own variance is one."""
        return np.asarray(self.share**2 * self.rest * (self.rest - 1.0) * self.weight**2 / self.size**2)

    def before(self, rows: FloatArray | BoolArray) -> FloatArray:
        """(models, draws): sums of (models, log rows) over the rows of the part from the first draw to each."""
        inside = np.where(self.inside[self.start :], rows[:, self.start :], 0.0)
        return np.asarray(np.pad(np.cumsum(inside, axis=1), ((0, 0), (1, 0)))[:, self.seen - self.start])


def parts_of(predictions: Predictions, labels: Labels) -> list[Draws]:
    """The whole pool, or the samples in dispute and the rest where labels were drawn from these.

    Where a log has draws of both kinds, a plain uniform draw from the whole pool counts as one from the part it fell
    into, which it is; any other counts as known.
    """
    drawn = ~np.isnan(labels.weight)
    if not labels.stratum[drawn].any():
        return [_draws(WHOLE_POOL, None, labels, drawn)]
    in_dispute = disputed(predictions, labels.header.models)
    stratum = np.where(in_dispute[labels.sample], DISPUTED, UNANIMOUS)
    strange = np.flatnonzero(drawn & (labels.stratum != WHOLE_POOL) & (labels.stratum != stratum))
    if strange.size:
        name = ids_at(predictions.samples, labels.sample[strange[:1]])[0]
        raise LabelsError(
            f"the log says that sample {name!r} was drawn from stratum {labels.stratum[strange[0]]}, but with these "
            "predictions it is not in that stratum; give the predictions that the run began with, or take the labels "
            "as known ones (--drawn unknown, drawn= in Python)"
        )
    drawn &= (labels.stratum != WHOLE_POOL) | _equal(labels)
    parts = ((DISPUTED, in_dispute), (UNANIMOUS, ~in_dispute))
    return [_draws(each, part, labels, drawn & (stratum == each)) for each, part in parts if part.any()]


def _draws(stratum: int, part: BoolArray | None, labels: Labels, drawn: BoolArray) -> Draws:
    inside = np.ones(len(labels), dtype=bool) if part is None else part[labels.sample]
    members = labels.pool if part is None else int(np.count_nonzero(part))
    told = np.count_nonzero(inside) < members and labels.usable[drawn].any()  # skips alone tell nothing
    rows = np.flatnonzero(drawn) if told else np.empty(0, dtype=np.int64)
    start = int(labels.seen[rows].min()) if len(rows) else len(labels)
    earlier = np.append(0, np.cumsum(inside))
    rest = members - earlier[labels.seen[rows]]
    weight, max_weight = labels.weight[rows], labels.max_weight[rows]
    max_weight = np.where(_equal(labels)[rows], 1.0, max_weight)
    size, share = int(members - earlier[start]), _shares(rest, _known_max_weights(max_weight))
    left_open = int(members - earlier[-1])
    seen = labels.seen[rows]
    return Draws(stratum, part, inside, start, size, left_open, rows, seen, weight, max_weight, rest, share)


def _equal(labels: Labels) -> BoolArray:
    """(log rows,): whether every open sample had the same chance, one draw after the other.

    A weight of one may also be that of some samples only. Where the largest weight is not said, it is one if no draw
    that leaves it open has another weight.
    """
    unsaid = np.isnan(labels.max_weight) & ~np.isnan(labels.weight)
    said_or_seen = (labels.max_weight == 1) | (unsaid & bool((labels.weight[unsaid] == 1).all()))
    return np.asarray((labels.weight == 1) & said_or_seen & (labels.seen == np.arange(len(labels))))


def _known_max_weights(max_weight: FloatArray) -> FloatArray:
    """The largest weights, which say how much a row tells; all the same where some are not known."""
    return np.ones(len(max_weight)) if np.isnan(max_weight).any() else max_weight


def _shares(rest: IntArray, max_weight: FloatArray) -> FloatArray:
    """Proportional to 1 / (W r (r - 1)); a draw of the last open sample knows everything and takes all."""
    last = rest == 1
    share = last.astype(np.float64) if last.any() else 1.0 / (max_weight * rest * (rest - 1.0))
    return np.asarray(share / share.sum()) if len(share) else share
