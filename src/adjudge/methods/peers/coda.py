"""CODA: expected information gain about the best model, with a Dirichlet confusion matrix for each model."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.cache import cache
from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.core.sampling import Picker, choose_highest, still_open
from adjudge.core.votes import votes
from adjudge.errors import MethodError
from adjudge.methods.peers.betas import Beta, BetaGrid, beta_from_moments, largest, moments, probability_largest
from adjudge.methods.peers.confusion_posterior import ConfusionPosterior

MIN_PROBABILITY = 1e-12  # in an entropy
CLOSE = 1e-8  # expected entropies that differ by less are equal
BLOCK = 1024  # patterns computed together
MAX_KEPT = 1 << 25  # probabilities kept from one step to the next: 256 MB


@dataclass(frozen=True)
class CODA:
    """Label what tells most about which model is best, and rank by the chance of being best.

    Model h predicts s where the truth is c with probability theta_hcs, and the rows of theta are Dirichlet. Before any
    label a row D_hc is `strength` * (1 at c and 1 / (C - 1) elsewhere + (1 - `alpha`) * the confusion of the model with
    the pooled prediction). Class c has the probability pi_i(c) on sample i, proportional to sum_hs D_hcs P_his, where P
    are the given probabilities, or else the votes. With pi the mean of pi_i, the probability of being best is a mixture
    over the rows:

        P(h is best) = sum_c pi(c) P(theta_hcc is the largest of all models').

    Next comes the disputed sample after whose label this has the lowest expected entropy. A model that always predicts
    c is the best of row c, so it can win although its accuracy is low: see `coda-accuracy`.

    - Exact: samples with the same voters for a class share all that a label of that class would change, and one matrix
      product serves all of them. A label changes one row; the others are reused.
    - A tie in the pooled prediction is split between the tied classes. Samples on which all models agree come last, in
      random order; the seed breaks ties. In an expected entropy, a missing prediction counts as wrong; in an update, it
      does not count.

    Parameters
    ----------
    alpha, strength
        Of the prior of the confusion matrices, as above.
    learning_rate
        How much a label counts once it is known (the authors' value).
    hypothetical
        How much it counts in an expected entropy (the authors' value).

    References
    ----------
    J. Kay et al. 2025, "Consensus-Driven Active Model Selection". arXiv 2507.23771
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
                f"hypothetical {self.hypothetical:g}; give alpha from 0 to 1, learning_rate from 0, the others above 0"
            )

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        best = self.probability_best(self.posterior(predictions, labels))
        return Ranking.from_log(predictions.models, Estimate.without_interval(best, "chance of being best"), labels)

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        disputes = DisputedSamples.of(predictions)

        def pick(labels: Labels) -> Pick | None:
            rest = still_open(labels)
            if not rest.size:
                return None
            rng = np.random.default_rng([seed, len(labels)])
            is_open = np.isin(disputes.samples, rest, assume_unique=True)
            if not is_open.any():
                return Pick(int(rng.choice(rest)))
            score = -self.expected_entropy(self.posterior(predictions, labels), disputes)
            return choose_highest(disputes.samples[is_open], score[is_open], CLOSE, rng)

        return pick

    def posterior(self, predictions: Predictions, labels: Labels) -> ConfusionPosterior:
        """After the labels, in their order; continues from the last log of the pool, if this one starts with it."""
        usable = labels.usable
        log = np.stack([labels.sample[usable], labels.value[usable].astype(np.int64)], axis=1)
        name = ("coda", self.alpha, self.strength, self.learning_rate)
        seen, found = cache.peek(predictions, name) or (log[:0], self._prior(predictions))
        if not np.array_equal(log[: len(seen)], seen):
            seen, found = log[:0], self._prior(predictions)
        for sample, code in log[len(seen) :]:
            found = found.after(predictions, sample, code, self.learning_rate)
        cache.put(predictions, name, (log, found))
        return found

    def _prior(self, predictions: Predictions) -> ConfusionPosterior:
        name = ("coda prior", self.alpha, self.strength)
        return cache.get(
            predictions, name, lambda: ConfusionPosterior.before_labels(predictions, self.alpha, self.strength)
        )

    def expected_entropy(self, posterior: ConfusionPosterior, disputes: "DisputedSamples") -> FloatArray:
        """(disputed samples,): of which model is best, over the classes that the label may be."""
        probability = posterior.sample_probability[disputes.samples]
        total = np.zeros(len(disputes.samples))
        for code, if_labeled in enumerate(self.lookaheads(posterior)):
            entropy = [
                _entropy(if_labeled.offset + if_labeled.factor * rows)
                for rows in disputes.probabilities(code, if_labeled.right, if_labeled.wrong)
            ]
            total += probability[:, code] * np.concatenate(entropy)[disputes.pattern[code]]
        return total

    def probability_best(self, posterior: ConfusionPosterior) -> FloatArray:
        """(models,): the probability of being best."""
        return posterior.class_probability @ _best_by_row(posterior)

    def lookaheads(self, posterior: ConfusionPosterior) -> "Iterator[Lookahead]":
        """What each class would change as a label."""
        rows, share, weight = _best_by_row(posterior), posterior.class_probability, self.hypothetical
        mixture = share @ rows
        for code, (right, wrong) in enumerate(zip(posterior.right.T, posterior.wrong.T, strict=True)):
            offset = mixture - share[code] * rows[code]
            yield Lookahead((right + weight, wrong), (right, wrong + weight), offset, float(share[code]))


@dataclass(frozen=True)
class CODAAccuracy(CODA):
    """Label what tells most about which model is best, and rank by the chance of the highest accuracy.

    As `coda`, but the best model is the one with the highest accuracy sum_c pi(c) theta_hcc, not the best of a row: a
    model that always predicts the same class is good in one row only. The accuracy of a model is approximated by a beta
    variable with the mean and the variance of this sum. Its parameters are those of `coda`.

    References
    ----------
    J. Kay et al. 2025, "Consensus-Driven Active Model Selection". arXiv 2507.23771
    """

    reference: ClassVar[str] = "Kay et al. 2025 (CODA, arXiv 2507.23771), by accuracy"

    def probability_best(self, posterior: ConfusionPosterior) -> FloatArray:
        return probability_largest(beta_from_moments(*posterior.accuracy()))

    def lookaheads(self, posterior: ConfusionPosterior) -> "Iterator[Lookahead]":
        mean, variance = posterior.accuracy()
        nothing = np.zeros(len(mean))
        for code, (right, wrong) in enumerate(zip(posterior.right.T, posterior.wrong.T, strict=True)):
            share = posterior.class_probability[code]
            before = moments(right, wrong, share)
            moved = [
                beta_from_moments(mean - before[0] + after[0], variance - before[1] + after[1])
                for after in (
                    moments(right + self.hypothetical, wrong, share),
                    moments(right, wrong + self.hypothetical, share),
                )
            ]
            yield Lookahead(moved[0], moved[1], nothing, 1.0)


class Lookahead(NamedTuple):
    """Probabilities of being best after a label: offset + factor * P(the model's beta variable is the largest)."""

    right: Beta  # of a model that predicts the label
    wrong: Beta  # of one that does not
    offset: FloatArray  # (models,)
    factor: float


@dataclass(frozen=True, eq=False)
class DisputedSamples:
    """The samples on which models disagree, and for each class the different sets of models that predict it."""

    samples: IntArray
    voters: tuple[BoolArray, ...]  # for each class (patterns, models); the first pattern has no voters
    pattern: tuple[Array, ...]  # for each class (disputed samples,)
    kept: dict[int, tuple[Any, list[FloatArray]]] = field(default_factory=dict)  # probabilities of the last step

    @classmethod
    def of(cls, predictions: Predictions) -> "DisputedSamples":
        samples = np.flatnonzero(~votes(predictions).unanimous)
        assert predictions.classes is not None
        rows = np.ascontiguousarray(predictions.values[:, samples].T)
        found = [_distinct(rows == code) for code in range(len(predictions.classes))]
        return cls(samples, tuple(voters for voters, _ in found), tuple(pattern for _, pattern in found))

    def probabilities(self, code: int, right: Beta, wrong: Beta) -> list[FloatArray]:
        """Blocks of (patterns, models): of having the largest beta variable; kept while the parameters are the same."""
        parameters = np.stack([*right, *wrong])
        last, rows = self.kept.get(code, (None, []))
        if last is None or not np.array_equal(last, parameters):
            voters, grids = self.voters[code], (BetaGrid.of(right), BetaGrid.of(wrong))
            rows = [largest(voters[at : at + BLOCK], *grids) for at in range(0, len(voters), BLOCK)]
            if sum(map(len, self.voters)) * parameters.shape[1] <= MAX_KEPT:
                self.kept[code] = parameters, rows
        return rows


def _distinct(voted: BoolArray) -> tuple[BoolArray, Array]:
    """The different rows, after one that is all false, and the place of each row among them."""
    packed = np.packbits(voted, axis=1)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    voters = np.vstack([np.zeros((1, voted.shape[1]), dtype=bool), voted[first]])
    return voters, (place + 1).astype(np.int32)


def _best_by_row(posterior: ConfusionPosterior) -> FloatArray:
    """(classes, models): the probability of being best on samples of each class."""
    return np.stack([probability_largest(row) for row in zip(posterior.right.T, posterior.wrong.T, strict=True)])


def _entropy(probability: FloatArray) -> FloatArray:
    """(patterns,): in bits."""
    likely = np.maximum(probability, MIN_PROBABILITY)
    return np.asarray(-(likely * np.log2(likely)).sum(axis=1))
