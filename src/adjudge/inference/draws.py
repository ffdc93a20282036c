"""The drawn rows of a log, stratum by stratum."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray, running_sums
from adjudge.core.index import ids_at
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.strata import DISPUTED, FIRST_PAIR, REST, UNANIMOUS, WHOLE_POOL, disputed
from adjudge.errors import LabelsError


@dataclass(frozen=True, eq=False)
class Draws:
    """The draws from one stratum; rows that were chosen, or that came before the first draw, count as known."""

    stratum: int
    members: BoolArray | None  # (samples,): whether the sample is in the stratum; None: all are
    inside: BoolArray  # (log rows,): whether the sample is in the stratum
    start: int  # rows of the log before the first draw
    size: int  # samples of the stratum that were not known then; 0: everything is known
    left_open: int  # samples of the stratum that are not in the log
    rows: IntArray  # (draws,): positions in the log
    seen: IntArray  # (draws,): rows of the log when the draw was made
    weight: FloatArray  # (draws,): inverse-propensity weights
    max_weight: FloatArray  # (draws,): the largest weight that an open sample could have had; nan: not known
    n_open: IntArray  # (draws,): samples of the stratum that were open
    averaging_weight: FloatArray  # (draws,): what each counts in the mean; adds up to one

    @property
    def unit_weights(self) -> bool:
        """Whether all samples that were drawn had the same chance as under uniform draws."""
        return bool((self.weight == 1).all())

    @cached_property
    def uniform(self) -> BoolArray:
        """(draws,): whether all open samples of the stratum had the same chance."""
        return np.asarray((self.weight == 1) & (self.max_weight == 1))

    @property
    def variance_factor(self) -> float:
        """The ratio of the variance of the mean to that of one draw."""
        return float(
            np.sum(
                np.where(
                    self.variance_scale > 0, self.averaging_weight**2 / np.maximum(self.variance_scale, 1e-300), 0.0
                )
            )
        )

    @cached_property
    def variance_scale(self) -> FloatArray:
        """(draws,): factors that put the squared errors of all draws on one scale.

        0 for the draw of the last open sample, which has no error.
        """
        pairs = _known_max_weights(self.max_weight) * self.n_open * (self.n_open - 1.0)
        return np.asarray(np.where(pairs > 0, self.size**2 / np.maximum(pairs, 1e-300), 0.0))

    @cached_property
    def variance_contribution(self) -> FloatArray:
        """(draws,): what each adds to the variance of the mean of a quantity with a variance of one."""
        return np.asarray(self.averaging_weight**2 * self.n_open * (self.n_open - 1.0) * self.weight**2 / self.size**2)

    def before(self, rows: FloatArray | BoolArray) -> FloatArray:
        """(models, draws): sums of (models, log rows) over the rows of the stratum from the first draw to each."""
        inside = np.where(self.inside[self.start :], rows[:, self.start :], 0.0)
        return running_sums(inside)[:, self.seen - self.start]


def draws_by_stratum(predictions: Predictions, labels: Labels) -> list[Draws]:
    """The draws from the whole pool, or from the disputed and the unanimous stratum if labels were drawn from these.

    Where a log has draws of both kinds, a uniform draw from the whole pool is also a uniform draw from the stratum of
    its sample, and counts as such; any other draw from the whole pool counts as known. Draws from where two models
    differ count as known too, unless the pool is these two, or nothing else was drawn.
    """
    drawn = ~np.isnan(labels.weight)
    if drawn.any() and labels.stratum[drawn].max() >= FIRST_PAIR:
        if (pair := _stratum_of_pair(predictions, labels, drawn)) is not None:
            return _by_pair(predictions, labels, drawn, pair)
        drawn &= labels.stratum < FIRST_PAIR
    if not labels.stratum[drawn].any():
        return [_draws(WHOLE_POOL, None, labels, drawn)]
    in_dispute = disputed(predictions, labels.header.models)
    stratum = np.where(in_dispute[labels.sample], DISPUTED, UNANIMOUS)
    _refuse_strangers(predictions, labels, drawn & (labels.stratum != WHOLE_POOL) & (labels.stratum != stratum))
    drawn &= (labels.stratum != WHOLE_POOL) | uniform_rows(labels)
    strata = ((DISPUTED, in_dispute), (UNANIMOUS, ~in_dispute))
    return [_draws(each, members, labels, drawn & (stratum == each)) for each, members in strata if members.any()]


def _stratum_of_pair(predictions: Predictions, labels: Labels, drawn: BoolArray) -> int | None:
    """The pair stratum by which to analyze the draws, or None.

    For a pool of two models, theirs, if more of the samples on which they differ were drawn from there, or uniformly
    from the whole pool, than otherwise. Otherwise the largest, if there are no draws but those from pairs. The
    choice does not depend on labels, so it cannot bias the result.
    """
    pairs, by_pair = labels.header.pairs, drawn & (labels.stratum >= FIRST_PAIR)
    if labels.stratum.max() >= FIRST_PAIR + len(pairs):
        raise LabelsError(
            f"there are draws from stratum {labels.stratum.max()}, which the log does not describe; restore the lines "
            "'# pair: MODEL' of its head (for a frame, use `fill`), or treat the labels as not randomly drawn "
            "(--drawn unknown, drawn= in Python)"
        )
    for place, pair in enumerate(pairs):
        if set(pair) == set(predictions.models):
            own = labels.stratum == FIRST_PAIR + place
            inside = disputed(predictions, pair)[labels.sample]
            uniform = own | ((labels.stratum == WHOLE_POOL) & uniform_rows(labels))
            if (by_pair & own).any() and (drawn & inside & uniform).sum() >= (drawn & inside & ~by_pair).sum():
                return FIRST_PAIR + place
    if (drawn & ~by_pair).any():
        return None
    return int(np.bincount(labels.stratum[by_pair]).argmax())


def _by_pair(predictions: Predictions, labels: Labels, drawn: BoolArray, stratum: int) -> list[Draws]:
    """The draws from where a pair of models differs, and from the rest of the pool."""
    differ = disputed(predictions, labels.header.pairs[stratum - FIRST_PAIR])
    inside, own = differ[labels.sample], labels.stratum == stratum
    _refuse_strangers(predictions, labels, drawn & own & ~inside)
    drawn = drawn & (own | ((labels.stratum == WHOLE_POOL) & uniform_rows(labels)))
    strata = ((stratum, differ, inside), (REST, ~differ, ~inside))
    return [_draws(each, members, labels, drawn & rows) for each, members, rows in strata if members.any()]


def _refuse_strangers(predictions: Predictions, labels: Labels, strange: BoolArray) -> None:
    """Refuse a log with draws from strata that their samples are not in."""
    if strange.any():
        row = int(np.argmax(strange))
        name = ids_at(predictions.samples, labels.sample[[row]])[0]
        raise LabelsError(
            f"the log says that sample {name!r} was drawn from stratum {labels.stratum[row]}, but with these "
            "predictions it is not in that stratum; give the predictions that the run began with, or treat the labels "
            "as not randomly drawn (--drawn unknown, drawn= in Python)"
        )


def _draws(stratum: int, members: BoolArray | None, labels: Labels, drawn: BoolArray) -> Draws:
    inside = np.ones(len(labels), dtype=bool) if members is None else members[labels.sample]
    total = labels.pool if members is None else int(np.count_nonzero(members))
    told = np.count_nonzero(inside) < total and labels.usable[drawn].any()  # skips alone are no information
    rows = np.flatnonzero(drawn) if told else np.empty(0, dtype=np.int64)
    start = int(labels.seen[rows].min()) if len(rows) else len(labels)
    earlier = np.append(0, np.cumsum(inside))
    n_open = total - earlier[labels.seen[rows]]
    weight, max_weight = labels.weight[rows], labels.max_weight[rows]
    max_weight = np.where(uniform_rows(labels)[rows], 1.0, max_weight)
    size, share = int(total - earlier[start]), _shares(n_open, _known_max_weights(max_weight))
    left_open = int(total - earlier[-1])
    seen = labels.seen[rows]
    return Draws(stratum, members, inside, start, size, left_open, rows, seen, weight, max_weight, n_open, share)


def uniform_rows(labels: Labels) -> BoolArray:
    """(log rows,): whether the row is a uniform draw from all open samples, made after the row before was handed out.

    A weight of one alone does not say so: other open samples may have had other weights. Where the largest weight is
    not recorded, it is taken to be one if all draws without that record have a weight of one.
    """
    unsaid = np.isnan(labels.max_weight) & ~np.isnan(labels.weight)
    said_or_seen = (labels.max_weight == 1) | (unsaid & bool((labels.weight[unsaid] == 1).all()))
    return np.asarray((labels.weight == 1) & said_or_seen & (labels.seen == np.arange(len(labels))))


def _known_max_weights(max_weight: FloatArray) -> FloatArray:
    """The largest weights, by which draws are averaged; ones if some are not known."""
    return np.ones(len(max_weight)) if np.isnan(max_weight).any() else max_weight


def _shares(n_open: IntArray, max_weight: FloatArray) -> FloatArray:
    """Proportional to 1 / (W r (r - 1)), with W the largest weight and r the open samples.

    A draw of the last open sample has no error and takes everything.
    """
    last = n_open == 1
    share = last.astype(np.float64) if last.any() else 1.0 / (max_weight * n_open * (n_open - 1.0))
    return np.asarray(share / share.sum()) if len(share) else share
