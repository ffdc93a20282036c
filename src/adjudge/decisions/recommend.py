"""The recommendation: what to deploy, what it may cost, how sure that is, and how many labels would make it surer."""

from dataclasses import replace
from math import isnan

import numpy as np

from adjudge.core.arrays import BoolArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranking
from adjudge.core.recommendation import NextStep, Recommendation
from adjudge.decisions.extrapolation import Progress, until_guaranteed, until_likely
from adjudge.decisions.prices import Regrets, mean_prices
from adjudge.decisions.wording import in_words
from adjudge.inference.clusters import Clusters
from adjudge.inference.future import future_intervals
from adjudge.inference.ranks import TINY
from adjudge.losses.loss import Loss, default_loss

MARGIN = 0.01  # a loss that does not matter, where nothing else is said: one point of accuracy
RELATIVE_MARGIN = 0.05  # the same for what has no natural scale, such as MSE: a share of the first model's value
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
    margin = _margin(predictions, labels, ranking, loss) if margin is None else margin
    log, first = labels.settled(), int(ranking.order[0])
    likely, proven = ranking.likely, ranking.guaranteed
    future, rivals = _future(predictions, log, ranking, loss, clusters)
    advice = Recommendation(
        model=ranking.models[first],
        ties=tuple(ranking.models[each] for each in ranking.order if as_good(ranking)[each] and each != first),
        chance_of_best=None if likely is None else _known(likely.chance_of_best[first]),
        expected_loss=None if likely is None else _known(likely.expected_loss[first]),
        likely_loss=None if likely is None or not ranking.labels else _known(likely.loss_bound[first]),
        guaranteed_loss=None if proven is None else proven.loss,
        may_be_best=() if proven is None else tuple(ranking.models[e] for e in ranking.order if proven.may_be_best[e]),
        level=ranking.estimate.level,
        margin=margin,
        stop=may_stop(ranking, margin) if stop is None else stop,
        exact=is_exact(ranking),
        future=future,
        future_rivals=rivals,
        refuted=proven is not None and proven.refutes,
        next=_next(predictions, labels, ranking, margin),
    )
    if advice.best_is_proven and stop is None:  # the best model is found, whatever the margin
        advice = replace(advice, stop=True, next=replace(advice.next, labels_likely=None, labels_guaranteed=None))
    prices = mean_prices(predictions)
    if prices and ranking.labels and len(ranking.models) > 1:
        enough = likely is not None and ranking.labels >= FEWEST
        bounds = likely.loss_bound if likely is not None and enough else None
        regrets = Regrets(predictions, log, ranking, loss or default_loss(predictions, log), bounds, advice.exact)
        found = [regrets.cheapest(by, each, margin) for by, each in prices.items()]
        advice = replace(advice, cheapest=tuple(each for each in found if each is not None))
    advice = replace(advice, prices=prices)
    return replace(advice, words=in_words(advice, ranking, log, _lacking(predictions, ranking)))


def _lacking(predictions: Predictions, ranking: Ranking) -> dict[str, int]:
    """How many predictions are missing of models that lack some, best first."""
    missing = predictions.values.shape[1] - predictions.n_predicted
    return {ranking.models[each]: int(missing[each]) for each in ranking.order if missing[each]}


def _margin(predictions: Predictions, labels: Labels, ranking: Ranking, loss: Loss | None) -> float:
    """A loss that does not matter, where none is told."""
    if ranking.estimate.lower_is_better:
        first = RELATIVE_MARGIN * float(ranking.estimate.value[ranking.order[0]])
        scale = (loss or default_loss(predictions, labels)).max_loss
        return float(f"{first:.1g}") if first > 0 else MARGIN * scale
    return MARGIN * (1.0 if predictions.grades is None else (loss or default_loss(predictions, labels)).max_loss)


def _known(number: float) -> float | None:
    """None about a model without predictions."""
    return None if isnan(number) else float(number)


def may_stop(ranking: Ranking, margin: float) -> bool:
    """Whether the loss of the first model is likely within the margin, or guaranteed to be."""
    proven = ranking.guaranteed is not None and ranking.guaranteed.loss <= margin + TINY
    return proven or is_exact(ranking) or likely_within(ranking, margin)


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
    """Whether nothing is left to learn about the pool: the interval of each value is the value itself."""
    estimate = ranking.estimate
    known = ~np.isnan(estimate.value)
    return bool(known.any() and (estimate.low[known] == estimate.high[known]).all())


def _future(
    predictions: Predictions, log: Labels, ranking: Ranking, loss: Loss | None, clusters: Clusters | None
) -> tuple[float | None, tuple[str, ...]]:
    """How far the value of the first model may be off on future data, and the models that may be as good there."""
    # a metric that is no mean of losses has no differences
    if not is_exact(ranking) or ranking.difference_to_leader is None:
        return None, ()
    first = int(ranking.order[0])
    loss = loss or default_loss(predictions, log)
    found = future_intervals(predictions, log, loss, ranking.estimate.level, leader=first, clusters=clusters)
    if found is None or np.isnan(found.half_width[first]):
        return None, ()
    close = [int(each) for each in ranking.order[1:] if found.difference_to_leader.low[each] <= TINY]
    return float(found.half_width[first]), tuple(ranking.models[each] for each in close)


def _next(predictions: Predictions, labels: Labels, ranking: Ranking, margin: float) -> NextStep:
    waiting, left = int(np.count_nonzero(~labels.answered)), labels.pool - len(labels)
    if ranking.likely is None and ranking.guaranteed is None:  # nothing to extrapolate from, so no look at the pool
        return NextStep(None, None, waiting, left)
    progress, proven = Progress.of(predictions, labels.settled()), ranking.guaranteed
    by_draws = None
    if proven is not None and proven.loss > margin:
        by_draws = until_guaranteed(ranking, progress, margin, proven.lead < -margin)
    likely = until_likely(ranking, progress, margin)
    if likely is not None and by_draws is not None and by_draws.about <= likely.about:
        by_draws = None  # a guarantee takes more labels; after so few draws, nobody can tell how many
    return NextStep(likely and likely.about, by_draws and by_draws.about, waiting, left)
