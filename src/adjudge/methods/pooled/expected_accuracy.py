"""How many predictions of each model are right, in expectation under the consensus: what orders the models."""

from functools import partial

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, locked
from adjudge.core.cache import cache
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import added
from adjudge.inference.missing_predictions import share_lacking, shift_by_others, sums_of_others
from adjudge.methods.pooled.consensus import Modes, class_table, consensus, labeled_design
from adjudge.methods.pooled.design_matrix import DesignMatrix
from adjudge.methods.pooled.patterns import design_blocks, prediction_patterns
from adjudge.methods.pooled.slots import MISSING, sums_for_models

WORTH_BEFORE_LABELS = 4  # labels that the consensus before any label counts as at most, in the order of the models
MIN_LIKELIHOOD = 1e-6  # of a label under it


def expected_accuracy(predictions: Predictions, labels: Labels) -> FloatArray:
    """(models,): the mean probability that a model's prediction is right; nan for a model without predictions.

    The first labels are chosen where they tell most, which is where samples are unusual, so that a few of them can
    mislead the consensus by far. So its priors are those for the order, and the probability is a mean of two, that of
    the consensus and that of the consensus before any label (`_share_before_labels`).

    Where predictions are missing, the model is taken to do there as the others do, but for how it compares elsewhere.

    A model that always predicts the same class is right as often as that class is common, about which chosen
    samples say little. It is put below the best of the other models, so that it never comes first by accident.
    """
    return _expected(predictions, labels, pooled=True)


def consensus_accuracy(predictions: Predictions, labels: Labels) -> FloatArray:
    """(models,): the same under the consensus by which samples are chosen."""
    return _expected(predictions, labels, pooled=False)


def _expected(predictions: Predictions, labels: Labels, *, pooled: bool) -> FloatArray:
    sample, value = labels.sample[labels.usable], labels.value[labels.usable]
    key = sample.tobytes() + value.tobytes()

    def compute() -> FloatArray:
        modes, labeled = consensus(predictions, labels, for_order=pooled).modes, np.zeros(labels.pool, dtype=bool)
        if pooled:
            before = _before_labels(predictions, labels)
            modes = modes.pooled_with(before, _share_before_labels(before, predictions, labels))
        labeled[sample] = True
        counted = partial(_expected_unlabeled, modes, share_lacking(predictions))
        return accuracies(predictions, labels, added(predictions.over_parts(counted, labeled)))

    return cache.get_for(predictions, ("expected accuracy", pooled), key, compute)


def accuracies(predictions: Predictions, labels: Labels, unlabeled: FloatArray) -> FloatArray:
    """(models,): expected accuracies, given the `expected_sums` of all samples without a label."""
    sample, value = labels.sample[labels.usable], labels.value[labels.usable]
    predicted, lacking = predictions.values[:, sample], share_lacking(predictions)
    right = predicted == value
    with np.errstate(invalid="ignore"):
        found = np.asarray((unlabeled[0] + right.sum(axis=1)) / predictions.n_predicted)
    if lacking.any():
        known = sums_of_others(1.0 * right, predictions.is_present(predicted), np.ones(len(sample)), lacking)
        found = np.clip(found + shift_by_others(known + unlabeled[1:]), 0.0, 1.0)
    others = found[~predictions.constant & (predictions.n_predicted > 0)]
    if others.size and len(np.unique(sample)) < labels.pool:
        one_sample_less = max(others.max() - 1 / labels.pool, 0.0)
        found[predictions.constant] = np.minimum(found[predictions.constant], one_sample_less)
    return locked(found)


def _share_before_labels(before: Modes, predictions: Predictions, labels: Labels) -> float:
    """The share of the consensus before any label in the expected accuracy.

    It counts as a few labels, or as fewer where it has predicted the labels worse than the consensus, by the ratio of
    both likelihoods (Bayes factor).
    """
    codes, sample = labels.codes, np.flatnonzero(labels.codes >= 0)
    if not sample.size:
        return 0.0  # both are the same
    table = class_table(labeled_design(predictions, sample), before)
    likelihood = table[np.arange(len(sample)), codes[sample]]
    log_likelihood = np.log(np.maximum(likelihood, MIN_LIKELIHOOD), dtype=np.float64).sum()
    bayes_factor = np.exp(min(log_likelihood - consensus(predictions, labels, for_order=True).log_evidence, 0.0))
    odds = WORTH_BEFORE_LABELS / len(sample) * bayes_factor
    return float(odds / (1 + odds))


def _before_labels(predictions: Predictions, labels: Labels) -> Modes:
    nothing = labels.head(0)
    fitted = partial(consensus, predictions, nothing, for_order=True)
    return cache.get(predictions, "before labels", lambda: _distinct(fitted().modes))


def _distinct(modes: Modes) -> Modes:
    """The same mixture, each mode once: before any label, priors that differ in their scale have the same mode."""
    mixture_weight, weight, bias, confusion = modes
    _, first, place = np.unique(np.vstack([weight, bias]), axis=1, return_index=True, return_inverse=True)
    summed = np.zeros(len(first))
    np.add.at(summed, place.ravel(), mixture_weight)
    # with rows in one piece, as everywhere: kernels are compiled for each layout
    return Modes(summed, np.take(weight, first, axis=1), np.take(bias, first, axis=1), confusion)


def _expected_unlabeled(modes: Modes, lacking: FloatArray, part: Predictions, labeled: BoolArray) -> tuple[FloatArray]:
    """The `expected_sums` of a part's samples without a label."""
    _, group, size = prediction_patterns(part)
    unlabeled = size - np.bincount(group[np.flatnonzero(labeled)], minlength=len(size)).astype(np.float64)
    total = np.zeros((5, len(part.models)))
    for start, design in design_blocks(part, modes.confusion):
        total += expected_sums(modes, lacking, design, unlabeled[start : start + len(design.slots.slot)])
    return (total,)


def expected_sums(modes: Modes, lacking: FloatArray, design: DesignMatrix, count: Array) -> FloatArray:
    """(5, models): how many predictions are right in expectation, and `sums_of_others`.

    A row of the design stands for `count` samples.
    """
    # in double precision, so that it does not matter how a pool is cut into parts
    slot, mean = design.slots.slot, design.probabilities(modes.weight, modes.bias) @ modes.mixture_weight
    found = np.zeros((5, slot.shape[1]))
    found[0] = sums_for_models(slot, mean[:, None], count)[:, 0]
    if lacking.any():
        right = np.append(mean, 0.0)[np.maximum(slot, -1)].T  # a missing prediction or an abstention is the last
        found[1:] = sums_of_others(right, (slot != MISSING).T, count, lacking)
    return found
