"""The posterior of the models' accuracies under the pooled consensus: draws, updated label by label."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate, Likely
from adjudge.inference.missing_predictions import n_lacking
from adjudge.methods.pooled.candidates import candidates, differs, nearly_consensus_accuracy, unlabeled_count
from adjudge.methods.pooled.consensus import consensus
from adjudge.methods.pooled.design_matrix import design_matrix
from adjudge.methods.pooled.expected_accuracy import expected_accuracy
from adjudge.methods.pooled.isotonic import nondecreasing
from adjudge.methods.pooled.patterns import prediction_patterns
from adjudge.methods.pooled.slots import Slots, covariances, sums_for_models

DRAWS = 128
MIN_EFFECTIVE_DRAWS = 32  # effective sample size below which importance weights are tempered
ALEATORIC_DRAWS = 16  # of the unknown labels, for each draw of the consensus
# degrees of freedom of the tails of accuracies before the first label, and labels that are worth one more; measured on
# parts of real pools (benchmarks/honesty/likely.py)
DEGREES, LABELS_PER_DEGREE = 2.5, 14
# factor of the variance of accuracies where models abstain: there the votes on hard samples are few, and gaps between
# models are underestimated, which labels mend more slowly than the posterior believes; measured in the same way
EXTRA_VARIANCE, LABELS_PER_EXTRA_VARIANCE = 1.5, 40
MIN_PROBABILITY = 1e-6  # of all classes that no model predicts


@dataclass(frozen=True, eq=False)
class Posterior:
    """Draws of the accuracies of all models, and the class probabilities of the candidates under each draw.

    The draws are made at a fit of the consensus. Labels that came since then reweight them (importance sampling).
    """

    slots: Slots  # of the candidates
    pattern: IntArray  # (candidates,): the answer pattern of each
    probability: Array  # (slots, draws)
    parameters: tuple[Array, Array]  # weights of features and biases of classes in each draw
    accuracy: FloatArray  # (models, draws): up to a constant that all models share
    log_likelihood: FloatArray  # (draws,): of the labels since the fit
    rows: int  # of the log that are accounted for

    @cached_property
    def importance(self) -> FloatArray:
        """(draws,): importance weights that add up to one, tempered to a minimum effective sample size."""
        log_likelihood = self.log_likelihood - self.log_likelihood.max()
        while True:
            weight = np.exp(log_likelihood)
            weight /= weight.sum()
            if weight @ weight <= 1 / MIN_EFFECTIVE_DRAWS:
                return np.asarray(weight)
            log_likelihood *= 0.8

    @cached_property
    def marginal(self) -> Array:
        """(slots,): the probability of each slot's class, averaged over draws."""
        return self.probability @ self.importance.astype(np.float32)

    @cached_property
    def gains(self) -> dict[str, FloatArray]:
        """What acquisition functions have found, by their names."""
        return {}


def fit_posterior(predictions: Predictions, labels: Labels) -> Posterior:
    """The posterior after a log: refitted at growing lengths, and updated row by row in between.

    A row that is handed out but not answered counts as if answered by one of its likely classes, so that the samples of
    a batch ask about different things. The last posterior of a pool is cached, which makes the next row cheap.
    """
    fitted = _refit_at(labels.labeled)
    last = np.flatnonzero(labels.usable)[fitted - 1] + 1 if fitted else 0  # rows of the log that are in the fit
    key, found = cache.peek(predictions, "posterior") or (b"", None)
    if found is None or found.rows < last or found.rows > len(labels) or _key(labels.head(found.rows), fitted) != key:
        found = _fitted(predictions, labels.head(last))
        for row in np.flatnonzero(~labels.answered[:last]).tolist():  # handed out before the last label of the fit came
            found = _updated(found, predictions, labels, row)
    for row in range(found.rows, len(labels)):
        found = _updated(found, predictions, labels, row)
    cache.put(predictions, "posterior", (_key(labels, fitted), found))
    return found


