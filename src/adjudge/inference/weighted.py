"""The weighted estimator: from a log of drawn labels to a ranking with intervals, for all methods that draw."""

from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate, Guaranteed, Ranking
from adjudge.errors import InputError, NotEnoughLabels
from adjudge.inference.anytime import AnytimeIntervals
from adjudge.inference.clusters import ClusteredIntervals, Clusters
from adjudge.inference.confidence_set import confidence_set, guaranteed, log_wealth_of_best
from adjudge.inference.draws import draws_by_stratum
from adjudge.inference.intervals import check_level
from adjudge.inference.missing_predictions import (
    MissingPredictions,
    PoolDifferences,
    shift_by_others,
    sums_of_others,
)
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.ranks import TINY, ExactDifferences, Interval, SimultaneousRanks, ranked, simultaneous_ranks
from adjudge.inference.stratum import (
    KnownLosses,
    known_losses,
    open_abstentions,
    open_samples,
    ratio,
    stratum_mean,
)
from adjudge.losses.loss import Loss, default_loss, reported_interval

MIN_LABELS_UNBOUNDED = 20  # labels; with fewer there is no interval for a loss whose range was not stated


def pool_mean(predictions: Predictions, labels: Labels, loss: Loss) -> PoolMean:
    """Mean losses over the pool, from a log without pending rows."""
    mean = mean_of(predictions, labels, known_losses(predictions, labels, loss), bounded=loss.bounded)
    return replace(mean, surely_lost=open_abstentions(predictions, labels)) if predictions.abstain else mean


def mean_of_draws(predictions: Predictions, labels: Labels, loss: Loss) -> PoolMean | None:
    """The same where draws are needed to know it; None where every sample is labeled.

    A method may make it more precise by what else it knows about the samples (a control variate), and pass the result
    to `weighted_ranking`: inference asks no method for anything.
    """
    if not open_samples(predictions, labels).any():
        return None
    drawn = ~np.isnan(labels.weight) & labels.usable
    if not predictions.is_present(predictions.values[:, labels.sample[drawn]]).any():
        raise NotEnoughLabels(
            "there is no usable label yet that was drawn at random, so nothing can be said about the whole pool; "
            "draw some with `adjudge select --method random`, or rank with `labeled`"
        )
    return pool_mean(predictions, labels, loss)


def mean_of(predictions: Predictions, labels: Labels, known: KnownLosses, *, bounded: bool = False) -> PoolMean:
    """The same for any numbers in place of losses; `bounded` says that none can be outside [0, 1]."""
    strata = [stratum_mean(predictions, labels, known, draws) for draws in draws_by_stratum(predictions, labels)]
    return PoolMean(predictions, strata, known, labels.sample, open_samples(predictions, labels), bounded)


@dataclass(frozen=True, eq=False)
class FixedBudgetIntervals:
    """Intervals for a number of draws fixed in advance; differences hold for all pairs at once (Bonferroni)."""

    mean: PoolMean
    level: float
    comparisons: int  # pairs

    def errors(self, comparisons: int = 1) -> Interval:
        return self.mean.interval(1 - (1 - self.level) / comparisons)

    def between(self, left: Array, right: Array) -> Interval:
        return self.mean.differences(left, right, self.level, self.comparisons)

    @property
    def missing(self) -> MissingPredictions:
        return MissingPredictions.of(self.mean, self.mean.least_judgeable(self.level))

    def worse(self, left: Array, right: Array) -> BoolArray:
        return np.asarray(self.between(left, right)[1] > TINY)


def weighted_ranking(
    predictions: Predictions,
    labels: Labels,
    loss: Loss | None,
    level: float,
    *,
    mean: PoolMean | None = None,
    anytime: bool = False,
    simultaneous: bool = False,
    order_by: FloatArray | None = None,
    clusters: Clusters | None = None,
) -> Ranking:
    """Rank by the mean loss over the pool, from a log without pending rows; exact where every sample is labeled.

    `mean` is what `mean_of_draws` gave, with a control variate added; by default, without one. `clusters` says that
    whole clusters were drawn: intervals are wider, and nothing is proven at any time. Models are ordered by `order_by`,
    highest first, except where the draws show otherwise.
    """
    check_level(level)
    loss = loss or default_loss(predictions, labels)
    if anytime and not loss.bounded:
        raise no_range(predictions, "intervals that hold at any time, and so stopping rules, need")
    mean = mean_of_draws(predictions, labels, loss) if mean is None else mean
    if mean is None:
        found = _exact(predictions, known_losses(predictions, labels, loss), loss, level, anytime)
    else:
        intervals: Intervals = (AnytimeIntervals if anytime else FixedBudgetIntervals)(mean, level, mean.pairs)
        if clusters is not None:
            intervals = ClusteredIntervals(
                FixedBudgetIntervals(mean, level, mean.pairs), clusters.of_rows(labels.sample)
            )
        found = _from_draws(intervals, loss, len(predictions.models) if simultaneous else 1, order_by)
    error, value = found.interval[0], reported_interval(loss, found.interval)
    key = error if order_by is None else np.where(np.isnan(error), np.nan, -order_by)
    return Ranking(
        predictions.models,
        estimate=Estimate(*value, loss.quantity, level, anytime, loss.lower_is_better),
        labels=labels.labeled,
        skipped=labels.skipped,
        guaranteed=found.proven,
        **vars(found.ranks or SimultaneousRanks(ranked(key))),
    )


