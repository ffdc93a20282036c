"""Predicted numbers: the median of the models as their consensus, and their disagreement as what to label.

The loss to the median says something about a model before there is any label. Labels correct it twice. They say which
models the consensus should follow (`pooled.stacking`). With g the loss to the consensus and l that to the label, the
mean of l - g over the pool is what the consensus gets wrong about a model. From few labels it is known with little
precision, so it is shrunk toward zero, as in empirical Bayes: by the share of its variance among models that is not
noise (James and Stein, 1961; Efron and Morris, 1973).
"""

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.cache import cache
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.inference.expansion import expansion_weights
from adjudge.inference.stratum import known_losses
from adjudge.losses.loss import Loss
from adjudge.losses.numbers import Percentage
from adjudge.methods.pooled.stacking import stacked_consensus

PRIOR_LABELS = 5.0  # labels that count as much as the guess that the median errs as much as models differ from it
LEAST_SHARE = 1e-3  # of the correction that is kept: labels order models that the median cannot, such as two
NORMAL_STEPS = (-1.38, -0.67, -0.21, 0.21, 0.67, 1.38)  # medians of six equal parts of the normal distribution
MOST_TRUTHS = 32  # predictions of a sample that stand for its truth in turn


def losses_to_median(predictions: Predictions, loss: Loss) -> FloatArray:
    """(samples, models): losses if the median prediction were the truth; 0 where a prediction is missing."""

    def computed() -> FloatArray:
        return _losses_to(predictions.values, median_prediction(predictions), loss).T

    return cache.get(predictions, ("losses to the median", loss), computed)


def median_prediction(predictions: Predictions) -> FloatArray:
    """(samples,): nan where no model has a prediction."""
    median, present = np.full(predictions.values.shape[1], np.nan), ~np.isnan(predictions.values).all(axis=0)
    median[present] = np.nanmedian(predictions.values[:, present], axis=0)
    return median


def possible(truth: FloatArray, loss: Loss) -> FloatArray:
    """A guess of the truth, moved to where the loss is defined."""
    if not isinstance(loss, Percentage):
        return truth
    return np.where(truth < 0, np.minimum(truth, -loss.smallest), np.maximum(truth, loss.smallest))


def disagreement(predictions: Predictions, loss: Loss) -> FloatArray:
    """(samples,): the standard deviation of losses among models, if the truth is what one of the models says.

    Each prediction stands for the truth in turn, or some quantiles of them where there are many models.
    """

    def computed() -> FloatArray:
        values, total = predictions.values, np.zeros(predictions.values.shape[1])
        ordered = np.sort(values, axis=0)  # nan last
        present = (~np.isnan(values)).sum(axis=0)
        steps = min(len(values), MOST_TRUTHS)
        for step in range(steps):
            place = np.minimum((step + 0.5) / steps * present, np.maximum(present - 1, 0)).astype(np.int64)
            truth = possible(ordered[place, np.arange(len(place))], loss)
            known = present > 0
            losses = loss(values[:, known], truth[known])
            total[known] += np.nanvar(losses, axis=0)
        return np.sqrt(total / steps)

    return cache.get(predictions, ("disagreement", loss), computed)


def expected_correction(predictions: Predictions, loss: Loss) -> FloatArray:
    """(samples,): how far losses are expected to be from those to the median (root mean square over models).

    The median is taken to err with the variance among the models, half of it that of the sample and half the mean of
    all: where models agree, the truth may still be elsewhere. Absolute errors are decided nearly everywhere, so that
    draws by disagreement alone would do worse than uniform ones.
    """

    def computed() -> FloatArray:
        values, present = predictions.values, np.asarray(~np.isnan(predictions.values).all(axis=0))
        values, median = values[:, present], median_prediction(predictions)[present]
        variance = np.nanvar(values, axis=0)
        error = np.sqrt(variance + variance.mean())
        guess, total = losses_to_median(predictions, loss)[present].T, np.zeros(len(median))
        for step in NORMAL_STEPS:
            losses = loss(values, possible(np.clip(median + step * error, *predictions.span), loss))
            total += np.nanmean((losses - guess) ** 2, axis=0)
        score = np.zeros(len(present))
        score[present] = np.sqrt(total / len(NORMAL_STEPS))
        return score

    return cache.get(predictions, ("expected correction", loss), computed)


def shrunken_losses(predictions: Predictions, labels: Labels, loss: Loss) -> FloatArray:
    """(models,): losses to the consensus, with the part of the labels' correction that is not noise."""
    weight, count = expansion_weights(predictions, labels), int(labels.usable.sum())
    if count < 2 or len(predictions.models) < 2:
        guess = losses_to_median(predictions, loss).sum(axis=0)
        return np.asarray(guess / np.maximum(predictions.n_predicted, 1))
    consensus = stacked_consensus(predictions, labels, median_prediction(predictions), weight)
    known, rows = known_losses(predictions, labels, loss), labels.sample[labels.usable]
    prior = _losses_to(predictions.values, consensus.truth, loss).sum(axis=1) / np.maximum(predictions.n_predicted, 1)
    guess = _losses_to(predictions.values[:, rows], consensus.left_out, loss)
    observed, weight = known.observed[:, labels.usable], weight[labels.usable]
    apart = np.where(observed, known.losses[:, labels.usable] - guess, np.nan)
    middle = np.nanmean(np.where(observed.any(axis=0), apart, 0.0), axis=0)
    apart = np.nan_to_num(apart - middle) * weight * count / weight.sum()
    correction = apart.mean(axis=1)
    noise = float(apart.var(axis=1, ddof=1).mean()) / count * (1 - count / labels.pool)
    signal = max(0.0, float(correction.var(ddof=1)) - noise)
    signal = (count * signal + PRIOR_LABELS * float(prior.var())) / (count + PRIOR_LABELS)
    share = signal / (signal + noise) if signal + noise > 0 else 0.0
    return np.asarray(prior + correction * max(share, LEAST_SHARE))


def _losses_to(values: FloatArray, truth: FloatArray, loss: Loss) -> FloatArray:
    """(models, samples): losses if this were the truth; 0 where a prediction is missing."""
    truth = possible(truth, loss)
    return np.array([np.nan_to_num(loss(row[None], truth)[0]) for row in values])
