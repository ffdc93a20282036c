"""The recommendation: what to deploy, what it may cost, how sure that is, and how many labels would make it surer."""

from dataclasses import replace
from math import isnan

import numpy as np

from adjudge.core.arrays import BoolArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranking
from adjudge.core.recommendation import NextStep, Recommendation
from adjudge.core.votes import all_unanimous
from adjudge.decisions.extrapolation import Progress, left_by_missing, never_guaranteed, until_guaranteed, until_likely
from adjudge.decisions.prices import Regrets, mean_prices
from adjudge.decisions.wording import in_words
from adjudge.inference.clusters import Clusters
from adjudge.inference.future import future_intervals
from adjudge.inference.missing_predictions import n_lacking, predicted, share_lacking
from adjudge.inference.ranks import TINY
from adjudge.inference.weighted import missing_where_labeled
from adjudge.losses.loss import Loss, ZeroOne, default_loss

MARGIN = 0.01  # a loss that does not matter, where nothing else is said: one point of accuracy
RELATIVE_MARGIN = 0.05  # the same for what has no natural scale, such as MSE: a share of the first model's value
MOST_LACKING = 0.1  # of its predictions: what is likely of a model with fewer rests mostly on the answers of the others
FEWEST = 10  # labels before a likely answer may be acted on; how often fewer mislead was not measured


def recommend(
    predictions: Predictions,
    labels: Labels,
    ranking: Ranking,
    loss: Loss | None = None,
    *,
    margin: float | None = None,
    stop: bool | None = None,
    clusters: Clusters | None = None,
) -> Recommendation:
    """Deploy the model that is ranked first; the rest says what is likely and what is guaranteed about it.

    `stop` says whether labeling may stop, by a rule of its own; without one, the loss must be within the margin: by
    default one point of accuracy, a hundredth of the range of grades, or a twentieth of the first model's MSE or cost.
    """
    log, loss = labels.settled(), loss or default_loss(predictions, labels)
    margin = _margin(predictions, ranking, loss) if margin is None else margin
    alone = len(ranking.models) > 1 and np.count_nonzero(predictions.n_predicted) == 1
    if alone:  # models that say nothing are no rivals elsewhere, but here they are all there is to compare with
        ranking, stop = replace(ranking, likely=None, guaranteed=None), False
    first, likely, proven = int(ranking.order[0]), ranking.likely, ranking.guaranteed
    lacking, incomplete = _lacking(predictions, ranking), alone or is_incomplete(predictions, ranking)
    exact = is_exact(ranking) and not (lacking and proven is None)
    future, rivals = _future(predictions, log, ranking, loss, clusters) if exact else (None, ())
    advice = Recommendation(
        model=ranking.models[first],
        ties=tuple(ranking.models[each] for each in ranking.order if as_good(ranking)[each] and each != first),
        chance_of_best=None if likely is None else _known(likely.chance_of_best[first]),
        expected_loss=None if likely is None else _known(likely.expected_loss[first]),
        likely_loss=None if likely is None or not ranking.labels else _likely_loss(ranking),
        guaranteed_loss=None if proven is None else proven.loss,
        may_be_best=() if proven is None else tuple(ranking.models[e] for e in ranking.order if proven.may_be_best[e]),
        level=ranking.estimate.level,
        margin=margin,
        stop=exact or (may_stop(ranking, margin, incomplete) and not is_exact(ranking)) if stop is None else stop,
        exact=exact,
        future=future,
        future_rivals=rivals,
        refuted=proven is not None and proven.refutes,
        next=_next(predictions, labels, ranking, margin, loss),
        lacking=lacking,
        samples=_samples(predictions),
        incomplete=incomplete,
        incomplete_rivals=_incomplete_rivals(predictions, ranking, margin, loss),
    )
    if stop is None:
        advice = _settled(advice, predictions, ranking)
    advice = _with_prices(advice, predictions, log, ranking, loss)
    blind = len(ranking.models) == 2 and predictions.classes is not None and predictions.probabilities is None
    return replace(advice, words=in_words(advice, *_counted(predictions, log, ranking), blind=blind))