def no_range(predictions: Predictions, what: str) -> InputError:
    how = "--loss squared --range LOW HIGH (loss= in Python)"
    if predictions.grades is not None:
        how = "--range LOW HIGH (`graded` in Python)"
    return InputError(f"{what} a loss with a stated range; give it: {how}")


Intervals: TypeAlias = AnytimeIntervals | FixedBudgetIntervals | ClusteredIntervals


class LossesAndRanks(NamedTuple):
    """Mean losses with their intervals, and what is known about ranks and about the best model; None: nothing."""

    interval: Interval
    ranks: SimultaneousRanks | None
    proven: Guaranteed | None


def _exact(predictions: Predictions, known: KnownLosses, loss: Loss, level: float, anytime: bool) -> LossesAndRanks:
    """Where every sample is labeled: what is open is only what missing predictions leave open.

    A model whose predictions are all of skipped samples may be as good as any; one without predictions is no rival.
    """
    error = ratio(known.losses.sum(axis=1), known.observed.sum(axis=1))
    if np.isnan(error).all():
        return LossesAndRanks((error, error, error), None, None)
    missing, every = MissingPredictions.exact(known, error, bounded=loss.bounded), np.arange(len(error))
    differences = PoolDifferences(ExactDifferences(error), missing)
    ranks = simultaneous_ranks(differences, error, loss, level, anytime=anytime, sort_key=error + _shift(known))
    rival, leader = predictions.n_predicted > 0, np.array([np.argmin(ranks.rank)])
    if np.isnan(missing.share[rival]).any():
        return LossesAndRanks((error, error, error), ranks, None)
    lead = differences.between(every, leader)[1][:, 0]
    lead = np.where(np.isnan(error), missing.least - missing.most[leader], lead)
    lead = np.where(rival, loss.max_loss * lead, np.nan)
    may_be_best = rival & (missing.least <= np.min(missing.most[rival]) + TINY)
    proven = Guaranteed(may_be_best, lead, max(0.0, -float(np.nanmin(lead))), level)
    return LossesAndRanks((error, error, error), ranks, proven)


def missing_where_labeled(predictions: Predictions, labels: Labels, loss: Loss) -> MissingPredictions:
    """What missing predictions leave open where every sample is labeled."""
    known = known_losses(predictions, labels, loss)
    error = ratio(known.losses.sum(axis=1), known.observed.sum(axis=1))
    return MissingPredictions.exact(known, error, bounded=loss.bounded)


def exact_regrets(predictions: Predictions, labels: Labels, loss: Loss) -> FloatArray:
    """(models,): by how much each is worse than the best at most, where every sample is labeled; nan: not known."""
    judged, found = np.flatnonzero(predictions.n_predicted > 0), np.full(len(predictions.models), np.nan)
    found[judged] = loss.max_loss * missing_where_labeled(predictions, labels, loss).only(judged).regret
    return found


def _shift(known: KnownLosses) -> FloatArray:
    """(models,): what allows for how hard the samples are that a model predicts."""
    judged = known.observed.any(axis=0)
    lacking = 1 - known.observed.sum(axis=1) / max(judged.sum(), 1)
    return shift_by_others(sums_of_others(known.losses, known.observed, np.where(judged, 1.0, 0.0), lacking))


def _from_draws(intervals: Intervals, loss: Loss, comparisons: int, order_by: FloatArray | None) -> LossesAndRanks:
    mean, level = intervals.mean, intervals.level
    error, low, high = intervals.errors(comparisons)
    judged = np.sum([stratum.judged for stratum in mean.strata], axis=0)
    few = (judged < MIN_LABELS_UNBOUNDED) & (not loss.bounded)
    ranks = proven = None
    if not (few & (judged > 0)).any():
        bets = loss.bounded and not isinstance(intervals, ClusteredIntervals)
        wealth = log_wealth_of_best(mean) if bets else np.zeros(len(error))
        refuted = order_by is not None and not confidence_set(wealth, level)[np.nanargmax(order_by)]
        key, anytime = None if order_by is None or refuted else -order_by, isinstance(intervals, AnytimeIntervals)
        differences = PoolDifferences(intervals, intervals.missing)
        ranks = simultaneous_ranks(differences, error, loss, level, anytime=anytime, sort_key=key)
        if bets:
            proven = guaranteed(mean, int(np.argmin(ranks.rank)), wealth, level, loss.max_loss)
            proven = replace(proven, refutes=refuted)
    shown = np.where(mean.has_undrawn_rest, np.nan, error)
    return LossesAndRanks((shown, np.where(few, np.nan, low), np.where(few, np.nan, high)), ranks, proven)
