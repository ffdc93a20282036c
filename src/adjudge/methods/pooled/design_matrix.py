"""How models speak to the consensus: each with one voice, with one for each class, or by its probabilities.

Probabilities speak in two ways: as they are given, and as one hears them who knows what the model tends to say.
"""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.predictions import Predictions
from adjudge.methods.pooled.slots import NOBODY, Answers, answers, by_class, chances
from adjudge.methods.pooled.soft_confusion import habits, has_habits, on_log_scale, parts_of_vote

MANY = 160  # weights above which a model has one voice for all classes


@dataclass(frozen=True, eq=False)
class Voices:
    """What was said about some samples, as it can be weighed.

    Voices are counted in this order: each model, each model once more for each class (where there is room), each
    model by its probabilities (where these are given), each by its probabilities and its habits (where classes are
    not too many for that). Classes that nobody named have no voice.
    """

    said: Answers
    slot: Array  # (samples, voices but those of probabilities): the slot that a voice speaks for, or NOBODY
    backing: Array  # (slots, voices of probabilities): what they say for a slot, from nothing (0) to all (1)

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


_HABITS: "WeakKeyDictionary[Predictions, Array]" = WeakKeyDictionary()


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
    """On a scale of logarithms; a model without a probability backs what it said.

    By its habits, a model backs a class as likely as it says what it said where that class is the truth; if its
    probability is parted between classes, the mean of what each of them would say.
    """
    if predictions.probabilities is None:
        return np.zeros((len(said.code), 0), dtype=np.float32)
    if has_habits(predictions) and predictions not in _HABITS:
        _HABITS[predictions] = habits(predictions)
    models, sample, known = len(predictions.models), said.sample, _HABITS.get(predictions, ())
    found = np.empty((len(said.code), models + len(known)), dtype=np.float32)
    given = found[:, :models]
    given[:] = predictions.probabilities[:, columns[sample], said.code].T
    on_log_scale(given)
    slot, model = np.nonzero(np.isnan(given))
    given[slot, model] = said.slot[sample[slot], model] == slot
    for place, habit in enumerate(known):
        found[:, models + place] = (parts_of_vote(predictions, place, columns) @ habit.T)[sample, said.code]
    return found
