"""Expected losses under the pooled consensus, as a control variate for drawn labels.

Its coefficient is fitted where it is used, in `inference/draw_estimates.py`.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.kernels import kernel
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.strata import UNANIMOUS
from adjudge.core.votes import added
from adjudge.inference.draw_estimates import CALIBRATED, UNTRIED, DrawEstimates, refit_lengths
from adjudge.inference.draws import Draws
from adjudge.inference.pool_mean import PoolMean
from adjudge.inference.stratum import ExpectedLosses, StratumMean
from adjudge.io.predictions.parts import PredictionParts
from adjudge.losses.loss import Loss, ZeroOne
from adjudge.losses.probabilities import ProbabilityLoss
from adjudge.methods.pooled.consensus import Modes, class_probabilities, consensus, probabilities_given
from adjudge.methods.pooled.judges import losses_by_judges
from adjudge.methods.pooled.numbers import losses_to_median

MAX_CELLS = 2 * 10**8  # samples x classes above which there is no control variate
WHOLE_LOG = -1  # stands for the length of the whole log in the name of a cached value


@dataclass(frozen=True, eq=False)
class LossTable:
    """Expected losses of all predictions, and their sums over strata."""

    losses: FloatArray  # (samples, classes): of predicting a class; or (samples, models), 0 where one is missing
    by_class: bool
    totals: dict[int, FloatArray] = field(default_factory=dict)  # by stratum, (models,)

    def total(self, predictions: Predictions, members: BoolArray) -> FloatArray:
        """(models,): the sum over some samples."""
        if self.by_class:
            return _totals(predictions.values, self.losses, members)
        return np.asarray(self.losses.sum(axis=0, where=members[:, None], dtype=np.float64))

    def at(self, predicted: Array, samples: IntArray) -> FloatArray:
        """(models, samples): those of some samples, for which these are the predictions."""
        return _looked_up(predicted, self.losses[samples]) if self.by_class else self.losses[samples].T


def with_control_variate(mean: PoolMean, labels: Labels, loss: Loss) -> PoolMean:
    """The mean with a control variate for each draw, and with expected losses where nothing was drawn.

    The control variate of a row depends on the labels of earlier rows only: the consensus is refitted when the log has
    5, 10, 20, ... rows, a regression on judges more often. Where all models agree they share one error, which plain
    draws estimate best.
    """
    mean = with_expected_losses(mean, labels, loss)
    strata = [part if part.expected is None else _with_control(part, part.expected) for part in mean.strata]
    return replace(mean, strata=strata)


def with_expected_losses(mean: PoolMean, labels: Labels, loss: Loss) -> PoolMean:
    """The mean with what the consensus expects, for bets on it; estimates stay those of the draws alone."""
    predictions = mean.predictions
    if predictions.grades is not None and not predictions.judges:
        return mean  # nothing says beforehand how good an answer is
    classes = (predictions.whole or predictions).classes
    if classes is not None and predictions.values.shape[1] * len(classes) > MAX_CELLS:
        return mean
    return replace(mean, strata=[_with_expected(predictions, labels, loss, part) for part in mean.strata])


def _with_control(part: StratumMean, expected: ExpectedLosses) -> StratumMean:
    draws = part.draws
    control = (expected.open_total - draws.n_open * draws.weight * expected.drawn) / draws.size
    with np.errstate(invalid="ignore", divide="ignore"):
        control = control / part.judgeable_share[:, None]
    return replace(part, estimates=DrawEstimates(part.estimates.value, control, expected.prior))


def _with_expected(predictions: Predictions, labels: Labels, loss: Loss, part: StratumMean) -> StratumMean:
    if not part.drawn:
        if not part.draws.size:
            return part
        total, rows = _expected(predictions, labels, labels, loss, part.draws)
        rest = total - rows @ part.draws.inside
        return replace(part, guess=np.clip(rest / np.maximum(part.rest_count, 1), 0.0, 1.0))
    if part.draws.stratum == UNANIMOUS:
        return part
    draws, (sum_open, drawn) = part.draws, np.zeros((2, *part.estimates.value.shape))
    prior = CALIBRATED if predictions.judges else UNTRIED
    for length, block in refit_lengths(draws, prior.refits):
        total, rows = _expected(predictions, labels, labels.head(length), loss, draws)
        known = rows[:, : draws.start] @ draws.inside[: draws.start]
        sum_open[:, block] = ((total - known)[:, None] - draws.before(rows))[:, block]
        drawn[:, block] = rows[:, draws.rows[block]]
    return replace(part, expected=ExpectedLosses(sum_open, drawn, prior))


def _expected(
    predictions: Predictions, labels: Labels, seen: Labels, loss: Loss, draws: Draws
) -> tuple[FloatArray, FloatArray]:
    """Expected losses given an earlier log: (models,) summed over a stratum, (models, rows) on all rows of the log."""
    members = np.ones(labels.pool, dtype=np.bool_) if draws.members is None else draws.members
    if isinstance(predictions, PredictionParts) and predictions.classes is not None:
        return _expected_by_parts(predictions, labels, seen, loss, members)
    expected = _expected_losses(predictions, seen, loss, len(seen) if len(seen) < len(labels) else WHOLE_LOG)
    if draws.stratum not in expected.totals:
        expected.totals[draws.stratum] = expected.total(predictions, members)
    return expected.totals[draws.stratum], expected.at(predictions.values[:, labels.sample], labels.sample)


def _expected_by_parts(
    predictions: PredictionParts, labels: Labels, seen: Labels, loss: Loss, members: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """The same for a pool in parts: no table of all samples, since only its sums and the rows of the log matter."""
    modes, known = consensus(predictions, seen).modes, seen.codes
    total = added(predictions.over_parts(partial(_part_total, modes, loss), known, members))
    rows = predictions.at(labels.sample)
    table = _losses_given(probabilities_given(modes, rows, known[labels.sample]), rows, loss)
    return total, table.at(rows.values, np.arange(len(labels)))


def _part_total(modes: Modes, loss: Loss, part: Predictions, known: IntArray, members: BoolArray) -> tuple[FloatArray]:
    return (_losses_given(probabilities_given(modes, part, known), part, loss).total(part, members),)


def _expected_losses(predictions: Predictions, seen: Labels, loss: Loss, length: int) -> LossTable:
    """Cached, one for each length of the log, since a log that grows asks for the same lengths again."""
    if (
        predictions.classes is None and predictions.grades is None and not isinstance(loss, ProbabilityLoss)
    ):  # labels change nothing
        name = ("expected losses", seen.header.models, loss)
        return cache.get(predictions, name, lambda: LossTable(losses_to_median(predictions, loss), by_class=False))
    by_length: Hashable = ("expected losses", seen.header.models, loss, length)
    log = seen.sample.tobytes(), seen.value.tobytes()
    return cache.get_for(predictions, by_length, log, lambda: _informed_losses(predictions, seen, loss))


def _informed_losses(predictions: Predictions, seen: Labels, loss: Loss) -> LossTable:
    """By the consensus where there are classes, and by judges where there are any."""
    if isinstance(loss, ProbabilityLoss):
        assert predictions.whole is not None
        truth = class_probabilities(predictions.whole, seen)
        return LossTable(np.array([loss.expected(row, truth) for row in predictions.values]).T, by_class=False)
    consensus = None if predictions.classes is None else _losses_by_consensus(predictions, seen, loss)
    if not predictions.judges:
        assert consensus is not None
        return consensus
    also = None if consensus is None else _by_model(predictions, consensus)
    found = losses_by_judges(predictions, seen, loss, also)
    return LossTable(np.zeros(predictions.values.shape[::-1]) if found is None else found, by_class=False)


def _by_model(predictions: Predictions, table: LossTable) -> FloatArray:
    """(samples, models): expected losses of predictions, 0 where one is missing."""
    return _looked_up(predictions.values, table.losses).T if table.by_class else table.losses


def _looked_up(predicted: Array, losses: FloatArray) -> FloatArray:
    """(models, samples): the losses (samples, classes) of these predictions; all of it for an abstention."""
    every = np.arange(len(losses))
    rows = [np.where(row >= 0, losses[every, np.maximum(row, 0)], row < MISSING) for row in predicted]
    return np.array(rows)


def _losses_by_consensus(predictions: Predictions, seen: Labels, loss: Loss) -> LossTable:
    return _losses_given(class_probabilities(predictions, seen), predictions, loss)


def _losses_given(probability: Array, predictions: Predictions, loss: Loss) -> LossTable:
    """By class, or by model where these are fewer, which takes less memory."""
    classes = probability.shape[1]
    if isinstance(loss, ZeroOne):
        losses = 1.0 - probability
    else:
        predicted, truth = np.repeat(np.arange(classes)[:, None], classes, axis=1), np.arange(classes)
        losses = probability @ loss(predicted, truth).T
    table = LossTable(losses, by_class=True)
    return table if classes <= len(predictions.models) else LossTable(_by_model(predictions, table), by_class=False)


@kernel
def _totals(values: Array, losses: Array, members: Array) -> Array:
    """(models,): the sum of each model's expected losses over the members."""
    models, samples = values.shape
    totals = np.zeros(models)
    for model in range(models):
        total = 0.0
        for sample in range(samples):
            if members[sample] and values[model, sample] >= 0:
                total += losses[sample, values[model, sample]]
            elif members[sample] and values[model, sample] != MISSING:
                total += 1.0
        totals[model] = total
    return totals