def _settled(advice: Recommendation, predictions: Predictions, ranking: Ranking) -> Recommendation:
    """With the end of labeling where the best model is found, whatever the margin, or where no label can tell."""
    if not ranking.labels and not advice.lacking and _never_differ(predictions):
        every = tuple(ranking.models[each] for each in ranking.order)
        advice = replace(advice, ties=every[1:], may_be_best=every, guaranteed_loss=0.0)
    if not advice.best_is_proven:
        return advice
    return replace(advice, stop=True, next=replace(advice.next, labels_likely=None, labels_guaranteed=None))


def _never_differ(predictions: Predictions) -> bool:
    """Whether all of several models say the same, so that labels are worth nothing."""
    said = predictions.classes is not None and predictions.probabilities is None
    return said and len(predictions.models) > 1 and all_unanimous(predictions)


def _likely_loss(ranking: Ranking) -> float | None:
    """The bound on what deploying the first model costs; what is guaranteed is likely too."""
    assert ranking.likely is not None
    bound, proven = _known(ranking.likely.loss_bound[int(ranking.order[0])]), ranking.guaranteed
    if bound is None or proven is None or ranking.estimate.quantity != ZeroOne().quantity:  # in other units
        return bound
    return min(bound, proven.loss)


def _counted(predictions: Predictions, log: Labels, ranking: Ranking) -> tuple[Ranking, Labels, int]:
    """With the labels of a slice as the number of labels, where the pool is one; and how many of them were drawn."""
    counts = log.usable
    if predictions.whole is not None:
        counts = counts & predicted(predictions)[log.sample]
        ranking = replace(ranking, labels=min(ranking.labels, int(np.count_nonzero(counts))))
    return ranking, log, int(np.count_nonzero(~np.isnan(log.weight[counts])))


def _with_prices(
    advice: Recommendation, predictions: Predictions, log: Labels, ranking: Ranking, loss: Loss
) -> Recommendation:
    """With what to deploy where price matters."""
    prices, likely = mean_prices(predictions), ranking.likely
    advice = replace(advice, prices=prices)
    if not prices or not ranking.labels or len(ranking.models) == 1:
        return advice
    bounds = None
    if likely is not None and ranking.labels >= FEWEST:
        bounds = np.where(_lacks_many(predictions), np.nan, likely.loss_bound)
    all_labeled = advice.exact or advice.unpredicted
    regrets = Regrets(predictions, log, ranking, loss, bounds, all_labeled)
    found = [regrets.cheapest(by, each, advice.margin) for by, each in prices.items()]
    return replace(advice, cheapest=tuple(each for each in found if each is not None))


def _lacking(predictions: Predictions, ranking: Ranking) -> dict[str, int]:
    """How many predictions are missing of models that lack some, best first."""
    missing = n_lacking(predictions)
    return {ranking.models[each]: int(missing[each]) for each in ranking.order if missing[each]}


def _samples(predictions: Predictions) -> int:
    """The samples that some model predicts."""
    return int((n_lacking(predictions) + predictions.n_predicted).max(initial=0))


def _lacks_many(predictions: Predictions) -> BoolArray:
    """(models,): whether only guarantees count for the model, since it lacks too many predictions."""
    return np.asarray(share_lacking(predictions) > MOST_LACKING)


def is_incomplete(predictions: Predictions, ranking: Ranking) -> bool:
    """Whether nothing may be done because of what is merely likely: the first model lacks too many predictions."""
    return bool(_lacks_many(predictions)[ranking.order[0]])


def _incomplete_rivals(predictions: Predictions, ranking: Ranking, margin: float, loss: Loss) -> tuple[str, ...]:
    """Models that lack so many predictions that no number of labels is likely to rule them out."""
    proven, many = ranking.guaranteed, _lacks_many(predictions)
    if proven is None or not many.any():
        return ()
    open_rivals = many & proven.may_be_best & never_guaranteed(predictions, ranking, margin, loss)
    return tuple(ranking.models[each] for each in ranking.order[1:] if open_rivals[each])


