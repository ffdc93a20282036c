"""Expectation-maximization with a confusion matrix for each model (Dawid and Skene 1979), in bounded memory."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import exp, inf, log

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.kernels import kernel
from adjudge.core.predictions import Predictions
from adjudge.core.votes import votes
from adjudge.methods.patterns import column_patterns
from adjudge.methods.peers.confusion_scores import (
    BLOCK,
    PSEUDO_COUNT,
    add_by_answer,
    add_by_table,
    confusion_counts,
    log_confusions,
)

STEP = 2.0**-34  # probabilities are multiples of it: sums over half a million samples do not depend on their order
GONE = log(STEP / 4)  # a log probability so far below the highest rounds to zero
SCORES = 1 << 24  # numbers held at a time (groups x classes): 128 MB
TABLES = 1 << 20  # cells of all confusion matrices that are held at a time: 8 MB stay in a processor cache


@dataclass(frozen=True, eq=False)
class SparsePosterior:
    """The class probabilities of each group, without zeros: those of group i are start[i] : start[i + 1]."""

    start: IntArray
    code: Array
    probability: FloatArray


@dataclass(frozen=True, eq=False)
class Parameters:
    """What the M step finds; many confusion matrices are not held, but counted from `source` in the E step."""

    log_prior: FloatArray  # (classes,): logarithms of the class shares
    whole: FloatArray  # (classes,): expected number of samples
    source: SparsePosterior | None = None
    table: FloatArray | None = None  # (models, prediction, truth): logarithms of the confusion matrices


@dataclass(frozen=True, eq=False)
class Counts:
    """What the M step needs to know about the samples; that of two parts of a pool is the sum of theirs."""

    whole: FloatArray  # (classes,): expected number of samples
    table: FloatArray  # (models, prediction, truth): of predictions
    likelihood: FloatArray  # (): the logarithm, of the predictions
    n_predicted: FloatArray  # (): predictions
    samples: FloatArray  # (): with a prediction

    def m_step(self) -> Parameters:
        """The class shares and confusion matrices that are most likely."""
        log_prior = np.log(np.maximum(self.whole / self.samples, PSEUDO_COUNT))
        return Parameters(log_prior, self.whole, table=log_confusions(self.table))

    def expected_accuracy(self) -> FloatArray:
        """(models,): the mean probability of a model's predictions; nan for a model without any."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.trace(self.table, axis1=1, axis2=2) / self.table.sum(axis=(1, 2)))


