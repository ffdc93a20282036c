"""Mean losses over one part of the pool."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.losses import Loss
from adjudge.core.predictions import Predictions
from adjudge.inference.convolution import Share
from adjudge.inference.draws import Draws
from adjudge.inference.influence import Rows, contrasts
from adjudge.inference.intervals import binomial, joined, normal_quantile, student_quantile

PRIOR_EVENTS = 0.5  # mistakes, or right answers where these are rarer, that weights are trusted as much as
MISSED = 0.75  # how far from plain draws (0) to those that would tell as much (1) a mistake counts that was missed
EQUAL = 1e-9  # spread of losses, below which they differ by rounding only
MIDDLE = 0.5  # what is said of losses about which nothing is known


@dataclass(frozen=True, eq=False)
class KnownLosses:
    """(models, log rows): the loss on each answered row, 0 where there is none, and whether there is one."""

    losses: FloatArray
    said: BoolArray


@dataclass(frozen=True, eq=False)
class Part:
    """What the log tells about one part of the pool: sums that are known, and draws for the rest."""

    draws: Draws
    rows: Rows  # of the mean over the rest
    losses: FloatArray  # (models, draws)
    said: BoolArray  # (models, draws)
    known_wrong: FloatArray  # (models,): sum of losses known before the first draw
    known_said: FloatArray  # (models,): their number
    rest_said: FloatArray  # (models,): how many samples the rest holds for the model, without those nobody can label
    rest_unsure: FloatArray  # (models,): the standard error of that number
    guess: FloatArray  # (models,): the mean over the rest while nothing was drawn
    binary: bool  # all losses are 0 or 1
    scale: FloatArray  # (models,): expected share of the rest on which the model can be judged

    @property
    def drawn(self) -> bool:
        return len(self.draws.rows) > 0

    @cached_property
    def means(self) -> tuple[FloatArray, FloatArray]:
        """(models,): the mean loss over the rest, even outside [0, 1], and the variance of one draw."""
        if not self.drawn:
            return self.guess, np.full(len(self.guess), np.nan)
        mean, spread = contrasts(self.rows, self.rows.nobody, self.draws)
        return mean[:, 0], spread[:, 0]

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """(models,): lowest and highest mean loss over the rest; a fixed number of draws is taken for granted."""
        draws = self.draws
        strata = len(draws.rows) > 1 and bool((draws.seen == draws.start).all())
        if strata and self.binary and self.said.all():
            return joined(self.losses, draws.weight, draws.size, normal_quantile(level))
        telling = self._telling
        quantile = normal_quantile(level) if telling is None else student_quantile(level, telling)
        low, high = binomial(self.rest_mean, self._count, quantile, self._size)
        return np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0)

    def share(self, weight: FloatArray) -> Share:
        """The mean loss over the rest, as a part of a sum."""
        return Share(weight, self.rest_mean, self._count, self._telling, self._size)

    @property
    def rest_mean(self) -> FloatArray:
        """(models,): the mean loss over the rest, as it can be."""
        return np.asarray(np.clip(self.means[0], 0.0, 1.0))

    @property
    def _plain(self) -> bool:
        """Whether the number of draws says all about the spread of the mean."""
        number = len(self.draws.rows)
        return number < 2 or (self.rows.control is None and self.binary and self.draws.equal)

    @property
    def judged(self) -> IntArray:
        """(models,): on how many draws a model can be judged: it spoke, and there is a label."""
        return np.asarray(self.said.sum(axis=1))

    @property
    def _telling(self) -> FloatArray | None:
        """(models,): rows that would tell as much about the spread if all counted the same; None: it is not learned."""
        if self.binary or self._plain:
            return None
        return np.asarray(np.maximum(2.0, self.judged / len(self.draws.rows) / (self.draws.share**2).sum()))

    @cached_property
    def _count(self) -> FloatArray:
        """(models,): plain draws that would tell as much, as the variance of the mean shows.

        A few mistakes show little of it: then what the weights alone lead to expect counts too.
        """
        if self._plain:
            return self._plain_count
        even, variance = self.rest_mean * (1 - self.rest_mean), self.means[1] * self.draws.left
        with np.errstate(invalid="ignore", divide="ignore"):
            shown = np.where(even > 0, variance / even, 0.0)
            if not self.binary:
                return np.asarray(np.where(shown > EQUAL, 1 / shown, self._plain_count))
            wrong = (self.losses * self.said).sum(axis=1)
            events = np.where(even > 0, np.minimum(wrong, self.judged - wrong), 0.0)
            return np.asarray((events + PRIOR_EVENTS) / (events * shown + PRIOR_EVENTS / self._plain_count))

    @property
    def _size(self) -> FloatArray:
        """(models,): how many plain draws a mistake is worth that is not among the draws, on a sample like any other.

        Samples with large weights are most of the pool and few of the draws, so a mistake that was missed weighs more
        than those that were found; where all weights are the same, because the pool is finite. `_count` draws would
        tell as much as these do: what they have gained on plain ones counts by `MISSED`.
        """
        if not self.binary:
            return np.ones(len(self.scale))
        moved = self.draws.share * self.draws.rest * self.draws.weight / self.draws.size
        usual = ratio(self.said @ moved**2, self.said @ moved * self.scale)
        found = usual * self._plain_count ** (1 - MISSED) * self._count**MISSED
        return np.where(np.isfinite(found), np.fmax(found, 1.0), 1.0)

    @property
    def _plain_count(self) -> FloatArray:
        """(models,): draws from an endless pool that would tell as much about losses that may be anywhere.

        Those are drawn with a chance that falls with the weight, which is why it counts once and not twice. A few draws
        that all have small weights tell no more than plain ones.
        """
        once, plain = self.draws.adds / self.draws.weight, self.draws.adds / self.draws.weight**2
        return ratio(self.scale**2, np.maximum(self.said @ once, self.said @ plain))


def part_of(predictions: Predictions, labels: Labels, known: KnownLosses, draws: Draws) -> Part:
    """Average the rows drawn from a part, in a log that has no gap; unbiased where nothing was skipped."""
    size, rest, rows = max(draws.size, 1), draws.rest, draws.rows
    factor = rest * draws.weight / size
    earlier = np.where(draws.inside[: draws.start], 1.0, 0.0)
    known_said = np.asarray(known.said[:, : draws.start] @ earlier, dtype=np.float64)
    each_loss = draws.before(known.losses) / size + factor * known.losses[:, rows]
    each_said = draws.before(known.said) / size + factor * known.said[:, rows]
    # where a model lacks predictions, or a sample could not be labeled, how many count is itself estimated
    certain = (predictions.said == labels.pool) & (labels.skipped == 0)
    said = np.where(certain, 1.0, each_said @ draws.share)
    mean = ratio(each_loss @ draws.share, said)
    value = each_loss - mean[:, None] * np.where(certain[:, None], 0.0, each_said - said[:, None])
    spoken = _spoken(predictions, labels)
    counted = _said_in(predictions, draws) - spoken[:, : draws.start] @ earlier
    can_be, unsure = np.ones(len(counted)), np.zeros(len(counted))
    if labels.skipped and len(rows):
        each_spoken = draws.before(spoken) / size + factor * spoken[:, rows]
        can_be, unsure = _can_be_labeled(each_said @ draws.share, each_spoken @ draws.share, draws)
    return Part(
        draws=draws,
        rows=Rows(ratio(value, said[:, None])),
        losses=known.losses[:, rows],
        said=known.said[:, rows],
        known_wrong=known.losses[:, : draws.start] @ earlier,
        known_said=known_said,
        rest_said=np.asarray(counted * can_be),
        rest_unsure=np.asarray(counted * unsure),
        guess=np.full(len(known_said), MIDDLE),
        binary=bool(np.isin(known.losses, (0.0, 1.0)).all()),
        scale=said,
    )


def _can_be_labeled(labeled: FloatArray, handed_out: FloatArray, draws: Draws) -> tuple[FloatArray, FloatArray]:
    """(models,): the share of samples that are not skips, judged by the draws, and its standard error.

    Half a label more than was seen, and half a skip more for the error, so that a few draws are no proof.
    """
    labels, all_of_them = len(draws.rows) * labeled + 0.5, len(draws.rows) * handed_out + 0.5
    share, left = labels / (all_of_them + 0.5), draws.left_open / max(draws.size, 1)
    return labels / all_of_them, np.sqrt(np.clip(share * (1 - share), 0.0, None) * left / all_of_them)


def known_losses(predictions: Predictions, labels: Labels, loss: Loss) -> KnownLosses:
    usable = labels.usable
    losses = np.zeros((len(predictions.models), len(labels)))
    losses[:, usable] = loss(predictions.values[:, labels.sample[usable]], labels.value[usable])
    return KnownLosses(np.nan_to_num(losses), _spoken(predictions, labels) & usable)


def open_samples(predictions: Predictions, labels: Labels) -> IntArray:
    """(models,): samples that a model spoke about and that were not handed out."""
    return np.asarray(predictions.said - _spoken(predictions, labels).sum(axis=1))


def ratio(top: FloatArray, bottom: FloatArray | IntArray) -> FloatArray:
    """Nan where the bottom is zero: a model about which nothing is known."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1), np.nan))


def _spoken(predictions: Predictions, labels: Labels) -> BoolArray:
    """(models, rows): whether the model said anything about the row's sample."""
    return _is_said(predictions, predictions.values[:, labels.sample])


def _said_in(predictions: Predictions, draws: Draws) -> FloatArray:
    """(models,): on how many samples of the part a model said anything."""
    if draws.members is None:
        return np.asarray(predictions.said, dtype=np.float64)
    counts = np.full(len(predictions.models), float(np.count_nonzero(draws.members)))
    for model in np.flatnonzero(predictions.said < len(draws.members)):
        counts[model] = np.count_nonzero(_is_said(predictions, predictions.values[model]) & draws.members)
    return counts


def _is_said(predictions: Predictions, values: FloatArray) -> BoolArray:
    return np.asarray(~np.isnan(values) if predictions.classes is None else values >= 0)
