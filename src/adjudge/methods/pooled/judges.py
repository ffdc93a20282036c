"""Judges: scores of answers by somebody cheaper than a person, calibrated on the labels so far.

A judge is never the truth. Its scores predict losses, which makes intervals narrower (`pooled.control_variate`), and
says which samples to grade: those on which losses vary most, as far as the grades so far confirm that the judge knows.
What is promised comes from drawn labels alone.
"""

from functools import partial

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Picker, draw_uniform, draw_weighted
from adjudge.inference.draw_estimates import REFITS_OFTEN, last_refit
from adjudge.losses.loss import Loss, default_loss

RIDGE = 5.0  # graded answers with which slopes are shrunk by half, until it is known how much they explain
LEAST_EXPLAINED = 0.01  # of the variance of differences: slopes that explain less are not shrunk more
TILT, MOST_TILT = 0.5, 0.9  # how much different answers count for the draws before grades tell, and at most
PRIOR_GRADES = 20.0  # graded samples that count as much as that
FLOOR = 0.4  # share of the draws with equal chances: no weight is above two and a half
LEAST = 0.5  # of the mean score, that a judge leaves any sample: with `FLOOR`, no weight is far above 1 / .7
TINY = 1e-9  # so that features without any variance have a slope of zero
SHRINKAGE = 5.0  # labels with which the own mean of a model is shrunk by half to that of all models


def standard_scores(predictions: Predictions) -> FloatArray:
    """(judges, models, samples): scores with mean 0 and standard deviation 1 over the pool; 0 where there is none."""

    def computed() -> FloatArray:
        each = list(predictions.judges.values())
        found = np.zeros((len(each), *predictions.values.shape), dtype=np.float64)
        for place, scores in enumerate(each):
            known = ~np.isnan(scores) & predictions.is_present(predictions.values)
            spread = scores[known].std() if known.any() else 0.0
            if spread > 0:
                found[place, known] = (scores[known] - scores[known].mean()) / spread
        return found

    return cache.get(predictions, "standard scores of judges", computed)


def judge_features(predictions: Predictions) -> FloatArray:
    """(3 x judges, models, samples): predictors of losses, three for each score.

    They are the mean score of its sample, how far it is from that, and the product of both. A judge may know well which
    samples are hard and badly which answer is better, or the other way round, so each has a slope of its own (Mundlak,
    1978, https://doi.org/10.2307/1913646); the mean cancels when two models are compared. With the product, a judge is
    believed more on hard samples: where all answers are good, most of the differences that it sees are noise.
    """

    def computed() -> FloatArray:
        scores, present = standard_scores(predictions), predictions.is_present(predictions.values)
        found = np.zeros((len(scores), 3, *present.shape))
        for place, own in enumerate(predictions.judges.values()):
            known = ~np.isnan(own) & present
            mean = scores[place].sum(axis=0) / np.maximum(known.sum(axis=0), 1)
            apart = np.where(known, scores[place] - mean, 0.0)
            found[place, 0], found[place, 1], found[place, 2] = mean, apart, apart * mean
        return found.reshape(-1, *present.shape)

    return cache.get(predictions, "features of judges", computed)


def losses_by_judges(
    predictions: Predictions, seen: Labels, loss: Loss, also: FloatArray | None = None
) -> FloatArray | None:
    """(samples, models): losses predicted by a ridge regression on `judge_features`; None without a label.

    Slopes are shared by all models, since one label tells about all of them; each model has a mean of its own, shrunk
    to that of all. `also` is one more predictor, (samples, models).
    """
    usable = seen.usable
    if not usable.any():
        return None
    scores = judge_features(predictions)
    if also is not None:
        spread = float(also.std()) or 1.0
        scores = np.concatenate([scores, ((also.T - also.mean()) / spread)[None]])
    rows = seen.sample[usable]
    known = loss(predictions.values[:, rows], seen.value[usable])
    slope, mean, at = _fitted(scores[:, :, rows], known)
    expected = mean[:, None] + _explained(slope, scores, len(predictions.judges)) - (slope @ at)[:, None]
    present = predictions.is_present(predictions.values)
    return np.where(present, np.clip(expected, 0.0, 1.0), 0.0).T


