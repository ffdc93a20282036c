"""Dawid-Skene: which classes each model confuses, and what every sample probably is, from predictions alone."""

from dataclasses import dataclass
from math import exp, inf, log
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.estimate import Answer, Estimate
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import kernel, patterns, votes
from adjudge.errors import MethodError

LEAST = 1e-10  # what every cell of a confusion holds, and every class of the prior: no chance is zero
STEP = 2.0**-34  # chances are multiples of it, so that their sums do not depend on the order of half a million samples
GONE = log(STEP / 4)  # a chance whose logarithm lies so far below the highest is no step
SCORES = 1 << 22  # numbers held at a time (samples x classes): 32 MB
DIGITS = 9  # of the expected accuracy: far above what is left of rounding


@dataclass(frozen=True)
class DawidSkene:
    """Rank models by their expected accuracy under a confusion matrix of each model, without labels.

    A class c has the chance prior_c, and where c is the truth, model j says k with the chance e_j[c, k], whatever
    the other models say. Expectation-maximization starts from the shares of the vote, so that tied classes share
    it evenly. Every round counts prior and confusions from the chances of the classes, then finds these chances
    by Bayes' rule, until the log likelihood of a prediction rises by less than `tolerance`, or for `rounds`.

    A bought label is the truth of its sample in every round. The value is the mean chance that what the model
    said is right. Models that make the same mistakes look like experts, and a pool may be turned upside down:
    there is no interval, and a solution that contradicts the vote is reported.

    >>> said = np.array([[0, 0, 1, 1, 0, 1], [0, 0, 1, 1, 1, 1], [0, 1, 1, 0, 0, 0]])
    >>> pool = Predictions(said, ("a", "b", "c"), range(6), ("x", "y"))
    >>> DawidSkene().rank(pool, Labels.empty(6)).rank
    array([1, 2, 3])
    """

    rounds: int = 100
    tolerance: float = 1e-5
    reference: ClassVar[str] = "Dawid and Skene 1979 (J. R. Stat. Soc. C 28)"
    needs: ClassVar[tuple[str, ...]] = ("classes",)
    returns: ClassVar[str] = "expected accuracy, no interval"

    def __post_init__(self) -> None:
        if self.rounds < 0:
            raise MethodError(f"dawid-skene cannot run {self.rounds} rounds; give 0 or more")

    def rank(self, predictions: Predictions, labels: Labels) -> Answer:
        groups, beliefs = self._fit(predictions, labels)
        return Answer.by_value(
            predictions.models,
            Estimate.without_interval(_expected_accuracy(groups, beliefs), "expected accuracy"),
            labels=int(np.count_nonzero(labels.usable)),
            skipped=labels.skipped,
        )

    def posterior(self, predictions: Predictions, labels: Labels) -> FloatArray:
        """(samples, classes): the chance of every class; nan where no model spoke."""
        groups, beliefs = self._fit(predictions, labels)
        chances = np.zeros((len(groups.size), groups.classes))
        chances[np.repeat(np.arange(len(groups.size)), np.diff(beliefs.start)), beliefs.code] = beliefs.chance
        silent = np.full((1, groups.classes), np.nan)
        return np.vstack([chances, silent])[groups.group]

    def _fit(self, predictions: Predictions, labels: Labels) -> tuple["Groups", "Beliefs"]:
        groups = _groups(predictions, labels)
        beliefs, reached = groups.vote(), -inf
        for _ in range(self.rounds):
            beliefs, likelihood = groups.expect(beliefs)
            if not likelihood - reached >= self.tolerance * groups.said:
                break
            reached = likelihood
        return groups, beliefs


@dataclass(frozen=True, eq=False)
class Beliefs:
    """The chances of the classes in each group, without those that are zero: row i is start[i] : start[i + 1]."""

    start: IntArray
    code: Array
    chance: FloatArray


