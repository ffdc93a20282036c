"""LaF: the specialty of each model and the difficulty of each sample, from predictions alone."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.core.votes import not_unanimous, vote_agreement
from adjudge.errors import MethodError
from adjudge.methods.ability import DIGITS, HeldParts, SamplePart, Settings, fit, order_of, parts_of
from adjudge.methods.baselines.majority import accuracy_against_vote


@dataclass(frozen=True)
class LaF:
    """Rank models by a specialty that is fitted together with the difficulty of samples, without labels.

    Samples on which all models agree are left out. For the others
    P(model j is right on sample i) = sigmoid(specialty_j * ease_i), and a wrong model predicts each of the other
    classes with the same probability. Expectation-maximization starts from the vote: specialty_j is the accuracy of j
    against it. Every round finds the class posterior (E step), then takes 25 steps of conjugate gradients over all
    parameters (M step).

    A label is the truth of its sample, in the start and in every round. A model without a prediction on any disputed
    sample has no specialty (nan). If no sample is disputed the ranking is that of `agreement`. Where the majority is
    wrong, so is this ranking: it has no interval. 25 steps end before the maximum, so the second decimal of a specialty
    may depend on rounding. To keep it from depending on the order of models, samples or class codes as well, the fit
    sorts them.

    Parameters
    ----------
    variant
        "code", the authors' program: ease_i = exp(beta_i), beta_i starts at the share of models that voted with the
        majority, and all parameters have normal priors of variance 1 around their start. "paper", the text:
        ease_i = alpha_i, which starts at the share of models that voted *against* the majority, and no priors. This
        likelihood has no maximum: the numbers depend on where the optimization ends.
    lowest_code
        Whether the lowest code wins a tied vote, as in the authors' program; by default it is settled as by `majority`.

    References
    ----------
    Y. Guo et al. 2022, "Labeling-Free Comparison Testing of Deep Learning Models". arXiv 2204.03994

    Examples
    --------
    >>> said = np.array([[0, 0, 1, 2], [0, 1, 1, 2], [1, 0, 1, 0]])
    >>> pool = Predictions(said, ("a", "b", "c"), range(4), ("x", "y", "z"))
    >>> LaF().rank(pool, Labels.empty(4)).rank
    array([1, 2, 3])
    """

    variant: Literal["code", "paper"] = "code"
    lowest_code: bool = False
    reference: ClassVar[str] = "LaF (Guo et al. 2022, arXiv 2204.03994)"
    needs: ClassVar[tuple[str, ...]] = ("classes",)
    returns: ClassVar[str] = "specialty, no interval"
    by_parts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.variant not in ("code", "paper"):
            raise MethodError(f"LaF has no variant {self.variant!r}; use 'code' or 'paper'")

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        disputed = not_unanimous(predictions)
        if disputed.any():
            value, _ = self._fitted(predictions, labels, disputed)
            estimate = Estimate.without_interval(value, "specialty")
        else:
            estimate = Estimate.without_interval(vote_agreement(predictions, labels), "agreement")
        return Ranking.from_log(predictions.models, estimate, labels)

    def difficulty(self, predictions: Predictions, labels: Labels | None = None) -> FloatArray:
        """(samples,): the difficulty of each sample, as fitted together with the specialties; higher is harder.

        It is the negative parameter of the sample: ease_i = exp(-difficulty_i) in the variant "code", and
        ease_i = -difficulty_i in "paper". The harder a sample, the less it depends on the specialty of a model whether
        that model is right. nan where all models agree: these samples are left out of the fit.

        >>> said = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 1], [0, 1, 0]])
        >>> LaF().difficulty(Predictions(said, ("a", "b", "c", "d"), range(3), ("x", "y"))).round(1)
        array([ nan, -1.3, -0.8])
        """
        disputed = not_unanimous(predictions)
        found = np.full(len(disputed), np.nan)
        if disputed.any():
            given = Labels.empty(len(disputed)) if labels is None else labels
            parts = self._fitted(predictions, given, disputed)[1]
            found[disputed] = -np.concatenate(parts.each(_parameters))
        return found

    def _fitted(self, predictions: Predictions, labels: Labels, disputed: BoolArray) -> tuple[FloatArray, HeldParts]:
        """(models,): specialties, nan without predictions; and the parts, which have the parameters of samples.

        The fit starts from the accuracy against the vote, and from the share of the models that voted with it.
        """
        plain = self.variant == "paper"
        start = accuracy_against_vote(predictions, labels, disputed, lowest_code=self.lowest_code)
        silent = np.isnan(start)
        # any start will do for a model without predictions: the likelihood does not depend on it
        start = np.asarray(np.where(silent, np.mean(start[~silent]), start).round(DIGITS))
        order = order_of(predictions, start, disputed)
        parts = parts_of(
            predictions,
            labels,
            disputed,
            order,
            lambda groups: SamplePart.begin(groups, 1 - groups.share if plain else groups.share, plain),
        )
        ability = fit(parts, Settings(start[order], float(disputed.sum()), parts.parts[0].groups.classes, plain))
        specialty = np.empty(len(start))
        specialty[order] = np.round(ability, DIGITS)
        return np.where(silent, np.nan, specialty), parts


def _parameters(part: SamplePart) -> tuple[SamplePart, FloatArray]:
    """Of each sample, in place of each group."""
    return part, np.round(part.parameter, DIGITS)[part.groups.group]
