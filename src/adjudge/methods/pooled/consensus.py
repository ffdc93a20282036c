"""The pooled consensus: class probabilities of each sample, from the predictions of all models and the labels so far.

A log-linear opinion pool: the probability of class c for sample i is proportional to exp(a_c + sum of b_h over the
models h that predict c). Each model has a weight b_h and each class a bias a_c; where models and classes are few, the
weight of a model may also differ from class to class; where models give probabilities, their logarithms are features
too (`design_matrix`), as they are or after a soft confusion matrix (`soft_confusion`).

Labels are a multinomial likelihood; a normal prior keeps the log-posterior concave. Before any label, the weight of a
model follows from its agreement with the vote, scaled down because models share mistakes: the vote of many counts as
that of a few independent ones (`priors`). Biases start from zero and, with probabilities as they are, also from the
values under which all classes are equally common (`class_balance`). How many independent models the vote is worth, how
far weights may move and whether classes are equally common is learned: several priors are fitted side by side and
averaged by their evidence (Laplace's approximation).
"""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray, locked
from adjudge.core.cache import cache
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import added
from adjudge.methods.pooled.design_matrix import DesignMatrix, confusion_matrices, design_matrix
from adjudge.methods.pooled.newton import newton
from adjudge.methods.pooled.patterns import design_blocks, prediction_patterns
from adjudge.methods.pooled.priors import MANY_CLASSES, Prior, priors
from adjudge.methods.pooled.slots import sums_for_models, sums_for_samples

KEPT = 16  # fits that are cached for a pool: one for each number of labels, modulo this
NEGLIGIBLE = 1e-3  # mixture weight of a fit that is left out of means


@dataclass(frozen=True, eq=False)
class Fit:
    """The posterior of one prior: the mode, and Laplace's approximation around it."""

    features: slice  # that have a weight
    weight: FloatArray  # (features,)
    bias: FloatArray  # (groups,)
    factor: FloatArray  # lower Cholesky factor of the precision of weights and biases together
    evidence: float  # log marginal likelihood, with the prior's own probability


class Modes(NamedTuple):
    """The fits that matter, and what else a part of a pool has to be told."""

    mixture_weight: FloatArray  # (fits,): adds up to one
    weight: Array  # (features, fits)
    bias: Array  # (classes, fits)
    confusion: Array  # see `confusion_matrices`


