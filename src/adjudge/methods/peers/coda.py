"""CODA: the sample whose label is expected to tell most about which model is best, by a confusion matrix a model."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.core.protocols import Picker
from adjudge.core.ranking import Estimate, Ranking
from adjudge.core.sampling import choose_highest, still_open
from adjudge.core.votes import votes
from adjudge.errors import MethodError
from adjudge.methods.peers.betas import Beta, Table, best, beta, largest, moments

SMALL = 1e-6  # stands for a sum of zero
UNLIKELY = 1e-12  # the smallest chance in an entropy
CLOSE = 1e-8  # expected entropies nearer than this are equal
CHUNK = 1024  # patterns that are looked at together
LARGEST = 1 << 28  # samples x classes, and models x classes, that a pool may have: 2 GB
MOST_KEPT = 1 << 25  # chances kept from one step to the next: 256 MB

_KEPT: "WeakKeyDictionary[Predictions, dict[tuple[float, ...], tuple[IntArray, Belief]]]" = WeakKeyDictionary()


@dataclass(frozen=True)
class CODA:
    """Label what tells most about which model is best, and rank by the chance of being best.

    Model h says s when the truth is c with a chance theta_hcs, whose rows are Dirichlet. Before any label a row D_hc is
    `strength` * (1 at c and 1 / (C - 1) elsewhere + (1 - `alpha`) * what the model says where the pool says c). A class
    c has the chance pi_i(c) on sample i, proportional to sum_hs D_hcs P_his, with P the probabilities that are given,
    or else the votes. With pi the mean of pi_i, the chance of being best is a mixture over the rows:

        P(h is best) = sum_c pi(c) P(theta_hcc is the largest of all models').

    Next comes the disputed sample after whose label this has the lowest expected entropy, if the label weighed
    `hypothetical`; in truth it counts `learning_rate`. Both weights are the authors'. A model that always says c is the
    best of row c, so it can win although its accuracy is low: see `coda-accuracy`.

    - Exact: samples with the same voters for a class share all that a label of that class would change, and one matrix
      product serves all of them. A label changes one row, so that the others are kept.
    - Where classes tie in what the pool says, each has its part of the sample. Samples on which all models agree come
      last, in random order; the seed breaks ties. A missing prediction is hypothetically wrong, and then not counted.
    """

    alpha: float = 0.9
    strength: float = 2.0
    learning_rate: float = 0.01
    hypothetical: float = 1.0
    reference: ClassVar[str] = "Kay et al. 2025 (CODA, arXiv 2507.23771)"
    needs: ClassVar[tuple[str, ...]] = ("classes",)
    draws: ClassVar[bool] = False
    returns: ClassVar[str] = "chance of being best, no interval"

    def __post_init__(self) -> None:
        if not (0 <= self.alpha <= 1 and self.strength > 0 and self.learning_rate >= 0 and self.hypothetical > 0):
            raise MethodError(
                f"coda has alpha {self.alpha:g}, strength {self.strength:g}, learning_rate {self.learning_rate:g} and "
                f"hypothetical {self.hypothetical:g}; give alpha from 0 to 1, and nothing below 0 or without any weight"
            )

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        chance = self.chance(self.belief(predictions, labels))
        return Ranking.from_log(predictions.models, Estimate.without_interval(chance, "chance of being best"), labels)

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        disputes = Disputes.of(predictions)

        def pick(labels: Labels) -> Pick | None:
            rest = still_open(labels)
            if not rest.size:
                return None
            rng = np.random.default_rng([seed, len(labels)])
            is_open = np.isin(disputes.samples, rest, assume_unique=True)
            if not is_open.any():
                return Pick(int(rng.choice(rest)))
            score = -self.expected_entropy(self.belief(predictions, labels), disputes)
            return choose_highest(disputes.samples[is_open], score[is_open], CLOSE, rng)

        return pick

    def belief(self, predictions: Predictions, labels: Labels) -> "Belief":
        """After the labels, in their order; goes on from the last log about which it was asked, if this one does."""
        kept = _KEPT.setdefault(predictions, {})
        usable = labels.usable
        log = np.stack([labels.sample[usable], labels.value[usable].astype(np.int64)], axis=1)
        begin, now = (self.alpha, self.strength), (self.alpha, self.strength, self.learning_rate)
        if begin not in kept:
            kept[begin] = log[:0], Belief.before_labels(predictions, self.alpha, self.strength)
        seen, belief = kept.get(now, kept[begin])
        if not np.array_equal(log[: len(seen)], seen):
            seen, belief = kept[begin]
        for sample, code in log[len(seen) :]:
            belief = belief.after(predictions, sample, code, self.learning_rate)
        kept[now] = log, belief
        return belief

    def expected_entropy(self, belief: "Belief", disputes: "Disputes") -> FloatArray:
        """(disputed samples,): of the chances of being best, after a label that has the chances of the sample."""
        chance = belief.sample_chance[disputes.samples]
        total = np.zeros(len(disputes.samples))
        for code, if_labeled in enumerate(self.outlooks(belief)):
            entropy = [
                _entropy(if_labeled.offset + if_labeled.factor * rows)
                for rows in disputes.chances(code, if_labeled.right, if_labeled.wrong)
            ]
            total += chance[:, code] * np.concatenate(entropy)[disputes.pattern[code]]
        return total

    def chance(self, belief: "Belief") -> FloatArray:
        """(models,): of being best."""
        return belief.class_chance @ _best_by_row(belief)

    def outlooks(self, belief: "Belief") -> "Iterator[Outlook]":
        """What each class would change as a label."""
        rows, share, weight = _best_by_row(belief), belief.class_chance, self.hypothetical
        mixture = share @ rows
        for code, (right, wrong) in enumerate(zip(belief.right.T, belief.wrong.T, strict=True)):
            offset = mixture - share[code] * rows[code]
            yield Outlook((right + weight, wrong), (right, wrong + weight), offset, float(share[code]))


@dataclass(frozen=True)
class CODAAccuracy(CODA):
    """Label what tells most about which model is best, and rank by the chance of the highest accuracy.

    As `coda`, but the best model is that of the highest accuracy sum_c pi(c) theta_hcc, and not of a row: a model that
    always says the same is good in one row only. The accuracy of a model has the mean and the variance of this sum, and
    is taken to be a beta variable with the same two.
    """

    reference: ClassVar[str] = "Kay et al. 2025 (CODA, arXiv 2507.23771), by accuracy"

    def chance(self, belief: "Belief") -> FloatArray:
        return best(beta(*belief.accuracy()))

    def outlooks(self, belief: "Belief") -> "Iterator[Outlook]":
        mean, variance = belief.accuracy()
        nothing = np.zeros(len(mean))
        for code, (right, wrong) in enumerate(zip(belief.right.T, belief.wrong.T, strict=True)):
            share = belief.class_chance[code]
            before = moments(right, wrong, share)
            moved = [
                beta(mean - before[0] + after[0], variance - before[1] + after[1])
                for after in (
                    moments(right + self.hypothetical, wrong, share),
                    moments(right, wrong + self.hypothetical, share),
                )
            ]
            yield Outlook(moved[0], moved[1], nothing, 1.0)


class Outlook(NamedTuple):
    """Chances of being best after a label: offset + factor * P(the model's beta variable is the largest)."""

    right: Beta  # of a model that said the label
    wrong: Beta  # of one that did not
    offset: FloatArray  # (models,)
    factor: float


@dataclass(frozen=True, eq=False)
class Belief:
    """What is believed after some labels."""

    right: FloatArray  # (models, classes): the diagonal of the Dirichlet rows
    wrong: FloatArray  # (models, classes): the sum of the rest of each row
    weight: FloatArray  # (samples, classes): what the chances of classes are proportional to

    @classmethod
    def before_labels(cls, predictions: Predictions, alpha: float, strength: float) -> "Belief":
        """From what the pool says, one model at a time."""
        counted = votes(predictions)
        assert predictions.classes is not None  # or else there would be no votes
        (models, samples), classes = predictions.values.shape, len(predictions.classes)
        if max(samples, models * classes) * classes > LARGEST:
            raise MethodError(
                f"coda cannot hold {models} models x {samples:,} samples x {classes:,} classes; "
                "take fewer samples, or `model-selector`"
            )
        pooled = sum((_said(predictions, model) for model in range(models)), np.zeros((samples, classes)))
        pooled = pooled == pooled.max(axis=1, keepdims=True)
        pooled = pooled / pooled.sum(axis=1, keepdims=True) * (counted.present > 0)[:, None]
        base = np.full((classes, classes), 1 / max(classes - 1, 1))
        np.fill_diagonal(base, 1.0)
        right, wrong, weight = np.empty((models, classes)), np.empty((models, classes)), np.zeros((samples, classes))
        for model in range(models):
            said = _said(predictions, model)
            confusion = pooled.T @ said
            confusion /= np.maximum(confusion.sum(axis=1, keepdims=True), SMALL)
            rows = strength * (base + (1 - alpha) * confusion)
            right[model] = rows.diagonal()
            wrong[model] = np.maximum(rows.sum(axis=1) - right[model], SMALL)  # a single class is never wrong
            weight += said @ rows.T
        return cls(right, wrong, weight)

    def after(self, predictions: Predictions, sample: int, code: int, learned: float) -> "Belief":
        """With one more label, which counts `learned`."""
        said = predictions.values[:, sample]
        right, wrong, weight = self.right.copy(), self.wrong.copy(), self.weight.copy()
        right[:, code] += learned * (said == code)
        wrong[:, code] += learned * ((said != code) & (said >= 0))
        if predictions.probabilities is None:
            weight[:, code] += learned * ((predictions.values == said[:, None]) & (said[:, None] >= 0)).sum(axis=0)
        else:
            for model in np.flatnonzero(said >= 0):
                weight[:, code] += learned * np.nan_to_num(predictions.probabilities[model, :, said[model]])
        return Belief(right, wrong, weight)

    @property
    def sample_chance(self) -> FloatArray:
        """(samples, classes): of each class; all the same where nothing was said."""
        total = self.weight.sum(axis=1, keepdims=True)
        return np.where(total > 0, self.weight / np.where(total > 0, total, 1.0), 1 / self.weight.shape[1])

    @property
    def class_chance(self) -> FloatArray:
        return np.asarray(self.sample_chance.mean(axis=0))

    def accuracy(self) -> tuple[FloatArray, FloatArray]:
        """(models,) and (models,): mean and variance."""
        mean, variance = moments(self.right, self.wrong, self.class_chance)
        return mean.sum(axis=1), variance.sum(axis=1)


@dataclass(frozen=True, eq=False)
class Disputes:
    """The samples on which models disagree, and for each class the different sets of models that said it."""

    samples: IntArray
    voters: tuple[BoolArray, ...]  # for each class (patterns, models); the first pattern is nobody
    pattern: tuple[Array, ...]  # for each class (disputed samples,)
    kept: dict[int, tuple[Any, list[FloatArray]]] = field(default_factory=dict)  # chances of the last step

    @classmethod
    def of(cls, predictions: Predictions) -> "Disputes":
        samples = np.flatnonzero(~votes(predictions).unanimous)
        assert predictions.classes is not None
        rows = np.ascontiguousarray(predictions.values[:, samples].T)
        found = [_distinct(rows == code) for code in range(len(predictions.classes))]
        return cls(samples, tuple(voters for voters, _ in found), tuple(pattern for _, pattern in found))

    def chances(self, code: int, right: Beta, wrong: Beta) -> list[FloatArray]:
        """Chunks of (patterns, models): of having the largest beta variable; kept while the parameters are the same."""
        parameters = np.stack([*right, *wrong])
        last, rows = self.kept.get(code, (None, []))
        if last is None or not np.array_equal(last, parameters):
            voters, tables = self.voters[code], (Table.of(right), Table.of(wrong))
            rows = [largest(voters[at : at + CHUNK], *tables) for at in range(0, len(voters), CHUNK)]
            if sum(map(len, self.voters)) * parameters.shape[1] <= MOST_KEPT:
                self.kept[code] = parameters, rows
        return rows


def _distinct(voted: BoolArray) -> tuple[BoolArray, Array]:
    """The different rows, after one that is all false, and the place of each row among them."""
    packed = np.packbits(voted, axis=1)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    voters = np.vstack([np.zeros((1, voted.shape[1]), dtype=bool), voted[first]])
    return voters, (place + 1).astype(np.int32)


def _best_by_row(belief: Belief) -> FloatArray:
    """(classes, models): the chance of being best on samples of each class."""
    return np.stack([best(row) for row in zip(belief.right.T, belief.wrong.T, strict=True)])


def _entropy(chance: FloatArray) -> FloatArray:
    likely = np.maximum(chance, UNLIKELY)
    return np.asarray(-(likely * np.log2(likely)).sum(axis=1))


def _said(predictions: Predictions, model: int) -> FloatArray:
    """(samples, classes): the probabilities of a model, or its votes; 0 where it said nothing."""
    if predictions.probabilities is not None:
        return np.asarray(np.nan_to_num(predictions.probabilities[model].astype(np.float64)))
    values = predictions.values[model]
    spoke = np.flatnonzero(values >= 0)
    said = np.zeros((len(values), len(predictions.classes or ())))
    said[spoke, values[spoke]] = 1.0
    return said