def _fitted(scores: FloatArray, losses: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(judges,): slopes; (models,): mean losses; (judges, models): the scores at which these are expected."""
    judged = ~np.isnan(losses)
    count, values = judged.sum(axis=1), np.where(judged, losses, 0.0)
    overall = values.sum() / max(1, int(count.sum()))
    trust = count / (count + SHRINKAGE)
    with np.errstate(invalid="ignore", divide="ignore"):
        own = np.where(count > 0, values.sum(axis=1) / count, 0.0)
        at = np.where(count > 0, np.where(judged, scores, 0.0).sum(axis=2) / count, 0.0)
    centered = np.where(judged, scores - at[:, :, None], 0.0)
    apart = np.where(judged, losses - own[:, None], 0.0)
    square, along = np.einsum("jms,kms->jk", centered, centered), np.einsum("jms,ms->j", centered, apart)
    penalty = np.diag(_penalties(scores))
    slope = np.linalg.solve(square + RIDGE * penalty, along)
    # the ridge that predicts best is the variance of the noise over that of what is explained
    total = float((_differences(apart, judged) ** 2).sum())
    noise = float((_differences(apart - np.tensordot(slope, centered, axes=1), judged) ** 2).sum())
    ridge = noise / max(total - noise, LEAST_EXPLAINED * total) if total > 0 else 1.0
    slope = np.linalg.solve(square + ridge * penalty + TINY * np.eye(len(square)), along)
    return slope, trust * own + (1 - trust) * overall, at * trust


def _explained(slope: FloatArray, features: FloatArray, judges: int) -> FloatArray:
    """(models, samples): the losses that features (features, models, samples) explain.

    Where a judge would have to be believed the other way round, a higher score for a worse answer, its differences say
    nothing: few grades of a useless judge look like that half of the time.
    """
    found = np.tensordot(slope, features, axes=1)
    for first in range(0, 3 * judges, 3):
        mean, apart, product = range(first, first + 3)
        found -= np.maximum(slope[apart] + slope[product] * features[mean], 0.0) * features[apart]
    return np.asarray(found)


def _differences(values: FloatArray, known: BoolArray) -> FloatArray:
    """(models, samples): how far each is from the mean of its sample, 0 where it is not known."""
    mean = np.where(known, values, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.where(known, values - mean, 0.0)


def _penalties(features: FloatArray) -> FloatArray:
    """(features,): of the ridge regression; what models share of a feature is one observation for all of them."""
    shared = (features.mean(axis=1) ** 2).mean(axis=1)
    return np.asarray((features**2).mean(axis=(1, 2)) + (features.shape[1] - 1) * shared + TINY)


def draws_by_dispute(predictions: Predictions, seed: int) -> Picker:
    """Draw samples to grade, the likelier the more the losses of models probably vary on them.

    The chance is proportional to the root of that variance (Neyman 1934). It grows with the pairs of models that give
    different answers, where answers are known; how much follows from the grades so far. Where there are judges, it is
    also proportional to p (1 - p), with p the losses that they predict (`losses_by_judges`): a useless judge predicts
    the same for all samples. Without either, draws are uniform.
    """
    pairs = np.zeros(len(predictions.samples))
    if predictions.grades is not None and predictions.grades.texts is not None:
        pairs = cache.get(predictions, "different pairs", lambda: _different_pairs(predictions.values))
    if not pairs.any() and not predictions.judges:
        return partial(draw_uniform, seed=seed)
    dispute = pairs / pairs.mean() if pairs.any() else np.ones(len(pairs))

    def pick(labels: Labels) -> Pick | None:
        score = spread_of_losses(predictions, labels, dispute)
        found = draw_weighted(labels, score, FLOOR, seed)
        if not predictions.judges:
            return found
        # draws count by their largest weight: one bound for all, or later draws would count less than early ones
        return found and found._replace(max_weight=max(found.max_weight, 1 / (FLOOR + (1 - FLOOR) * LEAST)))

    return pick


def spread_of_losses(predictions: Predictions, labels: Labels, dispute: FloatArray) -> FloatArray:
    """(samples,): what chances grow with, by the share of different answers (1 on average) and by judges."""
    variance = 1 + _variance_slope(predictions, labels, dispute) * (dispute - 1)
    score = np.sqrt(np.maximum(variance, 0.0))
    if not predictions.judges:
        return score
    score = score * _root_variance_by_judges(predictions, labels)
    return np.asarray(np.maximum(score / score.mean(), LEAST))


def _root_variance_by_judges(predictions: Predictions, labels: Labels) -> FloatArray:
    """(samples,): the root of p (1 - p), averaged over models, with p the losses that judges predict by now."""
    seen = labels.head(last_refit(len(labels), REFITS_OFTEN))

    def computed() -> FloatArray:
        losses = losses_by_judges(predictions, seen, default_loss(predictions, seen))
        variance = np.ones(labels.pool) if losses is None else (losses * (1 - losses)).mean(axis=1)
        return np.sqrt(variance) if variance.any() else np.ones(labels.pool)

    key = seen.sample.tobytes(), seen.value.tobytes()
    return cache.get_for(predictions, "variance by judges", key, computed)


def _different_pairs(values: FloatArray) -> FloatArray:
    """(samples,): the pairs of models with different answers."""
    different = np.zeros(values.shape[1])
    for place, row in enumerate(values):
        later = values[place + 1 :]
        different += ((later != row) & ~np.isnan(later) & ~np.isnan(row)).sum(axis=0)
    return different


def _variance_slope(predictions: Predictions, labels: Labels, dispute: FloatArray) -> float:
    """By what share the variance of losses among models grows with the dispute: a regression, shrunk to `TILT`."""
    rows = labels.sample[labels.usable]
    if len(rows) < 2:
        return TILT
    spread, own = _unexplained(predictions, labels, rows), dispute[rows] - 1
    target = spread / spread.mean() - 1 if spread.mean() > 0 else np.zeros(len(rows))
    prior = PRIOR_GRADES * (float(((dispute - 1) ** 2).mean()) + 1e-12)
    return float(np.clip((own @ target + prior * TILT) / (own @ own + prior), 0.0, MOST_TILT))


def _unexplained(predictions: Predictions, labels: Labels, rows: IntArray) -> FloatArray:
    """(graded samples,): the variance over models of the losses that judges do not predict."""
    losses = default_loss(predictions, labels)(predictions.values[:, rows], np.zeros(len(rows)))
    scores = judge_features(predictions)[:, :, rows]
    slope, mean, at = _fitted(scores, losses)
    apart = losses - mean[:, None] - _explained(slope, scores, len(predictions.judges)) + (slope @ at)[:, None]
    known = ~np.isnan(apart)
    return np.asarray((_differences(apart, known) ** 2).sum(axis=0) / np.maximum(known.sum(axis=0), 1))
