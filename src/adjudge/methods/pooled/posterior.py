"""What the pooled consensus believes about the models' accuracies: draws from it, kept up with a log label by label."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from weakref import WeakKeyDictionary

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import votes
from adjudge.methods.pooled.consensus import consensus, expected_accuracy, grouped
from adjudge.methods.pooled.design_matrix import Voices, heard
from adjudge.methods.pooled.slots import Answers, covariances, sums_for_models

DRAWS = 128
LEAST_DRAWS = 32  # that count: rows that wait never leave fewer, however many there are
CANDIDATES = 4096  # patterns looked at: contradictions first, the most common, a seeded choice among those as common
LUCK = 16  # draws of what open labels may add, for each draw of the consensus
SMALLEST = 1e-6  # chance of what nobody named


@dataclass(frozen=True, eq=False)
class Belief:
    """Draws of all accuracies, and the chance of each answer under each draw."""

    said: Answers  # to the candidates
    pattern: IntArray  # (candidates,)
    chance: Array  # (slots, draws)
    weights: tuple[Array, Array]  # of voices and classes in each draw
    accuracy: FloatArray  # (models, draws): up to a constant that all models share
    likelihood: FloatArray  # (draws,): logarithm, of the labels since the fit
    rows: int  # of the log that were seen

    @cached_property
    def share(self) -> FloatArray:
        """(draws,): how much each draw counts."""
        likelihood = self.likelihood - self.likelihood.max()
        while True:
            share = np.exp(likelihood)
            share /= share.sum()
            if share @ share <= 1 / LEAST_DRAWS:
                return np.asarray(share)
            likelihood *= 0.8

    @cached_property
    def likely(self) -> Array:
        """(slots,): the chance of each answer, over all draws."""
        return self.chance @ self.share.astype(np.float32)


_ASKED: "WeakKeyDictionary[Predictions, tuple[IntArray, Voices]]" = WeakKeyDictionary()
_KEPT: "WeakKeyDictionary[Predictions, tuple[bytes, Belief]]" = WeakKeyDictionary()


def belief(predictions: Predictions, labels: Labels) -> Belief:
    """The belief after a log: fitted anew at growing lengths, and in between weighted by the labels that came.

    A row that is handed out but not answered counts as if answered by one of its likely classes, so that samples
    picked together do not all ask the same. The last belief of a pool is kept, which makes the next row cheap.
    """
    fitted = _refit_at(labels.labeled)
    last = np.flatnonzero(labels.usable)[fitted - 1] + 1 if fitted else 0  # rows of the log that are in the fit
    key, held = _KEPT.get(predictions, (b"", None))
    if held is None or held.rows < last or held.rows > len(labels) or _key(labels.head(held.rows), fitted) != key:
        held = _fitted(predictions, labels.head(last))
        for row in np.flatnonzero(~labels.answered[:last]).tolist():  # handed out before the last label of the fit came
            held = _with_row(held, predictions, labels, row)
    for row in range(held.rows, len(labels)):
        held = _with_row(held, predictions, labels, row)
    _KEPT[predictions] = _key(labels, fitted), held
    return held


def _refit_at(labels: int) -> int:
    """Every label up to 20, every second up to 40, every fourth up to 80, and so on."""
    step = 1 << max(0, (labels // 10).bit_length() - 1)
    return labels - labels % step


def _key(labels: Labels, fitted: int) -> bytes:
    columns = (labels.sample, labels.value, labels.answered)
    return b"".join([str(fitted).encode(), *(column.tobytes() for column in columns)])


def _fitted(predictions: Predictions, labels: Labels) -> Belief:
    assert predictions.classes is not None
    pattern, voices = _candidates(predictions)
    found = consensus(predictions, labels)
    weights = found.draws(DRAWS, np.random.default_rng([DRAWS, len(labels)]))
    said, chance = voices.said, voices.chances(*weights)
    judged = np.maximum(predictions.said, 1)[:, None]
    accuracy = sums_for_models(said.slot, chance, open_count(predictions, labels)) / judged
    in_dispute, samples = _in_dispute(predictions), len(predictions.samples)
    _, _, size = grouped(predictions)
    if size[pattern].sum() < in_dispute.sum() or (predictions.said < samples).any():
        # where some are not candidates, or models are silent at times, only the spread comes from the candidates
        accuracy += (expected_accuracy(predictions, labels) - accuracy.mean(axis=1))[:, None]
    else:
        usable = labels.usable & in_dispute[labels.sample]
        right = predictions.values[:, labels.sample[usable]] == labels.value[usable]
        accuracy += right.sum(axis=1)[:, None] / samples
    accuracy[predictions.said == 0] = -np.inf  # who said nothing comes first nowhere
    return Belief(said, pattern, chance, weights, accuracy, np.zeros(DRAWS), len(labels))


def _candidates(predictions: Predictions) -> tuple[IntArray, Voices]:
    """The patterns that are looked at and what was said about them; kept with the pool."""
    if predictions not in _ASKED:
        first, _, size = grouped(predictions)
        found = np.flatnonzero(_in_dispute(predictions)[first])
        if len(found) > CANDIDATES:
            by_chance = np.random.default_rng(CANDIDATES).permutation(len(found))
            order = np.lexsort((by_chance, -size[found], votes(predictions).unanimous[first[found]]))
            found = np.sort(found[order[:CANDIDATES]])
        _ASKED[predictions] = found, heard(predictions, first[found])
    return _ASKED[predictions]


def _in_dispute(predictions: Predictions) -> BoolArray:
    """(samples,): whether a label may change how far models are apart, as it also does where only some of them spoke.

    Not `core.strata.disputed`: the strata of a part are those of the whole, and say from where labels are drawn.
    """
    counted = votes(predictions)
    some = (counted.present > 0) & (counted.present < np.count_nonzero(predictions.said))
    return np.asarray(some | ~counted.unanimous)


def open_count(predictions: Predictions, labels: Labels) -> FloatArray:
    """(candidates,): how many samples without a label each stands for; together, for all that are in dispute."""
    first, group, size = grouped(predictions)
    unknown = size - np.bincount(group[labels.sample[labels.usable]], minlength=len(first))
    in_dispute = _in_dispute(predictions)[first]
    count = unknown[_candidates(predictions)[0]]
    return np.asarray(count * (unknown[in_dispute].sum() / max(count.sum(), 1)))


def _with_row(held: Belief, predictions: Predictions, labels: Labels, row: int) -> Belief:
    """One more row: an answer, a sample that waits for one, or a skip."""
    assert predictions.classes is not None
    seen = replace(held, rows=max(held.rows, row + 1))
    label = labels.value[row]
    if labels.answered[row] and np.isnan(label):
        return seen
    voices = heard(predictions, labels.sample[row : row + 1])
    said, chance = voices.said, voices.chances(*held.weights)
    unnamed = np.maximum(1 - chance.sum(axis=0), SMALLEST)
    if np.isnan(label):
        likely = np.append(chance @ held.share, unnamed @ held.share)
        turn = np.random.default_rng([row, DRAWS]).random() * likely.sum()
        place = min(int(np.searchsorted(np.cumsum(likely), turn)), len(likely) - 1)
        told = chance[place] if place < len(chance) else unnamed
        return replace(seen, likelihood=held.likelihood + np.log(np.maximum(told, SMALLEST)))
    hit = np.flatnonzero(said.code == label)
    told = chance[hit[0]] if hit.size else unnamed
    spoken = said.slot[0] >= 0
    change = np.zeros_like(held.accuracy)
    change[spoken] = (said.code[said.slot[0][spoken]] == label)[:, None] - chance[said.slot[0][spoken]]
    return replace(
        seen,
        likelihood=held.likelihood + np.log(np.maximum(told, SMALLEST)),
        accuracy=held.accuracy + change / np.maximum(predictions.said, 1)[:, None],
    )


def chance_of_best(predictions: Predictions, labels: Labels) -> FloatArray:
    """(models,): how likely no other is better, as far as the consensus can be trusted; nan where it said nothing.

    Models that tie for first in a draw all count there, so chances may add up to more than one. Even if the consensus
    were known, the labels of the open samples would not be: each draw of accuracies is taken with several draws of
    what these labels may add.
    """
    held = belief(predictions, labels)
    factor = _luck(predictions, labels, held)
    rng, chance = np.random.default_rng([LUCK, len(labels)]), np.zeros(len(factor))
    for _ in range(LUCK):
        luck = factor @ rng.standard_normal(held.accuracy.shape)
        chance += top(held.accuracy + luck) @ held.share / LUCK
    return np.where(predictions.said > 0, np.minimum(chance, 1.0), nan)  # sixteen roundings may add up to more


def _luck(predictions: Predictions, labels: Labels, held: Belief) -> FloatArray:
    """(models, models): a factor of the covariance of accuracies that is left when the consensus is known."""
    said, left = held.said, open_count(predictions, labels)
    covariance = covariances(said.slot, held.chance, said.first, held.share, left)
    judged = np.maximum(predictions.said, 1)
    variance, direction = np.linalg.eigh(covariance / judged / judged[:, None])
    rounding = len(variance) * np.finfo(float).eps * variance.max()  # its root would part models that say the same
    return np.asarray(direction * np.sqrt(np.where(variance > rounding, variance, 0.0)))


def top(accuracy: FloatArray) -> BoolArray:
    """(models, draws): whether no other model is better, by more than rounding."""
    return np.asarray(accuracy >= accuracy.max(axis=0) - 1e-9)