@dataclass(frozen=True, eq=False)
class Consensus:
    """A mixture of the fits of all priors (Bayesian model averaging)."""

    features: int
    group: IntArray  # (classes,): classes of one group share a bias
    fits: tuple[Fit, ...]
    mixture_weight: FloatArray  # (fits,): adds up to one
    confusion: Array  # see `confusion_matrices`

    @property
    def modes(self) -> Modes:
        kept = np.flatnonzero(self.mixture_weight > NEGLIGIBLE)
        weight = np.stack([self._padded(self.fits[each], self.fits[each].weight) for each in kept], axis=1)
        bias = np.stack([self.fits[each].bias[self.group] for each in kept], axis=1)
        mixture_weight = self.mixture_weight[kept] / self.mixture_weight[kept].sum()
        return Modes(mixture_weight, weight.astype(np.float32), bias.astype(np.float32), self.confusion)

    def _padded(self, fit: Fit, weight: Array) -> Array:
        """With zeros for the features that a fit does not use."""
        every = np.zeros((self.features, *weight.shape[1:]), dtype=weight.dtype)
        every[fit.features] = weight
        return every

    def draws(self, number: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Weights (features, draws) and biases (classes, draws) from the mixture."""
        quantile = (np.arange(number) + rng.random()) / number
        component = np.searchsorted(np.cumsum(self.mixture_weight), quantile)
        weights, biases = [], []
        for each, many in zip(*np.unique(np.minimum(component, len(self.fits) - 1), return_counts=True), strict=True):
            fit = self.fits[each]
            mode = np.concatenate([fit.weight, fit.bias])
            noise = rng.standard_normal((len(mode), many))
            drawn = (mode[:, None] + np.linalg.solve(fit.factor.T, noise)).astype(np.float32)
            weights.append(self._padded(fit, drawn[: len(fit.weight)]))
            biases.append(drawn[len(fit.weight) :][self.group])
        return np.concatenate(weights, axis=1), np.concatenate(biases, axis=1)


def consensus(predictions: Predictions, labels: Labels) -> Consensus:
    """Fit all priors to the labels; the last fits of a pool are cached."""
    usable = labels.usable
    sample, value = labels.sample[usable], labels.value[usable].astype(np.int64)
    order = np.argsort(sample)  # the fit does not depend on the order of the labels
    sample, value = sample[order], value[order]
    name, key = ("consensus", len(sample) % KEPT), sample.tobytes() + value.tobytes()
    return cache.get_for(predictions, name, key, lambda: _fit_all(predictions, sample, value))


def class_probabilities(predictions: Predictions, labels: Labels) -> Array:
    """(samples, classes): the probability of each class; certain where there is a label."""
    return probabilities_given(consensus(predictions, labels).modes, predictions, labels.codes)


def probabilities_given(modes: Modes, predictions: Predictions, known: IntArray) -> Array:
    """The same for a pool or a part of it, given the fits; `known` (samples,) has the codes of labels, or -1."""
    assert predictions.classes is not None
    first, group, _ = prediction_patterns(predictions)
    classes = len(predictions.classes)
    mixture_weight, weight, bias, confusion = modes
    table = np.empty((len(first), classes), dtype=np.float32)
    by_bias = np.exp(bias - bias.max(axis=0))
    by_bias /= by_bias.sum(axis=0)
    for start, design in design_blocks(predictions, confusion):
        slots, found = design.slots, design.probabilities(weight, bias)
        block = slice(start, start + len(slots.first) - 1)
        in_slots, by_bias_alone = (sums_for_samples(each, slots.first) for each in (found, by_bias[slots.code]))
        rest = np.clip(1 - in_slots, 0, None) / np.maximum(1 - by_bias_alone, 1e-9)  # classes that no model predicts
        table[block] = rest @ (by_bias * mixture_weight).T
        table[start + slots.sample, slots.code] = found @ mixture_weight
    table /= table.sum(axis=1, keepdims=True)
    of_samples, labeled = table[group], np.flatnonzero(known >= 0)
    of_samples[labeled] = 0.0
    of_samples[labeled, known[labeled]] = 1.0
    return of_samples


def expected_accuracy(predictions: Predictions, labels: Labels) -> FloatArray:
    """(models,): the mean probability that a model's prediction is right; nan for a model without predictions.

    A model that always predicts the same class is right as often as that class is common, about which chosen
    samples say little. It is put below the best of the other models, so that it never comes first by accident.
    """
    usable = labels.usable
    sample, value = labels.sample[usable], labels.value[usable]
    key = sample.tobytes() + value.tobytes()
    return cache.get_for(predictions, "expected accuracy", key, lambda: _expected(predictions, labels, sample, value))


def _expected(predictions: Predictions, labels: Labels, sample: IntArray, value: FloatArray) -> FloatArray:
    labeled = np.zeros(labels.pool, dtype=bool)
    labeled[sample] = True
    total = added(predictions.over_parts(partial(_expected_right, consensus(predictions, labels).modes), labeled))
    total = total + (predictions.values[:, sample] == value).sum(axis=1)
    with np.errstate(invalid="ignore"):
        found = np.asarray(total / predictions.n_predicted)
    others = found[~predictions.constant & (predictions.n_predicted > 0)]
    if others.size and not labeled.all():
        one_sample_less = max(others.max() - 1 / labels.pool, 0.0)
        found[predictions.constant] = np.minimum(found[predictions.constant], one_sample_less)
    return locked(found)


def _expected_right(modes: Modes, part: Predictions, labeled: BoolArray) -> tuple[FloatArray]:
    """(models,): how many predictions for samples without a label are right, in expectation."""
    mixture_weight, weight, bias, confusion = modes
    _, group, size = prediction_patterns(part)
    unlabeled = size - np.bincount(group[np.flatnonzero(labeled)], minlength=len(size)).astype(np.float64)
    total = np.zeros(len(part.models))
    for start, design in design_blocks(part, confusion):
        # in double precision, so that it does not matter how a pool is cut into parts
        slot, mean = design.slots.slot, design.probabilities(weight, bias) @ mixture_weight
        total += sums_for_models(slot, mean[:, None], unlabeled[start : start + len(slot)])[:, 0]
    return (total,)


def _fit_all(predictions: Predictions, sample: IntArray, label: IntArray) -> Consensus:
    assert predictions.classes is not None
    design, group = design_matrix(predictions, sample), _bias_groups(label, len(predictions.classes))
    dense = design.dense()
    fits = tuple(_fit(prior, design, dense, label, group) for prior in priors(predictions))
    evidence = np.array([fit.evidence for fit in fits])
    mixture_weight = np.exp(evidence - evidence.max())
    confusion = confusion_matrices(predictions)
    return Consensus(design.features, group, fits, mixture_weight / mixture_weight.sum(), confusion)


def _bias_groups(label: IntArray, classes: int) -> IntArray:
    """(classes,): each class is a group; where there are many, all that have no label are one."""
    if classes <= MANY_CLASSES:
        return np.arange(classes)
    group = np.zeros(classes, dtype=np.int64)
    seen = np.unique(label)
    group[seen] = 1 + np.arange(len(seen))
    return group if len(seen) < classes else group - 1


def _fit(prior: Prior, design: DesignMatrix, dense: FloatArray, label: IntArray, group: IntArray) -> Fit:
    """The mode, searched from the prior mean, so that the same labels always give the same fit."""
    feature, count, groups = np.ascontiguousarray(dense[:, prior.features]), len(prior.weight), group.max() + 1
    mean = np.concatenate([prior.weight, np.zeros(groups) if prior.bias is None else prior.bias])
    precision = np.concatenate([prior.scale**-2.0, np.full(groups, prior.bias_scale**-2.0)])
    slots = design.slots
    mode, factor, log_posterior = newton(feature, slots.code, slots.first, label, group, mean, precision)
    evidence = np.log(prior.probability) + log_posterior + 0.5 * np.log(precision).sum() - np.log(np.diag(factor)).sum()
    return Fit(prior.features, mode[:count], mode[count:], factor, float(evidence))