@dataclass(frozen=True, eq=False)
class Groups:
    """Samples about which all models said the same, and which have the same bought label or none."""

    values: Array  # (models, groups)
    truth: Array  # (groups,): the bought label, or -1
    size: FloatArray  # (groups,): samples
    group: IntArray  # (samples,): the group of each; the number of groups where no model spoke
    classes: int

    @property
    def said(self) -> float:
        """How many predictions there are."""
        return float((self.values >= 0).sum(axis=0) @ self.size)

    def vote(self) -> Beliefs:
        """The shares of the vote."""
        return self._in_parts(lambda low, scores: _count_votes(self.values[:, low : low + len(scores)], scores))[0]

    def expect(self, beliefs: Beliefs) -> tuple[Beliefs, float]:
        """The chances under the prior and the confusions that follow from earlier ones, and the log likelihood before."""
        whole = np.zeros(self.classes)
        np.add.at(whole, beliefs.code, beliefs.chance * np.repeat(self.size, np.diff(beliefs.start)))
        prior = np.log(np.maximum(whole / self.size.sum(), LEAST))
        known = (self.size, beliefs.start, beliefs.code, beliefs.chance)

        def score(low: int, scores: Array) -> None:
            scores[:] = 0.0
            common = prior.copy()
            for row in self.values:
                _add_model(row, *known, whole, common, low, scores)
            scores += common

        return self._in_parts(score)

    def _in_parts(self, score) -> tuple[Beliefs, float]:
        """Chances from log scores, for as many groups at a time as memory may hold."""
        rows = max(1, SCORES // self.classes)
        scores = np.empty((min(rows, len(self.size)), self.classes))
        parts, likelihood = [], 0.0
        for low in range(0, len(self.size), rows):
            part = scores[: len(self.size) - low]
            score(low, part)
            here = slice(low, low + len(part))
            *chances, gained = _normalize(part, self.truth[here], self.size[here])
            parts.append(chances)
            likelihood += gained
        count, code, chance = (np.concatenate(column) for column in zip(*parts, strict=True))
        return Beliefs(np.append(0, np.cumsum(count)), code, chance), likelihood


def _groups(predictions: Predictions, labels: Labels) -> Groups:
    spoken = votes(predictions).present > 0
    assert predictions.classes is not None  # or else there would be no votes
    known = np.full(labels.pool, -1, dtype=np.int32)
    known[labels.sample[labels.usable]] = labels.value[labels.usable]
    rows = np.vstack([predictions.values, known.astype(predictions.values.dtype)])
    names = tuple(map(str, range(len(rows))))
    first, group = patterns(Predictions(rows, names, range(labels.pool), predictions.classes))
    kept = spoken[first]
    number = np.where(kept, np.cumsum(kept) - 1, np.count_nonzero(kept))
    rows = rows[:, first[kept]]
    size = np.bincount(group)[kept].astype(np.float64)
    return Groups(rows[:-1], rows[-1], size, number[group], len(predictions.classes))


def _expected_accuracy(groups: Groups, beliefs: Beliefs) -> FloatArray:
    value = _chance_to_be_right(groups.values, groups.size, beliefs.start, beliefs.code, beliefs.chance)
    return np.round(value, DIGITS)


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
def _add_model(
    said: Array,
    size: Array,
    start: Array,
    codes: Array,
    chances: Array,
    whole: Array,
    common: Array,
    low: int,
    scores: Array,
) -> None:
    """Add log e[c, k] for what one model said to the scores of the groups from `low` on.

    A cell of the confusion that no sample fills is the same for all k: it goes to `common`, once for all groups.
    So only cells that are filled cost time, and no confusion is ever held as a whole.
    """
    classes, groups = len(whole), len(said)
    high = low + len(scores)
    # groups in the order of what the model said; first[k] : first[k + 1] said k
    first, order = np.zeros(classes + 1, dtype=np.int64), np.empty(groups, dtype=np.int32)
    total, answers = whole.copy(), 0
    for group in range(groups):
        code = said[group]
        if code >= 0:
            answers += first[code + 1] == 0
            first[code + 1] += 1
        else:
            for place in range(start[group], start[group + 1]):
                total[codes[place]] -= size[group] * chances[place]
    for code in range(classes):
        first[code + 1] += first[code]
    place_of = first[:-1].copy()
    for group in range(groups):
        if said[group] >= 0:
            order[place_of[said[group]]] = group
            place_of[said[group]] += 1
    empty = np.empty(classes)
    for code in range(classes):
        empty[code] = log(LEAST) - log(max(total[code], 0.0) + LEAST * answers)
        common[code] += empty[code]
    for group in range(low, high):
        if said[group] < 0:
            for code in range(classes):
                scores[group - low, code] -= empty[code]
    cell, filled = np.zeros(classes), np.empty(classes, dtype=np.int64)
    for answer in range(classes):
        count = 0
        for at in range(first[answer], first[answer + 1]):
            group = order[at]
            for place in range(start[group], start[group + 1]):
                code = codes[place]
                if cell[code] == 0.0:
                    filled[count] = code
                    count += 1
                cell[code] += size[group] * chances[place]
        for number in range(count):
            cell[filled[number]] = log(cell[filled[number]] / LEAST + 1.0)
        for at in range(first[answer], first[answer + 1]):
            row = order[at] - low
            if row >= 0 and order[at] < high:
                if 4 * count > classes:
                    for code in range(classes):
                        scores[row, code] += cell[code]
                else:
                    for number in range(count):
                        scores[row, filled[number]] += cell[filled[number]]
        for number in range(count):
            cell[filled[number]] = 0.0


@kernel
def _normalize(scores: Array, truth: Array, size: Array) -> tuple[Array, Array, Array, float]:
    """Chances in proportion to exp(score), in whole steps; a bought label has them all."""
    groups, classes = scores.shape
    count = np.zeros(groups, dtype=np.int64)
    likelihood = 0.0
    for group in range(groups):
        if truth[group] >= 0:
            likelihood += size[group] * scores[group, truth[group]]
            scores[group, :] = 0.0
            scores[group, truth[group]] = 1.0
            count[group] = 1
            continue
        highest, total = scores[group].max(), 0.0
        for code in range(classes):
            away = scores[group, code] - highest
            scores[group, code] = exp(away) if away > GONE else 0.0
            total += scores[group, code]
        likelihood += size[group] * (highest + log(total))
        for code in range(classes):
            if scores[group, code] > 0:
                scores[group, code] = np.rint(scores[group, code] / (total * STEP)) * STEP
                count[group] += scores[group, code] > 0
    codes, chances = np.empty(count.sum(), dtype=np.int32), np.empty(count.sum())
    place = 0
    for group in range(groups):
        for code in range(classes):
            if scores[group, code] > 0:
                codes[place], chances[place] = code, scores[group, code]
                place += 1
    return count, codes, chances, likelihood


@kernel
def _chance_to_be_right(values: Array, size: Array, start: Array, codes: Array, chances: Array) -> Array:
    """(models,): the mean chance of what a model said; nan for a model that said nothing."""
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