@dataclass(frozen=True, eq=False)
class PredictionGroups:
    """Samples with the same predictions of all models, and the same label, if any."""

    values: Array  # (models, groups)
    truth: Array  # (groups,): the label, or -1
    size: FloatArray  # (groups,): samples
    group: IntArray  # (samples,): the group of each; the number of groups where no model names a class
    classes: int

    @cached_property
    def n_predicted(self) -> float:
        """How many predictions there are."""
        return float(np.count_nonzero(self.values >= 0, axis=0) @ self.size)

    def vote(self) -> SparsePosterior:
        """The shares of the vote; a label has all of it."""
        return self._in_parts(lambda low, scores: _count_votes(self.values[:, low : low + len(scores)], scores))[0]

    def m_step(self, posterior: SparsePosterior) -> Parameters:
        """The class shares that this posterior makes most likely, for more confusion matrices than can be held."""
        whole = self._whole(posterior)
        return Parameters(np.log(np.maximum(whole / self.size.sum(), PSEUDO_COUNT)), whole, posterior)

    def counts(self, posterior: SparsePosterior, likelihood: float) -> Counts:
        """What these samples add to the M step."""
        counted = (self.values, self.size, posterior.start, posterior.code, posterior.probability)
        table = confusion_counts(*counted, self.classes)
        return Counts(self._whole(posterior), table, np.array(likelihood), np.array(self.n_predicted), self.size.sum())

    def _whole(self, posterior: SparsePosterior) -> FloatArray:
        whole = np.zeros(self.classes)
        np.add.at(whole, posterior.code, posterior.probability * np.repeat(self.size, np.diff(posterior.start)))
        return whole

    def e_step(self, parameters: Parameters) -> tuple[SparsePosterior, float]:
        """The posterior by Bayes' rule, and the log-likelihood."""
        source = parameters.source

        def score(low: int, scores: Array) -> None:
            scores[:] = parameters.log_prior
            if parameters.table is not None:
                add_by_table(self.values, parameters.table, low, scores)
            else:
                assert source is not None
                counted = (self.values, self.size, source.start, source.code, source.probability)
                add_by_answer(*counted, parameters.whole, low, scores)

        return self._in_parts(score)

    def expected_accuracy(self, posterior: SparsePosterior) -> FloatArray:
        """(models,): the mean probability of a model's predictions; nan for a model without any."""
        return _mean_probability(self.values, self.size, posterior.start, posterior.code, posterior.probability)

    def for_samples(self, posterior: SparsePosterior) -> FloatArray:
        """(samples, classes): all probabilities; nan where no model names a class."""
        probabilities = np.zeros((len(self.size) + 1, self.classes))
        group = np.repeat(np.arange(len(self.size)), np.diff(posterior.start))
        probabilities[group, posterior.code] = posterior.probability
        probabilities[-1] = np.nan
        return np.asarray(probabilities[self.group])

    def _in_parts(self, score: Callable[[int, Array], None]) -> tuple[SparsePosterior, float]:
        """Probabilities from log scores, for as many groups at a time as memory may hold."""
        groups, rows = len(self.size), max(1, SCORES // self.classes)
        scores = np.empty((min(rows, groups), self.classes))
        parts, likelihood = [], 0.0
        for low in range(0, groups, rows):
            part = scores[: groups - low]
            score(low, part)
            here = slice(low, low + len(part))
            likelihood += _softmax(part, self.truth[here], self.size[here])
            parts.append(_above_zero(part))
        count, code, probability = (np.concatenate(column) for column in zip(*parts, strict=True))
        return SparsePosterior(np.append(0, np.cumsum(count)), code, probability), likelihood


def can_count(models: int, classes: int) -> bool:
    """Whether all confusion matrices can be held at a time."""
    return models * classes**2 <= TABLES


def em_counts(parameters: Parameters | None, part: Predictions, known: IntArray) -> tuple[Array, ...]:
    """The counts of a part under these parameters, as a tuple; None: the vote stands for the truth.

    `known` (samples,) has the codes of labels, or -1.
    """
    groups = cache.get_for(part, "prediction groups", known.tobytes(), lambda: group_samples(part, known))
    if not groups.size.size:
        nothing = np.zeros(groups.classes), np.zeros((len(groups.values), groups.classes, groups.classes))
        return (*nothing, *np.zeros(3))
    posterior, likelihood = (groups.vote(), 0.0) if parameters is None else groups.e_step(parameters)
    return tuple(vars(groups.counts(posterior, likelihood)).values())


def group_samples(predictions: Predictions, known: IntArray) -> PredictionGroups:
    """Group the samples for which some model names a class."""
    present = votes(predictions).majority >= 0
    assert predictions.classes is not None  # or else there would be no votes
    rows = np.vstack([predictions.values, known.astype(predictions.values.dtype)])  # the label is the last row
    first, group = column_patterns(rows)
    order = np.argsort(first)  # as in the pool, so that columns that stand together are read together
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    first, group = first[order], place[group]
    kept = present[first]
    number = np.where(kept, np.cumsum(kept) - 1, np.count_nonzero(kept))
    rows = rows[:, first[kept]]
    size = np.bincount(group)[kept].astype(np.float64)
    return PredictionGroups(rows[:-1], rows[-1], size, number[group], len(predictions.classes))


@kernel
def _count_votes(values: Array, scores: Array) -> None:
    """The logarithms of the vote counts."""
    models, groups = values.shape
    scores[:] = 0.0
    for block in range(0, groups, BLOCK):
        for model in range(models):
            for group in range(block, min(block + BLOCK, groups)):
                if values[model, group] >= 0:
                    scores[group, values[model, group]] += 1.0
    for group in range(groups):
        for code in range(scores.shape[1]):
            scores[group, code] = log(scores[group, code]) if scores[group, code] > 0 else -inf


@kernel
def _softmax(scores: Array, truth: Array, size: Array) -> float:
    """Softmax in place, rounded to whole steps; a label has probability 1. Returns the log-likelihood."""
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
def _above_zero(probabilities: Array) -> tuple[Array, Array, Array]:
    """How many probabilities of each row are above zero; then their classes, and the probabilities."""
    groups, classes = probabilities.shape
    count = np.zeros(groups, dtype=np.int64)
    for group in range(groups):
        for code in range(classes):
            count[group] += probabilities[group, code] > 0
    codes, kept, place = np.empty(count.sum(), dtype=np.int32), np.empty(count.sum()), 0
    for group in range(groups):
        for code in range(classes):
            if probabilities[group, code] > 0:
                codes[place], kept[place] = code, probabilities[group, code]
                place += 1
    return count, codes, kept


@kernel
def _mean_probability(values: Array, size: Array, start: Array, codes: Array, probabilities: Array) -> Array:
    models, groups = values.shape
    mean = np.empty(models)
    for model in range(models):
        right, predicted = 0.0, 0.0
        for group in range(groups):
            if values[model, group] >= 0:
                predicted += size[group]
                for place in range(start[group], start[group + 1]):
                    if codes[place] == values[model, group]:
                        right += size[group] * probabilities[place]
        mean[model] = right / predicted if predicted > 0 else np.nan
    return mean
