"""The pooled consensus: class probabilities of each sample, from the predictions of all models and the labels so far.

A log-linear opinion pool: the probability of class c for sample i is proportional to exp(a_c + sum of b_h over the
models h that predict c). Each model has a weight b_h and each class a bias a_c; where models and classes are few, the
weight of a model may also differ from class to class; where models give probabilities, their logarithms are features
too (`design_matrix`), as they are or after a soft confusion matrix (`soft_confusion`).

Labels are a multinomial likelihood; a normal prior keeps the log-posterior concave. Before any label, the weight of a
model follows from its agreement with the vote, scaled down because models share mistakes: the vote of many counts as
that of a few independent ones (`priors`). Biases start from zero and, with probabilities as they are or (without any)
for the order of the models, also from the values under which all classes are equally common (`class_balance`). How
many independent models the vote is worth, how far weights may move and whether classes are equally common is learned:
several priors are fitted side by side and averaged by their evidence (Laplace's approximation).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.methods.pooled.design_matrix import DesignMatrix, confusion_matrices, design_matrix
from adjudge.methods.pooled.newton import newton
from adjudge.methods.pooled.patterns import design_blocks, prediction_patterns
from adjudge.methods.pooled.priors import MANY_CLASSES, Prior, priors, priors_for_order
from adjudge.methods.pooled.slots import sums_for_samples

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

    def pooled_with(self, other: "Modes", share: float) -> "Modes":
        """The linear opinion pool of two mixtures, in which the other one has this share."""
        if share < NEGLIGIBLE:
            return self
        mixture_weight = np.append((1 - share) * self.mixture_weight, share * other.mixture_weight)
        weight, bias = np.hstack([self.weight, other.weight]), np.hstack([self.bias, other.bias])
        return Modes(mixture_weight, weight, bias, self.confusion)


@dataclass(frozen=True, eq=False)
class Consensus:
    """A mixture of the fits of all priors (Bayesian model averaging)."""

    features: int
    group: IntArray  # (classes,): classes of one group share a bias
    fits: tuple[Fit, ...]
    mixture_weight: FloatArray  # (fits,): adds up to one
    confusion: Array  # see `confusion_matrices`
    log_evidence: float  # of the labels, under all priors

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


def consensus(predictions: Predictions, labels: Labels, *, for_order: bool = False) -> Consensus:
    """Fit all priors to the labels, those for the order if asked; the last fits of a pool are cached."""
    usable = labels.usable
    sample, value = labels.sample[usable], labels.value[usable].astype(np.int64)
    order = np.argsort(sample)  # the fit does not depend on the order of the labels
    sample, value = sample[order], value[order]
    name, key = ("consensus", for_order, len(sample) % KEPT), sample.tobytes() + value.tobytes()

    def compute() -> Consensus:
        plain = partial(consensus, predictions, labels) if for_order else None
        return _fit_all(predictions, sample, value, plain)

    return cache.get_for(predictions, name, key, compute)


def class_probabilities(predictions: Predictions, labels: Labels) -> Array:
    """(samples, classes): the probability of each class; certain where there is a label."""
    return probabilities_given(consensus(predictions, labels).modes, predictions, labels.codes)


def probabilities_given(modes: Modes, predictions: Predictions, known: IntArray) -> Array:
    """The same for a pool or a part of it, given the fits; `known` (samples,) has the codes of labels, or -1."""
    assert predictions.classes is not None
    first, group, _ = prediction_patterns(predictions)
    table = np.empty((len(first), len(predictions.classes)), dtype=np.float32)
    for start, design in design_blocks(predictions, modes.confusion):
        table[start : start + len(design.slots.first) - 1] = class_table(design, modes)
    of_samples, labeled = table[group], np.flatnonzero(known >= 0)
    of_samples[labeled] = 0.0
    of_samples[labeled, known[labeled]] = 1.0
    return of_samples


def class_table(design: DesignMatrix, modes: Modes) -> Array:
    """(samples, classes): the probability of each class, whatever the labels of these samples."""
    mixture_weight, weight, bias, _ = modes
    by_bias = np.exp(bias - bias.max(axis=0))
    by_bias /= by_bias.sum(axis=0)
    slots, found = design.slots, design.probabilities(weight, bias)
    in_slots, by_bias_alone = (sums_for_samples(each, slots.first) for each in (found, by_bias[slots.code]))
    rest = np.clip(1 - in_slots, 0, None) / np.maximum(1 - by_bias_alone, 1e-9)  # classes that no model predicts
    table = rest @ (by_bias * mixture_weight).T
    table[slots.sample, slots.code] = found @ mixture_weight
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def _fit_all(
    predictions: Predictions, sample: IntArray, label: IntArray, plain: Callable[[], Consensus] | None
) -> Consensus:
    """All fits; for the order if the plain consensus is given, with which it shares the priors that are the same."""
    assert predictions.classes is not None
    design, group = labeled_design(predictions, sample), _bias_groups(label, len(predictions.classes))
    dense, plainly = design.dense(), priors(predictions)
    given = priors_for_order(predictions) if plain else plainly
    same = dict(zip(plainly, plain().fits, strict=True)) if plain and not {*plainly}.isdisjoint(given) else {}
    fits = tuple(same.get(prior) or _fit(prior, design, dense, label, group) for prior in given)
    evidence = np.array([fit.evidence for fit in fits])
    mixture_weight = np.exp(evidence - evidence.max())
    log_evidence = np.logaddexp.reduce(evidence) - np.log(sum(prior.probability for prior in given))
    confusion = confusion_matrices(predictions)
    return Consensus(
        design.features, group, fits, mixture_weight / mixture_weight.sum(), confusion, float(log_evidence)
    )


def labeled_design(predictions: Predictions, sample: IntArray) -> DesignMatrix:
    """The features of the samples with a label, in their order in the pool; kept, since a pool in parts reads them."""
    name = "labeled", len(sample) % KEPT
    return cache.get_for(predictions, name, sample.tobytes(), lambda: design_matrix(predictions, sample))


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
    every, slots = np.diag(precision), design.slots
    if prior.compensation is not None:
        triangular = np.eye(len(mean))  # of unit determinant
        np.add.at(triangular[count:, :count], group, prior.compensation)
        every = triangular.T @ (precision[:, None] * triangular)
    mode, factor, log_posterior = newton(feature, slots.code, slots.first, label, group, mean, every)
    evidence = np.log(prior.probability) + log_posterior + 0.5 * np.log(precision).sum() - np.log(np.diag(factor)).sum()
    return Fit(prior.features, mode[:count], mode[count:], factor, float(evidence))
