"""Mean losses over one stratum of the pool, from the draws made there."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.inference.convolution import ConfidenceDistribution
from adjudge.inference.draw_estimates import UNTRIED, CoefficientPrior, DrawEstimates, mean_differences
from adjudge.inference.draws import Draws
from adjudge.inference.intervals import guard_size, mid_p_interval, mover_interval, normal_quantile, student_quantile
from adjudge.inference.prediction_overlap import n_predicted_in
from adjudge.losses.loss import Loss
from adjudge.losses.probabilities import ProbabilityLoss

PRIOR_EVENTS = 0.5  # pseudo-count, in mistakes, of the effective size by weights against the variance's
# exponent of the geometric mean of both effective sizes (0: by weights, 1: from the variance) for an unseen mistake
MISSED = 0.75
EQUAL = 1e-9  # relative variance of losses, below which they differ by rounding only
MIDDLE = 0.5  # the mean loss that is assumed where nothing is known


@dataclass(frozen=True, eq=False)
class KnownLosses:
    """(models, log rows): the loss on each labeled row, 0 where there is none, and whether there is one."""

    losses: FloatArray
    observed: BoolArray
    unseen: FloatArray | None = None  # (models,): the size of a large loss, which may occur though none was drawn


@dataclass(frozen=True, eq=False)
class ExpectedLosses:
    """What a consensus expected before each draw: (models, draws) each, 0 for a missing prediction."""

    open_total: FloatArray  # sum over all open samples of the stratum
    drawn: FloatArray  # on the sample that was drawn
    prior: CoefficientPrior = UNTRIED  # of their coefficient as a control variate


@dataclass(frozen=True, eq=False)
class StratumMean:
    """The mean loss over one stratum: sums that were known before the first draw, and draws for the rest."""

    draws: Draws
    estimates: DrawEstimates  # of the mean over the rest
    losses: FloatArray  # (models, draws)
    observed: BoolArray  # (models, draws)
    known_loss: FloatArray  # (models,): sum of losses known before the first draw
    known_count: FloatArray  # (models,): their number
    rest_count: FloatArray  # (models,): samples of the rest that the model predicts and that can be labeled
    rest_count_se: FloatArray  # (models,): the standard error of that number
    guess: FloatArray  # (models,): the mean over the rest while nothing was drawn
    binary: bool  # all losses are 0 or 1
    judgeable_share: FloatArray  # (models,): expected share of the rest on which the model can be judged
    expected: ExpectedLosses | None = None
    unseen: FloatArray | None = None  # (models,): see `KnownLosses`

    @property
    def drawn(self) -> bool:
        """Whether some draw tells something: not all were skipped, or have no prediction."""
        return bool(self.observed.any())

    @cached_property
    def mean_and_variance(self) -> tuple[FloatArray, FloatArray]:
        """(models,): the mean loss over the rest, unbiased and so perhaps outside [0, 1]; the variance of one draw."""
        if not self.drawn:
            return self.guess, np.full(len(self.guess), np.nan)
        mean, spread = mean_differences(self.estimates, self.estimates.zero, self.draws)
        return mean[:, 0], spread[:, 0]

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """(models,): the interval of the mean loss over the rest, valid if the number of draws was fixed in advance."""
        draws = self.draws
        strata = len(draws.rows) > 1 and bool((draws.seen == draws.start).all())
        if strata and self.binary and self.observed.all():
            return mover_interval(self.losses, draws.weight, draws.size, normal_quantile(level))
        variance_draws = self._variance_draws
        quantile = normal_quantile(level) if variance_draws is None else student_quantile(level, variance_draws)
        low, high = mid_p_interval(self.rest_mean, self.effective_size, quantile, self._unseen_weight)
        low, high = np.where(self._only(0.0), 0.0, low), np.where(self._only(1.0), 1.0, high)
        return np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0)

    def confidence_distribution(self, weight: FloatArray) -> ConfidenceDistribution:
        """Of the mean loss over the rest, with its weight in the mean over the pool."""
        return ConfidenceDistribution(
            weight,
            self.rest_mean,
            self.effective_size,
            self._variance_draws,
            self._unseen_weight,
            self._only(0.0),
            self._only(1.0),
        )

    def _only(self, loss: float) -> BoolArray:
        """(models,): whether all judged draws have this loss, so that the whole remainder may have it too.

        The estimated mean can differ from it because of weights and control variate.
        """
        return np.asarray(((self.losses == loss) | ~self.observed).all(axis=1) & np.isfinite(self.effective_size))

    @property
    def rest_mean(self) -> FloatArray:
        """(models,): the mean loss over the rest, clipped to [0, 1]."""
        return np.asarray(np.clip(self.mean_and_variance[0], 0.0, 1.0))

    @property
    def _plain(self) -> bool:
        """Whether the number of draws alone gives the variance of the mean: 0-1 losses and uniform draws."""
        number = len(self.draws.rows)
        return number < 2 or (self.estimates.control is None and self.binary and self.draws.unit_weights)

    @property
    def judged(self) -> IntArray:
        """(models,): the number of draws with a label and a prediction of the model."""
        return np.asarray(self.observed.sum(axis=1))

    @property
    def _variance_draws(self) -> FloatArray | None:
        """(models,): the effective number of draws that the variance is estimated from; None: it is not estimated."""
        if self.binary or self._plain:
            return None
        return np.asarray(np.maximum(2.0, self.judged / len(self.draws.rows) / (self.draws.averaging_weight**2).sum()))

    @cached_property
    def effective_size(self) -> FloatArray:
        """(models,): the effective sample size, p (1 - p) / variance of the mean.

        A variance estimated from few mistakes is unreliable: then the effective size by the weights alone counts too.
        """
        if self._plain:
            return self._effective_size_by_weights
        bernoulli, variance = (
            self.rest_mean * (1 - self.rest_mean),
            self.mean_and_variance[1] * self.draws.variance_factor,
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            inverse_size = np.where(bernoulli > 0, variance / bernoulli, 0.0)
            if not self.binary:
                return np.asarray(np.where(inverse_size > EQUAL, 1 / inverse_size, self._effective_size_by_weights))
            wrong = (self.losses * self.observed).sum(axis=1)
            events = np.where(bernoulli > 0, np.minimum(wrong, self.judged - wrong), 0.0)
            return np.asarray(
                (events + PRIOR_EVENTS) / (events * inverse_size + PRIOR_EVENTS / self._effective_size_by_weights)
            )

    @property
    def _unseen_weight(self) -> FloatArray:
        """(models,): what a mistake on a typical sample that was not drawn would count, in effective draws.

        Samples with large weights are most of the pool and few of the draws, so a mistake that was missed weighs more
        than one that was found; with equal weights it does so because the pool is finite. The scale is a geometric
        mean of the effective sample size and that by the weights alone (`MISSED`).
        """
        if not self.binary:
            alone = np.zeros(len(self.judgeable_share)) if self.unseen is None else self.unseen
            found = alone * ratio(self.effective_size, self.judged)
            return np.where(np.isfinite(found), np.fmax(found, 1.0), 1.0)
        moved = self.draws.averaging_weight * self.draws.n_open * self.draws.weight / self.draws.size
        usual = ratio(self.observed @ moved**2, self.observed @ moved * self.judgeable_share)
        found = usual * self._effective_size_by_weights ** (1 - MISSED) * self.effective_size**MISSED
        return np.where(np.isfinite(found), np.fmax(found, 1.0), 1.0)

    @property
    def _effective_size_by_weights(self) -> FloatArray:
        """(models,): the effective sample size for mistakes that are spread evenly over the samples.

        A sample is drawn with a chance inversely proportional to its weight, which is why the weight counts once, not
        squared. A few draws that all have small weights count no more than uniform draws.
        """
        once, plain = (
            self.draws.variance_contribution / self.draws.weight,
            self.draws.variance_contribution / self.draws.weight**2,
        )
        return ratio(self.judgeable_share**2, np.maximum(self.observed @ once, self.observed @ plain))


def stratum_mean(predictions: Predictions, labels: Labels, known: KnownLosses, draws: Draws) -> StratumMean:
    """Average the rows drawn from a stratum, in a log without pending rows; unbiased where nothing was skipped."""
    size, rows = max(draws.size, 1), draws.rows
    factor = draws.n_open * draws.weight / size
    earlier = np.where(draws.inside[: draws.start], 1.0, 0.0)
    known_said = np.asarray(known.observed[:, : draws.start] @ earlier, dtype=np.float64)
    value = draws.before(known.losses) / size + factor * known.losses[:, rows]
    each_said = draws.before(known.observed) / size + factor * known.observed[:, rows]
    predicted = _predicted(predictions, labels)
    counted = _predicted_in(predictions, draws) - predicted[:, : draws.start] @ earlier
    # where a model lacks predictions, or a sample could not be labeled, the number of samples is estimated too (ratio
    # estimator)
    certain = (predictions.n_predicted == labels.pool) & (labels.skipped == 0)
    off, share = _judged_share(each_said, np.where(labels.skipped, 0.0, counted / size), draws)
    judgeable = np.where(certain, 1.0, share)
    mean = ratio(value @ draws.averaging_weight, judgeable)
    value[~certain] -= (mean[:, None] * off)[~certain]
    can_be, unsure = np.ones(len(counted)), np.zeros(len(counted))
    if labels.skipped and len(rows):
        each_predicted = draws.before(predicted) / size + factor * predicted[:, rows]
        can_be, unsure = _can_be_labeled(
            each_said @ draws.averaging_weight, each_predicted @ draws.averaging_weight, draws
        )
    return StratumMean(
        draws=draws,
        estimates=DrawEstimates(ratio(value, judgeable[:, None])),
        losses=known.losses[:, rows],
        observed=known.observed[:, rows],
        known_loss=known.losses[:, : draws.start] @ earlier,
        known_count=known_said,
        rest_count=np.asarray(counted * can_be),
        rest_count_se=np.asarray(counted * unsure),
        guess=np.full(len(known_said), MIDDLE),
        binary=bool(np.isin(known.losses, (0.0, 1.0)).all()),
        judgeable_share=judgeable,
        unseen=known.unseen,
    )


def _judged_share(each: FloatArray, known: FloatArray, draws: Draws) -> tuple[FloatArray, FloatArray]:
    """The share of the rest on which a model can be judged: errors of single draws, (models, draws), and estimates.

    The share of all samples is known to be one; its estimate shows how far the weights are off. Dividing by that
    estimate, raised to the share of samples that the model predicts, removes most of the noise of the weights.
    """
    every = (draws.size - draws.n_open + draws.n_open * draws.weight) / max(draws.size, 1)
    estimate, whole = each @ draws.averaging_weight, float(every @ draws.averaging_weight) or 1.0
    share = estimate * whole**-known
    off = ratio(each, estimate[:, None]) - 1 - known[:, None] * (every / whole - 1)
    return off * share[:, None], share


def _can_be_labeled(labeled: FloatArray, handed_out: FloatArray, draws: Draws) -> tuple[FloatArray, FloatArray]:
    """(models,): the estimated share of samples that can be labeled, and its standard error.

    Half a label is added to the count, and half a skip too for the error, so that a few draws give no certainty.
    """
    labels, all_of_them = len(draws.rows) * labeled + 0.5, len(draws.rows) * handed_out + 0.5
    share, left = labels / (all_of_them + 0.5), draws.left_open / max(draws.size, 1)
    return labels / all_of_them, np.sqrt(np.clip(share * (1 - share), 0.0, None) * left / all_of_them)


def known_losses(predictions: Predictions, labels: Labels, loss: Loss) -> KnownLosses:
    usable = labels.usable
    losses = np.zeros((len(predictions.models), len(labels)))
    losses[:, usable] = loss(predictions.values[:, labels.sample[usable]], labels.value[usable])
    losses = np.nan_to_num(losses)
    return KnownLosses(losses, _predicted(predictions, labels) & usable, _unseen(predictions, losses, loss))


def _unseen(predictions: Predictions, losses: FloatArray, loss: Loss) -> FloatArray | None:
    """(models,): how large a loss may be that was not drawn; None: not asked, as for grades and costs.

    Probabilities say it themselves: as large as where the second most probable class is the true one. For numbers it is
    the size of the losses that make up most of the variance.
    """
    if isinstance(loss, ProbabilityLoss):
        return cache.get(predictions, ("large losses", loss), lambda: loss.if_second(predictions.values))
    if predictions.classes is None and predictions.grades is None and losses.size:
        return np.where(losses.any(axis=1), guard_size(losses), 0.0)
    return None


def open_samples(predictions: Predictions, labels: Labels) -> IntArray:
    """(models,): samples that a model predicts and that were not handed out."""
    return np.asarray(predictions.n_predicted - _predicted(predictions, labels).sum(axis=1))


def open_abstentions(predictions: Predictions, labels: Labels) -> IntArray:
    """(models,): those of them that it abstains from: whatever their labels will be, it is wrong."""
    handed_out = predictions.values[:, labels.sample] < MISSING
    return np.asarray(predictions.n_abstained - handed_out.sum(axis=1))


def ratio(top: FloatArray | IntArray, bottom: FloatArray | IntArray) -> FloatArray:
    """The quotient; nan where the bottom is zero, as for a model about which nothing is known."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1), np.nan))


def _predicted(predictions: Predictions, labels: Labels) -> BoolArray:
    """(models, rows): whether the model predicts the sample of the row."""
    return predictions.is_present(predictions.values[:, labels.sample])


def _predicted_in(predictions: Predictions, draws: Draws) -> FloatArray:
    """(models,): how many samples of the stratum a model predicts."""
    if draws.members is None:
        return np.asarray(predictions.n_predicted, dtype=np.float64)
    counts = np.full(len(predictions.models), float(np.count_nonzero(draws.members)))
    if (some := np.flatnonzero(predictions.n_predicted < len(draws.members))).size:
        counts[some] = n_predicted_in(predictions, some, draws)
    return counts
