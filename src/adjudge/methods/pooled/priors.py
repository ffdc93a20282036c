"""Priors of the log-linear model, from how models agree with the vote: several, between which the evidence decides."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.kernels import exact_kernel
from adjudge.core.predictions import Predictions
from adjudge.core.votes import added, joined, votes
from adjudge.methods.pooled.class_balance import balancing_biases
from adjudge.methods.pooled.design_matrix import confusion_matrices, design_matrix, has_class_weights
from adjudge.methods.pooled.patterns import design_blocks, prediction_patterns
from adjudge.methods.pooled.soft_confusion import LOG_RANGE, has_soft_confusion

EFFECTIVE_MODELS = (1.5, 4.0, 10.0)  # independent models that the vote may be worth
LOG_ODDS_SCALES = (1.5, 4.0, 12.0)  # standard deviation of what all weights together add to the log odds of a class
CLASS_WEIGHT_SCALE = 0.5  # of a weight by class, as a share of the standard deviation of the model's weight
CLASS_WEIGHT_ODDS = 4.0  # against weights by class, before any label
BIAS_SCALE = 1.0
BIAS_SCALE_WITH_PROBABILITIES = 0.3  # these know how common a class is; labels that were chosen do not
MANY_CLASSES = 50  # above which those without a label share one bias: matrices grow with labels, not with classes
MAX_BALANCE_SAMPLES = 10_000  # that are looked at to find how common classes are
MAX_AGREEMENT = 0.99  # so that the log odds stay finite
DIGITS = 6  # of sums over samples: added up in another order, part by part, they give the same prior


@dataclass(frozen=True, eq=False)
class Prior:
    """A normal prior of the weights of some features, and of the biases of the classes."""

    features: slice  # that have a weight
    weight: FloatArray  # (features,): mean
    scale: FloatArray  # (features,): standard deviation
    bias_scale: float = BIAS_SCALE
    probability: float = 1.0  # before any label, up to a factor that all priors share
    bias: FloatArray | None = None  # (classes,): mean of the biases; None: zero
    compensation: FloatArray | None = None  # (classes, features): how much a larger weight lowers the mean of a bias


def priors(predictions: Predictions) -> tuple[Prior, ...]:
    """All priors of a pool, before any label."""
    return cache.get(predictions, "priors", lambda: _priors(predictions))


def priors_for_order(predictions: Predictions) -> tuple[Prior, ...]:
    """The same, but in priors on votes the biases make up for the weights, and classes may be equally common.

    A model that predicts a class more often than others do is almost a bias of that class. As its weight grows, that
    bias falls, so that it gains no trust by the mere number of labels of that class, which is large if rare classes
    are asked for.

    Without probabilities, each of these priors has a twin under which all classes are equally common. Both are equally
    likely before any label, except that the twin counts less the more its biases differ: if models that agree say that
    one class is common, it is.
    """
    return cache.get(predictions, "priors for the order", lambda: _priors_for_order(predictions))


def _priors_for_order(predictions: Predictions) -> tuple[Prior, ...]:
    vote, bias_scale = slice(0, len(predictions.models)), BIAS_SCALE_WITH_PROBABILITIES
    given = priors(predictions)
    found = [prior for prior in given if prior.features != vote]
    on_votes = [
        replace(prior, bias_scale=bias_scale, compensation=_class_excess(predictions))
        for prior in given
        if prior.features == vote
    ]
    if predictions.probabilities is not None or not 1 < len(predictions.classes or ()) <= MANY_CLASSES:
        return (*found, *on_votes)
    for prior, twin in zip(on_votes, _class_balance(predictions, on_votes), strict=True):
        assert twin.bias is not None
        odds = float(np.exp(-0.5 * twin.bias.var() / BIAS_SCALE**2))
        found.append(replace(prior, probability=prior.probability / (1 + odds)))
        found.append(replace(twin, probability=twin.probability * odds / (1 + odds)))
    return tuple(found)


def _class_excess(predictions: Predictions) -> FloatArray:
    """(classes, models): the share of a class among the predictions of a model, minus its mean over those with any."""

    def compute() -> FloatArray:
        counts = added(predictions.over_parts(_class_counts))
        named = counts.sum(axis=0)
        share = counts / np.maximum(named, 1)
        return np.asarray(share - share.sum(axis=1, keepdims=True) / max(np.count_nonzero(named), 1))

    return cache.get(predictions, "class excess", compute)


def _class_counts(part: Predictions) -> tuple[FloatArray]:
    """(classes, models): how often a model predicts a class."""
    classes = len(part.classes or ())
    counts = [np.bincount(row[row >= 0].astype(np.int64), minlength=classes) for row in part.values]
    return (np.array(counts, dtype=np.float64).T,)


def _priors(predictions: Predictions) -> tuple[Prior, ...]:
    """A grid of how much the vote is worth and how far weights may move, for each kind of feature."""
    assert predictions.classes is not None
    models, classes = len(predictions.models), len(predictions.classes)
    vote, by_class = slice(0, models), slice(0, models * (1 + classes))
    votes_end = by_class.stop if has_class_weights(predictions) else models
    by_probability = slice(votes_end, votes_end + models)
    by_confusion = slice(by_probability.stop, by_probability.stop + models)
    can_balance = predictions.probabilities is not None and 1 < classes <= MANY_CLASSES
    log_odds = _agreement_log_odds(predictions)
    cast = (predictions.n_predicted - predictions.n_abstained).sum()
    present = cast / max(np.count_nonzero(votes(predictions).majority >= 0), 1)  # votes on a sample
    found = []
    for effective in EFFECTIVE_MODELS:
        worth = min(1.0, effective / max(present, 1.0))
        weight = log_odds * worth
        for log_odds_scale in LOG_ODDS_SCALES:
            scale = np.full(models, log_odds_scale / np.sqrt(max(present, 1.0)))
            found.append(Prior(vote, weight, scale))
            if has_class_weights(predictions):
                class_scale = CLASS_WEIGHT_SCALE * np.repeat(scale, classes)
                wide = np.append(weight, 0 * class_scale), np.append(scale, class_scale)
                found.append(Prior(by_class, *wide, probability=1 / CLASS_WEIGHT_ODDS))
            if predictions.probabilities is not None:
                probability = 0.5 if can_balance else 1.0  # the other half is for equally common classes
                found.append(Prior(by_probability, weight, scale, BIAS_SCALE_WITH_PROBABILITIES, probability))
            if has_soft_confusion(predictions):
                same = np.full(models, LOG_RANGE * worth)  # the matrices already hold how good a model is
                found.append(Prior(by_confusion, same, scale, BIAS_SCALE_WITH_PROBABILITIES))
    if can_balance:
        found += _class_balance(predictions, [prior for prior in found if prior.features == by_probability])
    return tuple(found)


def _class_balance(predictions: Predictions, given: list[Prior]) -> list[Prior]:
    """The same priors, with biases under which all classes are equally common."""
    assert predictions.classes is not None
    certainty = _certainty(predictions)
    step = max(1, -(-len(certainty) // MAX_BALANCE_SAMPLES))
    chosen = np.sort(np.argsort(certainty, kind="stable")[::step])  # hardly depends on the order of the samples
    design = design_matrix(predictions, chosen)
    weight = np.zeros((design.features, len(given)), dtype=np.float32)
    for place, prior in enumerate(given):
        weight[prior.features, place] = prior.weight
    distinct, place_of = np.unique(weight, axis=1, return_inverse=True)
    biases = balancing_biases(design, np.ascontiguousarray(distinct), len(predictions.classes))[:, place_of.ravel()]
    return [replace(prior, bias=bias) for prior, bias in zip(given, biases.T, strict=True)]


def _certainty(predictions: Predictions) -> Array:
    """(samples,): how far models agree: on votes, the pairs that do; else the squares of all probabilities."""
    if predictions.probabilities is None:
        return votes(predictions).pairs
    return joined(predictions.over_parts(_squares))


def _squares(part: Predictions) -> tuple[FloatArray]:
    """(samples,): the squares of all probabilities, added up."""
    assert part.probabilities is not None
    total = np.zeros(part.values.shape[1])
    for probability in part.probabilities:
        total += np.nan_to_num(np.square(probability, dtype=np.float32).sum(axis=1))
    return (total,)


def _agreement_log_odds(predictions: Predictions) -> FloatArray:
    """(models,): the log odds that a model is right, if it is right as often as it agrees with the vote.

    Agreement is the macro-averaged recall of the (soft) vote: per class, the share of its votes on samples where the
    model predicts it. A constant model agrees often where its class is common, and yet carries no
    information. It counts as a guess, as does a model without predictions. Samples without a prediction of the model
    do not count for it.
    """
    counted = partial(_votes_by_class, confusion_matrices(predictions))
    agreed, cast = added(predictions.over_parts(counted)).round(DIGITS)
    predicted = max(int(cast.any(axis=0).sum()), 1)  # a guess is one of these classes
    classes = np.count_nonzero(cast, axis=1)
    total = np.divide(agreed, cast, out=agreed, where=cast > 0).sum(axis=1)
    mean = np.where(classes > 0, total / np.maximum(classes, 1), 1 / predicted)
    agreement = np.clip(mean, 1 - MAX_AGREEMENT, MAX_AGREEMENT)
    return np.asarray(np.log(agreement * max(predicted - 1, 1) / (1 - agreement)))


def _votes_by_class(confusion: Array, part: Predictions) -> tuple[FloatArray]:
    """(2, models, classes): the votes for what a model predicts, and all votes on the samples where it does."""
    assert part.classes is not None
    _, _, size = prediction_patterns(part)
    agreed, cast = found = np.zeros((2, len(part.models), len(part.classes)))
    for start, design in design_blocks(part, confusion):
        slots = design.slots
        voters = _voters(slots.slot, np.zeros(len(slots.code), dtype=np.int64))
        present = np.bincount(slots.sample, voters, minlength=len(slots.first) - 1)
        share = voters / np.maximum(present, 1)[slots.sample] * size[start + slots.sample]
        everywhere = np.bincount(slots.code, share, len(part.classes))
        for model, place in enumerate(np.ascontiguousarray(slots.slot.T)):
            named = place >= 0
            here = place if named.all() else place[named]
            agreed[model] += np.bincount(slots.code[here], share[here], len(part.classes))
            elsewhere = np.flatnonzero(~named[slots.sample]) if len(here) < len(place) else here[:0]
            cast[model] += everywhere - np.bincount(slots.code[elsewhere], share[elsewhere], len(part.classes))
    return (found,)


@exact_kernel
def _voters(slot: Array, voters: IntArray) -> IntArray:
    """(slots,): how many models predict the class of each slot."""
    for sample in range(slot.shape[0]):
        for model in range(slot.shape[1]):
            if slot[sample, model] >= 0:
                voters[slot[sample, model]] += 1
    return voters