def _margin(predictions: Predictions, ranking: Ranking, loss: Loss) -> float:
    """A loss that does not matter, where none is told."""
    if ranking.estimate.lower_is_better:
        first = RELATIVE_MARGIN * float(ranking.estimate.value[ranking.order[0]])
        return float(f"{first:.1g}") if first > 0 else MARGIN * loss.max_loss
    return MARGIN * (1.0 if predictions.grades is None else loss.max_loss)


def _known(number: float) -> float | None:
    """None about a model without predictions."""
    return None if isnan(number) else float(number)


def may_stop(ranking: Ranking, margin: float, incomplete: bool) -> bool:
    """Whether the loss of the first model is guaranteed to be within the margin, or likely if it is not incomplete."""
    proven = ranking.guaranteed is not None and ranking.guaranteed.loss <= margin + TINY
    return proven or is_exact(ranking) or (not incomplete and likely_within(ranking, margin))


def likely_within(ranking: Ranking, margin: float) -> bool:
    if ranking.likely is None or ranking.labels < FEWEST:
        return False
    return bool(ranking.likely.loss_bound[ranking.order[0]] <= margin + TINY)


def as_good(ranking: Ranking) -> BoolArray:
    """(models,): whether a model is known to be exactly as good as the first, such as a copy of it."""
    gap = ranking.difference_to_leader
    if gap is None:
        return np.asarray(ranking.rank == 1)
    return np.asarray((np.nan_to_num(gap.low, nan=-1.0) >= -TINY) & (np.nan_to_num(gap.high, nan=1.0) <= TINY))


def is_exact(ranking: Ranking) -> bool:
    """Whether nothing is left to learn about the pool: each value is known, and missing predictions do not matter."""
    estimate, proven = ranking.estimate, ranking.guaranteed
    known = ~np.isnan(estimate.value)
    decided = ranking.difference_to_leader is None if proven is None else proven.loss <= TINY
    return bool(decided and known.any() and (estimate.low[known] == estimate.high[known]).all())


def _future(
    predictions: Predictions, log: Labels, ranking: Ranking, loss: Loss, clusters: Clusters | None
) -> tuple[float | None, tuple[str, ...]]:
    """How far the value of the first model may be off on future data, and the models that may be as good there."""
    # a metric that is no mean of losses has no differences
    if ranking.difference_to_leader is None:
        return None, ()
    first = int(ranking.order[0])
    found = future_intervals(predictions, log, loss, ranking.estimate.level, leader=first, clusters=clusters)
    if found is None or np.isnan(found.half_width[first]):
        return None, ()
    judged, low = predictions.n_predicted > 0, found.difference_to_leader.low
    if n_lacking(predictions).any():
        missing = missing_where_labeled(predictions, log, loss)
        low = low - loss.max_loss * missing.lower(np.arange(len(low)), first)
    close = [int(each) for each in ranking.order[1:] if judged[each] and not low[each] > TINY]
    return float(found.half_width[first]), tuple(ranking.models[each] for each in close)


def _next(predictions: Predictions, labels: Labels, ranking: Ranking, margin: float, loss: Loss) -> NextStep:
    waiting, left = int(np.count_nonzero(~labels.answered)), labels.pool - len(labels)
    unused = max(0, labels.labeled - ranking.labels)
    if ranking.likely is None and ranking.guaranteed is None:  # nothing to extrapolate from, so no look at the pool
        return NextStep(None, None, waiting, left, unused)
    progress, proven = Progress.of(predictions, labels.settled()), ranking.guaranteed
    by_draws = None
    if proven is not None and proven.loss > margin:
        stays = left_by_missing(predictions, ranking, loss)
        by_draws = until_guaranteed(ranking, progress, margin, proven.lead < -margin, stays)
    likely = None if is_incomplete(predictions, ranking) else until_likely(ranking, progress, margin)
    if likely is not None and by_draws is not None and by_draws.about <= likely.about:
        by_draws = None  # a guarantee takes more labels; after so few draws, nobody can tell how many
    return NextStep(likely and likely.about, by_draws and by_draws.about, waiting, left, unused)
