"""Expectation-maximization with a confusion matrix of each model (Dawid and Skene 1979), in bounded memory."""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, log

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.kernels import kernel
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import patterns, votes
from adjudge.methods.peers.confusion_scores import LEAST, add_by_answer, add_by_table

STEP = 2.0**-34  # chances are multiples of it, so that sums over half a million samples do not depend on their order
GONE = log(STEP / 4)  # a chance whose logarithm lies so far below the highest is no step
SCORES = 1 << 24  # numbers held at a time (groups x classes): 128 MB
TABLES = 1 << 20  # cells of all confusions that are held at a time: 8 MB stay in a cache


@dataclass(frozen=True, eq=False)
class Beliefs:
    """The chances of the classes in each group, without those that are zero: row i is start[i] : start[i + 1]."""

    start: IntArray
    code: Array
    chance: FloatArray


@dataclass(frozen=True, eq=False)
class Groups:
    """Samples in groups: the answers of every model are the same within one, and so is the bought label, if any."""

    values: Array  # (models, groups)
    truth: Array  # (groups,): the bought label, or -1
    size: FloatArray  # (groups,): samples
    group: IntArray  # (samples,): the group of each; the number of groups where no model spoke
    classes: int

    @property
    def said(self) -> float:
        """How many predictions there are."""
        return float(np.count_nonzero(self.values >= 0, axis=0) @ self.size)

    def vote(self) -> Beliefs:
        """The shares of the vote; a bought label has all of it."""
        return self._in_parts(lambda low, scores: _count_votes(self.values[:, low : low + len(scores)], scores))[0]

    def expect(self, beliefs: Beliefs) -> tuple[Beliefs, float]:
        """One round: confusions and prior from these beliefs, their log likelihood, and the beliefs that follow."""
        whole = np.zeros(self.classes)
        np.add.at(whole, beliefs.code, beliefs.chance * np.repeat(self.size, np.diff(beliefs.start)))
        prior = np.log(np.maximum(whole / self.size.sum(), LEAST))
        known = (self.values, self.size, beliefs.start, beliefs.code, beliefs.chance)
        small = len(self.values) * self.classes**2 <= TABLES

        def score(low: int, scores: Array) -> None:
            scores[:] = prior
            if small:
                add_by_table(*known, low, scores)
            else:
                add_by_answer(*known, whole, low, scores)

        return self._in_parts(score)

    def chance_to_be_right(self, beliefs: Beliefs) -> FloatArray:
        """(models,): the mean chance of what a model said; nan for a model that said nothing."""
        return _mean_chance(self.values, self.size, beliefs.start, beliefs.code, beliefs.chance)

    def for_samples(self, beliefs: Beliefs) -> FloatArray:
        """(samples, classes): all chances; nan where no model spoke."""
        chances = np.zeros((len(self.size) + 1, self.classes))
        chances[np.repeat(np.arange(len(self.size)), np.diff(beliefs.start)), beliefs.code] = beliefs.chance
        chances[-1] = np.nan
        return np.asarray(chances[self.group])

    def _in_parts(self, score: Callable[[int, Array], None]) -> tuple[Beliefs, float]:
        """Chances from log scores, for as many groups at a time as memory may hold."""
        groups, rows = len(self.size), max(1, SCORES // self.classes)
        scores = np.empty((min(rows, groups), self.classes))
        parts, likelihood = [], 0.0
        for low in range(0, groups, rows):
            part = scores[: groups - low]
            score(low, part)
            here = slice(low, low + len(part))
            likelihood += _to_chances(part, self.truth[here], self.size[here])
            parts.append(_above_zero(part))
        count, code, chance = (np.concatenate(column) for column in zip(*parts, strict=True))
        return Beliefs(np.append(0, np.cumsum(count)), code, chance), likelihood


def group_samples(predictions: Predictions, labels: Labels) -> Groups:
    """Group the samples on which some model spoke."""
    spoken = votes(predictions).present > 0
    assert predictions.classes is not None  # or else there would be no votes
    rows = np.vstack([predictions.values, labels.codes.astype(predictions.values.dtype)])  # the label is the last row
    names = tuple(map(str, range(len(rows))))
    first, group = patterns(Predictions(rows, names, range(labels.pool), predictions.classes))
    kept = spoken[first]
    number = np.where(kept, np.cumsum(kept) - 1, np.count_nonzero(kept))
    rows = rows[:, first[kept]]
    size = np.bincount(group)[kept].astype(np.float64)
    return Groups(rows[:-1], rows[-1], size, number[group], len(predictions.classes))


@kernel
def _count_votes(values: Array, scores: Array) -> None:
    """The logarithms of the votes."""
    models, groups = values.shape
    scores[:] = 0.0
    for model in range(models):
        for group in range(groups):
            if values[model, group] >= 0:
                scores[group, values[model, group]] += 1.0
    for group in range(groups):
        for code in range(scores.shape[1]):
            scores[group, code] = log(scores[group, code]) if scores[group, code] > 0 else -inf


@kernel
def _to_chances(scores: Array, truth: Array, size: Array) -> float:
    """Turn scores into chances in proportion to exp(score), in whole steps; a bought label has them all."""
    groups, classes = scores.shape
    likelihood = 0.0
    for group in range(groups):
        score = scores[group]
        if truth[group] >= 0:
            likelihood += size[group] * score[truth[group]]
            score[:] = 0.0
            score[truth[group]] = 1.0
            continue
        highest, total = score.max(), 0.0
        for code in range(classes):
            away = score[code] - highest
            score[code] = exp(away) if away > GONE else 0.0
            total += score[code]
        likelihood += size[group] * (highest + log(total))
        for code in range(classes):
            if score[code] > 0:
                score[code] = np.rint(score[code] / (total * STEP)) * STEP
    return likelihood


@kernel
def _above_zero(chances: Array) -> tuple[Array, Array, Array]:
    """How many chances of each row are above zero; then their classes, and the chances."""
    groups, classes = chances.shape
    count = np.zeros(groups, dtype=np.int64)
    for group in range(groups):
        for code in range(classes):
            count[group] += chances[group, code] > 0
    codes, kept, place = np.empty(count.sum(), dtype=np.int32), np.empty(count.sum()), 0
    for group in range(groups):
        for code in range(classes):
            if chances[group, code] > 0:
                codes[place], kept[place] = code, chances[group, code]
                place += 1
    return count, codes, kept


@kernel
def _mean_chance(values: Array, size: Array, start: Array, codes: Array, chances: Array) -> Array:
    models, groups = values.shape
    mean = np.empty(models)
    for model in range(models):
        right, said = 0.0, 0.0
        for group in range(groups):
            if values[model, group] >= 0:
                said += size[group]
                for place in range(start[group], start[group + 1]):
                    if codes[place] == values[model, group]:
                        right += size[group] * chances[place]
        mean[model] = right / said if said > 0 else np.nan
    return mean
