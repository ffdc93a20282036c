"""Price and quality: the cheapest model that is not worse than the best by more than the margin."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Ranking
from adjudge.core.recommendation import CheapestModel
from adjudge.inference.confidence_set import guaranteed, log_wealth_of_best
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.ranks import TINY
from adjudge.inference.weighted import exact_regrets, pool_mean
from adjudge.io.predictions.prices import PRICES
from adjudge.losses.loss import Loss


def mean_prices(predictions: Predictions) -> dict[str, dict[str, float]]:
    """By name, the mean price for a sample of each model; a name is left out unless two models differ in it."""
    found = {}
    for name in PRICES:
        numbers = predictions.auxiliary.get(name)
        if numbers is None or not numbers.models:
            continue
        rows = {model: numbers.of(model) for model in predictions.models}
        known = {model: row[~np.isnan(row)] for model, row in rows.items() if row is not None}
        means = {model: float(row.mean()) for model, row in known.items() if len(row)}
        if len(set(means.values())) > 1:
            found[name] = means
    return found


@dataclass(frozen=True, eq=False)
class Regrets:
    """How much worse than the best each model is at most, as far as it is known; `labels` has no pending rows."""

    predictions: Predictions
    labels: Labels
    ranking: Ranking
    loss: Loss
    likely: FloatArray | None  # (models,): None, and nan of a model: too little is known to act on it
    exact: bool  # whether every sample is labeled

    def cheapest(self, by: str, price: Mapping[str, float], margin: float) -> CheapestModel | None:
        """The cheapest model that is not worse than the best by more than the margin; None: no model is known to be."""
        for name in sorted(price, key=lambda name: price[name]):
            model = self.ranking.models.index(name)
            if self._plausible[model] > margin + TINY:
                continue
            proven = self.guaranteed(model)
            likely = None if self.exact or self.likely is None or np.isnan(self.likely[model]) else self.likely[model]
            if likely is not None or (proven is not None and proven <= margin + TINY):
                found = None if likely is None else float(likely)
                return CheapestModel(by, name, price[name], price.get(self.ranking.best), found, proven)
        return None

    @property
    def _plausible(self) -> FloatArray:
        """(models,): the likely bound; where there is none, the estimate."""
        if self.likely is not None and not self.exact:
            return self.likely
        value = self.ranking.estimate.goodness
        return np.asarray(np.nan_to_num(np.nanmax(value) - value, nan=np.inf))

    def guaranteed(self, model: int) -> float | None:
        """What draws prove at any time, for all models at once (Bonferroni), since one is picked by its price."""
        proven, ranking = self.ranking.guaranteed, self.ranking
        if proven is None:
            return None
        if self.exact:
            return float(self._exact[model])
        if ranking.models[model] == ranking.best:
            return proven.loss
        return guaranteed(
            self._mean, model, self._wealth, proven.level, self.loss.max_loss, leaders=len(ranking.models)
        ).loss

    @cached_property
    def _exact(self) -> FloatArray:
        return exact_regrets(self.predictions, self.labels, self.loss)

    @cached_property
    def _mean(self) -> PoolMean:
        return pool_mean(self.predictions, self.labels, self.loss)

    @cached_property
    def _wealth(self) -> FloatArray:
        return log_wealth_of_best(self._mean)