def _refit_at(labels: int) -> int:
    """Every label up to 20, every second up to 40, every fourth up to 80, and so on."""
    step = 1 << max(0, (labels // 10).bit_length() - 1)
    return labels - labels % step


def _key(labels: Labels, fitted: int) -> bytes:
    columns = (labels.sample, labels.value, labels.answered)
    return b"".join([str(fitted).encode(), *(column.tobytes() for column in columns)])


def _fitted(predictions: Predictions, labels: Labels) -> Posterior:
    """Draws from the consensus that is fitted to these labels."""
    pattern, design = candidates(predictions)
    parameters = consensus(predictions, labels).draws(DRAWS, np.random.default_rng([DRAWS, len(labels)]))
    slots, probability = design.slots, design.probabilities(*parameters)
    predicted = np.maximum(predictions.n_predicted, 1)[:, None]
    accuracy = sums_for_models(slots.slot, probability, unlabeled_count(predictions, labels)) / predicted
    in_dispute, samples = differs(predictions), len(predictions.samples)
    _, _, size = prediction_patterns(predictions)
    if size[pattern].sum() < in_dispute.sum() or (predictions.n_predicted < samples).any():
        # if some patterns are not candidates, or predictions are missing, candidates give the spread, not the mean
        accuracy += (nearly_consensus_accuracy(predictions, labels) - accuracy.mean(axis=1))[:, None]
    else:
        usable = labels.usable & in_dispute[labels.sample]
        right = predictions.values[:, labels.sample[usable]] == labels.value[usable]
        accuracy += right.sum(axis=1)[:, None] / samples
    accuracy[predictions.n_predicted == 0] = -np.inf  # a model without predictions is never the best
    return Posterior(slots, pattern, probability, parameters, accuracy, np.zeros(DRAWS), len(labels))


def _updated(posterior: Posterior, predictions: Predictions, labels: Labels, row: int) -> Posterior:
    """With one more row of the log: a label, a sample that waits for one, or a skip."""
    seen = replace(posterior, rows=max(posterior.rows, row + 1))
    label = labels.value[row]
    if labels.answered[row] and np.isnan(label):
        known = vars(posterior)
        same = known.keys() & {"importance", "marginal", "gains"}  # as before the skip
        vars(seen).update({name: known[name] for name in same})
        return seen
    design = design_matrix(predictions, labels.sample[row : row + 1])
    slots, probability = design.slots, design.probabilities(*posterior.parameters)
    rest = np.maximum(1 - probability.sum(axis=0), MIN_PROBABILITY)
    if np.isnan(label):
        marginal = np.append(probability @ posterior.importance, rest @ posterior.importance)
        uniform = np.random.default_rng([row, DRAWS]).random() * marginal.sum()
        place = min(int(np.searchsorted(np.cumsum(marginal), uniform)), len(marginal) - 1)
        likelihood = probability[place] if place < len(probability) else rest
        return replace(seen, log_likelihood=posterior.log_likelihood + np.log(np.maximum(likelihood, MIN_PROBABILITY)))
    hit = np.flatnonzero(slots.code == label)
    likelihood = probability[hit[0]] if hit.size else rest
    present = slots.slot[0] >= 0
    change = np.zeros_like(posterior.accuracy)
    slot = slots.slot[0][present]
    change[present] = (slots.code[slot] == label)[:, None] - probability[slot]
    return replace(
        seen,
        log_likelihood=posterior.log_likelihood + np.log(np.maximum(likelihood, MIN_PROBABILITY)),
        accuracy=posterior.accuracy + change / np.maximum(predictions.n_predicted, 1)[:, None],
    )


def likely(predictions: Predictions, labels: Labels, order: IntArray, level: float = 0.95) -> Likely:
    """What deploying each model likely costs, and the chance that no other model is better.

    `order` lists the models, best first. It is that of the expected losses, unless the labels show one model to be
    worse than another; chances and losses that would contradict it are averaged (isotonic regression). Models that tie
    for first in a draw all count as best, so chances may add up to more than one.
    """
    accuracy, weight = accuracy_draws(predictions, labels)
    known, tail, columns = order[predictions.n_predicted[order] > 0], (1 - level) / 2, np.full((6, len(order)), nan)
    if known.size:
        accuracy = accuracy[known]
        loss = accuracy.max(axis=0) - accuracy
        bound, chance = weighted_quantiles(loss, weight, (level,))[0], is_best(accuracy) @ weight
        expected, bound = nondecreasing(loss @ weight), nondecreasing(bound)
        chance = nondecreasing(np.minimum(chance, 1.0)[::-1])[::-1]  # rounding may lead above 1
        low, high = weighted_quantiles(accuracy[0] - accuracy, weight, (tail, 1 - tail))
        value = expected - expected[0]
        columns[:, known] = chance, expected, bound, value, np.minimum(low, value), np.maximum(high, value)
    chance, expected, bound, value, low, high = columns
    return Likely(chance, expected, bound, Estimate(value, low, high, "accuracy below the leader", level))


def accuracy_draws(predictions: Predictions, labels: Labels) -> tuple[FloatArray, FloatArray]:
    """Accuracies in each draw (models, draws), up to a constant that all models share, and the weights of the draws.

    They are as trustworthy as the consensus. Even if the consensus were known (no epistemic uncertainty), the unknown
    labels would still be random (aleatoric uncertainty): each draw is combined with several draws of these labels.
    The mean is the expected accuracy. A posterior from a few labels and normal approximations is too sure of itself, so
    the draws have the tails of Student's distribution, with more degrees of freedom the more labels there are, and a
    larger variance where models abstain.
    """
    posterior = fit_posterior(predictions, labels)
    factor = _aleatoric_factor(predictions, labels, posterior)
    rng = np.random.default_rng([ALEATORIC_DRAWS, len(labels)])
    noise = rng.standard_normal((ALEATORIC_DRAWS, *posterior.accuracy.shape))
    accuracy = np.concatenate([posterior.accuracy + factor @ each for each in noise], axis=1)
    weight = np.tile(posterior.importance, ALEATORIC_DRAWS) / ALEATORIC_DRAWS
    known = predictions.n_predicted > 0
    degrees = DEGREES + labels.labeled / LABELS_PER_DEGREE
    stretch = np.sqrt(degrees / rng.chisquare(degrees, len(weight)))
    if predictions.n_abstained.any():
        stretch *= np.sqrt(EXTRA_VARIANCE + labels.labeled / LABELS_PER_EXTRA_VARIANCE)
    drawn = accuracy[known]
    apart = stretch * (drawn - (drawn @ weight)[:, None])
    if n_lacking(predictions).any():
        apart += _where_missing(predictions, labels, len(weight))[known]
    accuracy[known] = expected_accuracy(predictions, labels)[known, None] + apart - (apart @ weight)[:, None]
    return accuracy, weight


def _where_missing(predictions: Predictions, labels: Labels, draws: int) -> FloatArray:
    """(models, draws): what predictions that are missing add to the uncertainty.

    A model's share of right answers where it has no predictions follows from those that it has, with the sampling
    errors of both.
    """
    lacks, judged = n_lacking(predictions), np.maximum(predictions.n_predicted, 1)
    right = np.nan_to_num(expected_accuracy(predictions, labels))
    share = lacks / (lacks + judged)
    spread = share * np.sqrt(right * (1 - right) * (1 / judged + 1 / np.maximum(lacks, 1)))
    rng = np.random.default_rng([ALEATORIC_DRAWS, len(labels), draws])
    return np.asarray(spread[:, None] * rng.standard_normal((len(lacks), draws)))


def weighted_quantiles(values: FloatArray, weight: FloatArray, shares: Sequence[float]) -> FloatArray:
    """(shares, rows): the smallest value of each row that at least this share of the weight does not exceed.

    >>> weighted_quantiles(np.array([[3.0, 1.0, 2.0]]), np.array([0.2, 0.5, 0.3]), (0.5, 0.9)).tolist()
    [[1.0], [3.0]]
    """
    order = np.argsort(values, axis=1)
    total = np.cumsum(weight[order], axis=1)
    places = [np.minimum((total < share * total[:, -1:] - 1e-12).sum(axis=1), len(weight) - 1) for share in shares]
    rows = np.arange(len(values))
    return np.array([values[rows, order[rows, place]] for place in places])


def _aleatoric_factor(predictions: Predictions, labels: Labels, posterior: Posterior) -> FloatArray:
    """(models, models): a factor of the aleatoric covariance of the accuracies, which is left given the consensus."""
    slots, count = posterior.slots, unlabeled_count(predictions, labels)
    covariance = covariances(slots.slot, posterior.probability, slots.first, posterior.importance, count)
    predicted = np.maximum(predictions.n_predicted, 1)
    variance, direction = np.linalg.eigh(covariance / predicted / predicted[:, None])
    rounding = len(variance) * np.finfo(float).eps * variance.max()  # its root would separate identical models
    return np.asarray(direction * np.sqrt(np.where(variance > rounding, variance, 0.0)))


def is_best(accuracy: FloatArray) -> BoolArray:
    """(models, draws): whether no other model is better, by more than rounding."""
    return np.asarray(accuracy >= accuracy.max(axis=0) - 1e-9)
