"""The features of the log-linear model: votes, votes by class, log probabilities and soft confusion."""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.predictions import Predictions
from adjudge.io.predictions.parts import PredictionParts
from adjudge.methods.pooled.slots import Slots, by_class, slots_of, softmax
from adjudge.methods.pooled.soft_confusion import has_soft_confusion, on_log_scale, soft_confusion_matrices, soft_votes

CONFUSION = "soft confusion"  # what the cache calls the matrices
CHUNK = 1 << 15  # slots whose features are converted at a time
MAX_WEIGHTS = 160  # above which a model has one weight for all classes


@dataclass(frozen=True, eq=False)
class DesignMatrix:
    """The features of some samples, for each slot (distinct answer) of a sample.

    The order of the features: the vote of each model; the vote of each model for each class (if there are few weights);
    the log probabilities of each model (if given); and those after its soft confusion matrix (if classes are few). A
    class that no model predicts has no features, only its bias.
    """

    slots: Slots
    indicators: Array  # (samples, vote features): the slot where the feature is 1, below 0: none; it is 0 elsewhere
    scores: Array  # (slots, other features): log probabilities, scaled from 0 to 1

    @property
    def features(self) -> int:
        """How many there are."""
        return int(self.indicators.shape[1] + self.scores.shape[1])

    def dense(self) -> FloatArray:
        """(slots, features): the whole matrix."""
        votes = np.zeros((len(self.slots.code), self.indicators.shape[1]))
        sample, feature = np.nonzero(self.indicators >= 0)
        votes[self.indicators[sample, feature], feature] = 1.0
        return np.hstack([votes, self.scores])

    def probabilities(self, weight: Array, bias: Array) -> Array:
        """(slots, draws): the probability of each slot's class, for weights (features, draws) and biases of draws."""
        votes, slots = self.indicators.shape[1], self.slots
        offset = np.empty((len(self.scores) if self.scores.size else 0, weight.shape[1]), dtype=np.float32)
        for start in range(0, len(offset), CHUNK):
            block = slice(start, start + CHUNK)
            # in double precision: in single, a row is rounded by its place in the block, and so by how a pool is cut
            offset[block] = self.scores[block].astype(np.float64) @ weight[votes:]
        return softmax(self.indicators, slots.code, slots.first, weight[:votes], bias, offset)


def design_matrix(predictions: Predictions, columns: IntArray) -> DesignMatrix:
    """The features of some samples of a pool."""
    assert predictions.classes is not None
    if isinstance(predictions, PredictionParts) and predictions.probabilities is not None:
        read = columns if columns.size else np.zeros(1, dtype=np.int64)  # a pool has at least one sample
        return design_matrix(
            with_confusion(predictions.at(read), confusion_matrices(predictions)), np.arange(len(columns))
        )
    classes = len(predictions.classes)
    slots = slots_of(_gathered(predictions.values, columns), classes)
    indicators = by_class(slots, classes) if has_class_weights(predictions) else slots.slot
    return DesignMatrix(slots, indicators, _scores(predictions, columns, slots))


def _gathered(values: Array, columns: IntArray) -> Array:
    """Some columns, as values[:, columns]; they are read in order, which is several times as fast in a large pool."""
    order = np.argsort(columns)
    found = np.empty((len(columns), values.shape[0]), dtype=values.dtype)
    found[order] = np.ascontiguousarray(values[:, columns[order]].T)
    return found.T


def has_class_weights(predictions: Predictions) -> bool:
    """Whether models and classes are so few that each model may have a weight for each class."""
    models, classes = len(predictions.models), len(predictions.classes or ())
    return classes > 1 and models * (1 + classes) + classes <= MAX_WEIGHTS


def confusion_matrices(predictions: Predictions) -> Array:
    """(models, true class, predicted class): the soft confusion matrices of a pool; none where it has none."""
    if not has_soft_confusion(predictions):
        return np.empty((0, 0, 0), dtype=np.float32)
    return cache.get(predictions, CONFUSION, lambda: soft_confusion_matrices(predictions))


def with_confusion(part: Predictions, confusion: Array) -> Predictions:
    """A part of a pool, with the matrices of the whole pool in place of its own."""
    if confusion.size:
        cache.put(part, CONFUSION, confusion)
    return part


def _scores(predictions: Predictions, columns: IntArray, slots: Slots) -> Array:
    """(slots, models or twice as many): scaled log probabilities; a model without any has its vote.

    The second half are log likelihoods under the soft confusion matrix of each model: how likely the model predicts
    what it did if the slot's class is the truth, averaged over the probabilities that it gives to the classes.
    """
    if predictions.probabilities is None:
        return np.zeros((len(slots.code), 0), dtype=np.float32)
    confusion = confusion_matrices(predictions)
    models, sample = len(predictions.models), slots.sample
    found = np.empty((len(slots.code), models + len(confusion)), dtype=np.float32)
    given = found[:, :models]
    given[:] = predictions.probabilities[:, columns[sample], slots.code].T
    on_log_scale(given)
    slot, model = np.nonzero(np.isnan(given))
    given[slot, model] = slots.slot[sample[slot], model] == slot
    for place, matrix in enumerate(confusion):
        found[:, models + place] = (soft_votes(predictions, place, columns) @ matrix.T)[sample, slots.code]
    return found
