"""About how many more labels it takes until a loss is likely, or guaranteed, to be within a margin."""

from dataclasses import dataclass
from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranking
from adjudge.core.strata import disputed
from adjudge.core.votes import joined
from adjudge.inference.missing_predictions import n_lacking
from adjudge.inference.ranks import TINY
from adjudge.losses.loss import Loss

UNSURE = 0.5  # the range of an extrapolation lets a gap be off by this share of the half width of its interval
POWER = 1.3  # the likely loss falls as labels ** -POWER, measured on parts of real pools
LIKELY_RANGE = 2.0  # factor by which the extrapolated number of labels may be too large or too small


class MoreLabels(NamedTuple):
    """An extrapolation from what the gaps look like now, not a promise; rounded, and at most what is left."""

    about: int
    low: int
    high: int


@dataclass(frozen=True, eq=False)
class Progress:
    """How much of a pool was labeled."""

    done: int  # rows that count for differences
    size: int  # samples that do
    rows: int  # of the log
    left: int  # open samples
    in_dispute: int  # open samples on which models differ

    @classmethod
    def of(cls, predictions: Predictions, log: Labels) -> "Progress":
        """Samples count that can change a difference: disputed ones, and those that only some models predict."""
        in_dispute = disputed(predictions, log.header.models)
        counts = in_dispute | joined(predictions.over_parts(_some_missing))
        open_in_dispute = int(in_dispute.sum() - in_dispute[log.sample].sum())
        return cls(int(counts[log.sample].sum()), int(counts.sum()), len(log), log.pool - len(log), open_in_dispute)

    def rounded(self, more: float) -> int:
        """A number of labels that claims no more than it knows, and at most all that are left."""
        return min(rounded_up(more), self.left)


def rounded_up(count: float) -> int:
    """A number with two digits, at least 1.

    >>> rounded_up(0.2), rounded_up(17.1), rounded_up(21.0), rounded_up(1234.0)
    (1, 18, 25, 1300)
    """
    if count < 20:
        return ceil(max(1.0, count))
    unit = max(5, 10 ** (floor(log10(count)) - 1))
    return int(unit * ceil(count / unit))


def _some_missing(part: Predictions) -> tuple[BoolArray]:
    """(samples,): whether a prediction is missing."""
    found = np.zeros(len(part.samples), dtype=bool)
    for model in np.flatnonzero(part.n_predicted < len(found)):
        found |= ~part.is_present(part.values[model])
    return (found,)


def until_guaranteed(
    ranking: Ranking, progress: Progress, margin: float, pending: BoolArray, stays: FloatArray | float = 0.0
) -> MoreLabels | None:
    """Labels until the first model is at most `margin` worse than the pending ones; None: no number can be told.

    It takes the gaps between the first model and the others as they are estimated now, and lets the half widths of
    their intervals shrink with the root of the number of labels, down to zero when all disputed samples are labeled.
    `stays` is the part of each half width that no label removes: of label noise, and of missing predictions.
    """
    if ranking.guaranteed is None or not progress.done or not progress.left or not pending.any():
        return None
    gap = _gaps(ranking)
    half = np.maximum(gap - ranking.guaranteed.lead, 0.0) - stays
    gap = gap + margin - stays
    if (gap[pending] <= 0).any() and np.any(stays):
        return None

    def more(off: float) -> int:
        share = np.clip(gap + off * half, 0.0, half) / np.maximum(half, TINY)
        # with n of N samples labeled, the half width is proportional to the root of 1/n - 1/N
        needed = 1 / (1 / progress.size + (1 / progress.done - 1 / progress.size) * share**2)
        # labels of unanimous samples are assumed to go on at the same rate; the closest model decides
        return progress.rounded((needed[pending].max() - progress.done) * progress.rows / progress.done)

    return MoreLabels(more(0.0), more(UNSURE), more(-UNSURE))


def left_by_missing(predictions: Predictions, ranking: Ranking, loss: Loss) -> FloatArray:
    """(models,): by how much missing predictions leave it open how far each model is behind the first."""
    lacks, first = n_lacking(predictions), ranking.order[0]
    if not lacks.any():
        return np.zeros(len(lacks))
    share = lacks / np.maximum(lacks + predictions.n_predicted, 1)
    error = np.abs(ranking.estimate.value - loss.best) / loss.max_loss
    as_likely = error[first] + _gaps(ranking) / loss.max_loss  # where no draw tells
    error = (1 - share) * np.nan_to_num(np.where(np.isnan(error), as_likely, error), nan=0.5)
    in_the_end = loss.max_loss * (error - error[first] - share[first])
    found = np.where((share > 0) | (share[first] > 0), np.maximum(_gaps(ranking) - in_the_end, 0.0), 0.0)
    found[first] = 0.0
    return np.asarray(found)


def never_guaranteed(predictions: Predictions, ranking: Ranking, margin: float, loss: Loss) -> BoolArray:
    """(models,): which may be better than the first by more than the margin, even if all is labeled as is likely."""
    return np.asarray(_gaps(ranking) + margin < left_by_missing(predictions, ranking, loss))


def until_likely(ranking: Ranking, progress: Progress, margin: float) -> MoreLabels | None:
    """Labels until the loss is likely within the margin; the bound falls with a power of the number of labels."""
    if ranking.likely is None or not progress.rows:
        return None
    times = (ranking.likely.loss_bound[ranking.order[0]] / margin) ** (1 / POWER)
    if not times > 1:  # also where nothing is known about it
        return None
    more = progress.rows * (times - 1)
    return MoreLabels(*(progress.rounded(each) for each in (more, more / LIKELY_RANGE, more * LIKELY_RANGE)))


def _gaps(ranking: Ranking) -> FloatArray:
    """(models,): how much better the first model is than each, as far as it is known."""
    if ranking.likely is not None:
        return np.nan_to_num(ranking.likely.behind.value)
    gap = ranking.difference_to_leader
    return np.zeros(len(ranking.models)) if gap is None else np.nan_to_num(gap.value)
