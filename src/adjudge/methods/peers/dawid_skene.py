"""Dawid-Skene: the confusion matrix of each model and the class of each sample, from predictions alone."""

from dataclasses import dataclass
from functools import partial
from math import inf
from typing import ClassVar
from warnings import warn

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.core.votes import added, vote_agreement
from adjudge.errors import AdjudgeWarning, MethodError
from adjudge.methods.peers.confusions import (
    Counts,
    Parameters,
    PredictionGroups,
    SparsePosterior,
    can_count,
    em_counts,
    group_samples,
)

DIGITS = 9  # of the expected accuracy: far above what is left of rounding
MANY = 0.25  # share of models worse than guessing from which on a fit is not credible


@dataclass(frozen=True)
class DawidSkene:
    """Rank models by their expected accuracy under a confusion matrix for each model, without labels.

    Class c has the probability prior_c, and where c is the truth, model j predicts k with probability e_j[c, k],
    independently of the other models. Expectation-maximization starts from the shares of the vote, so that tied classes
    share it evenly. Every round counts prior and confusion matrices from the class posterior, then finds the posterior
    by Bayes' rule.

    A label is the truth of its sample in every round. The value is the mean posterior probability of the model's
    predictions; an abstention says nothing about the class, and counts as a mistake. Models that make the same mistakes
    look like experts: there is no interval. If the order runs against the vote, and a quarter of the models or more
    would be worse than guessing, the fit has probably swapped classes (label switching), and a warning says so.

    Parameters
    ----------
    rounds
        Of expectation-maximization, at the most.
    tolerance
        They end when the log-likelihood of a prediction rises by less.

    References
    ----------
    A. P. Dawid and A. M. Skene 1979, "Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm".
    https://doi.org/10.2307/2346806

    Examples
    --------
    >>> said = np.array([[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 0], [0, 1, 0, 1, 0, 1]])
    >>> pool = Predictions(said, ("a", "b", "c"), range(6), ("x", "y"))
    >>> DawidSkene().rank(pool, Labels.empty(6))
    Ranking by expected accuracy, 0 labels
      rank  model  value
         1  a      1.000
         2  b      0.833
         3  c      0.667
    """

    rounds: int = 100
    tolerance: float = 1e-5
    reference: ClassVar[str] = "Dawid and Skene 1979 (J. R. Stat. Soc. C 28)"
    needs: ClassVar[tuple[str, ...]] = ("classes",)
    returns: ClassVar[str] = "expected accuracy, no interval"
    by_parts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise MethodError(f"`rounds` of dawid-skene is {self.rounds}; give 1 or more")

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        classes = len(predictions.classes or ())
        if can_count(len(predictions.models), classes):
            expected = self._counted(predictions, labels)[0].expected_accuracy()
        else:
            groups, posterior = self._fit(predictions, labels)
            expected = groups.expected_accuracy(posterior)
        expected = np.round(expected, DIGITS)
        _warn_if_turned(expected, vote_agreement(predictions, labels), classes)
        value = _of_all_judged(expected, predictions)
        return Ranking.from_log(predictions.models, Estimate.without_interval(value, "expected accuracy"), labels)

    def posterior(self, predictions: Predictions, labels: Labels) -> FloatArray:
        """(samples, classes): the posterior of every class; nan where no model names one."""
        if can_count(len(predictions.models), len(predictions.classes or ())):
            _, parameters = self._counted(predictions, labels)
            groups = group_samples(predictions, labels.codes)
            return groups.for_samples(groups.e_step(parameters)[0])
        groups, posterior = self._fit(predictions, labels)
        return groups.for_samples(posterior)

    def _counted(self, predictions: Predictions, labels: Labels) -> tuple[Counts, Parameters]:
        """Rounds in which every part of the pool is looked at once: its E step, and what it adds to the M step."""
        known, reached = labels.codes, -inf
        counts = _count(predictions, None, known)
        for _ in range(self.rounds):
            parameters = counts.m_step()
            counts = _count(predictions, parameters, known)
            if counts.likelihood - reached < self.tolerance * counts.n_predicted:
                break
            reached = float(counts.likelihood)
        return counts, parameters

    def _fit(self, predictions: Predictions, labels: Labels) -> tuple[PredictionGroups, SparsePosterior]:
        """Rounds over the whole pool, for more confusion matrices than can be held."""
        if predictions.in_parts:
            raise MethodError(
                f"dawid-skene needs all predictions in memory where {len(predictions.models)} confusion matrices of "
                f"{len(predictions.classes or ())} classes are too large to hold; give more memory (--memory)"
            )
        groups = group_samples(predictions, labels.codes)
        posterior, reached = groups.vote(), -inf
        for _ in range(self.rounds):
            posterior, likelihood = groups.e_step(groups.m_step(posterior))
            if likelihood - reached < self.tolerance * groups.n_predicted:
                break
            reached = likelihood
        return groups, posterior


def _of_all_judged(expected: FloatArray, predictions: Predictions) -> FloatArray:
    """(models,): the expected accuracy where a model names a class, with its abstentions as mistakes."""
    judged, abstained = predictions.n_predicted, predictions.n_abstained
    with np.errstate(invalid="ignore"):
        found = expected * ((judged - abstained) / judged)
    return np.where((abstained > 0) & (abstained == judged), 0.0, found)


def _count(predictions: Predictions, parameters: Parameters | None, known: IntArray) -> Counts:
    columns = zip(*predictions.over_parts(partial(em_counts, parameters), known), strict=True)
    return Counts(*(added((each,) for each in column) for column in columns))


def _warn_if_turned(value: FloatArray, agreement: FloatArray, classes: int) -> None:
    known = ~np.isnan(value)
    value, agreement = value[known], agreement[known]
    below = np.count_nonzero(value < 1 / classes)
    against = (value - value.mean()) @ (agreement - agreement.mean()) < 0
    if against and below >= MANY * len(value):
        warn(
            f"dawid-skene turned the vote upside down: its order runs against the agreement with the vote, and {below} "
            f"of {len(value)} models would be worse than guessing; label a few samples before you trust either",
            AdjudgeWarning,
            stacklevel=3,
        )
