"""How models speak to the consensus: each with one voice, with one for each class, or by its probabilities."""

from dataclasses import dataclass
from math import log

import numpy as np

from adjudge.core.answers import NOBODY, Answers, answers, by_class, chances
from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.predictions import Predictions

MANY = 160  # weights above which a model has one voice for all classes
UNLIKELY = 1e-3  # a probability that backs a class no more than nothing does


@dataclass(frozen=True, eq=False)
class Voices:
    """What was said about some samples, as it can be weighed.

    Voices are counted in this order: each model, each model once more for each class (where there is room), each
    model by its probabilities (where these are given). Classes that nobody named have no voice.
    """

    said: Answers
    slot: Array  # (samples, voices but those of probabilities): the slot that a voice speaks for, or NOBODY
    backing: Array  # (slots, models, or none): what a probability says for a slot, from nothing (0) to all (1)

    @property
    def count(self) -> int:
        return int(self.slot.shape[1] + self.backing.shape[1])

    def features(self) -> FloatArray:
        """(slots, voices): how much each voice says for each slot."""
        plain = np.zeros((len(self.said.code), self.slot.shape[1]))
        spoken, voice = np.nonzero(self.slot != NOBODY)
        plain[self.slot[spoken, voice], voice] = 1.0
        return np.hstack([plain, self.backing])

    def chances(self, weight: Array, bias: Array) -> Array:
        """(slots, draws): the chance of each answer, with the weights of voices and the biases of classes of a draw."""
        plain = self.slot.shape[1]
        return chances(self.slot, self.said.code, self.said.first, weight[:plain], bias, self.backing @ weight[plain:])


def heard(predictions: Predictions, columns: IntArray) -> Voices:
    """The voices of a pool on some samples."""
    assert predictions.classes is not None
    classes = len(predictions.classes)
    said = answers(predictions.values[:, columns], classes)
    slot = by_class(said, classes) if has_room(predictions) else said.slot
    return Voices(said, slot, _backing(predictions, columns, said))


def has_room(predictions: Predictions) -> bool:
    """Whether models and classes are so few that each model may have a voice for each class."""
    models, classes = len(predictions.models), len(predictions.classes or ())
    return classes > 1 and models * (1 + classes) + classes <= MANY


def _backing(predictions: Predictions, columns: IntArray, said: Answers) -> Array:
    """On a scale of logarithms; a model without a probability backs what it said."""
    if predictions.probabilities is None:
        return np.zeros((len(said.code), 0), dtype=np.float32)
    sample = said.sample
    found = predictions.probabilities[:, columns[sample], said.code].T.astype(np.float32)
    np.log(np.clip(found, UNLIKELY, 1.0, out=found), out=found)  # in place: these are the largest arrays there are
    found /= np.float32(-log(UNLIKELY))
    found += 1
    slot, model = np.nonzero(np.isnan(found))
    found[slot, model] = said.slot[sample[slot], model] == slot
    return np.asarray(found)
