"""GLAD: the ability of each model and the difficulty of each sample, from predictions alone."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.core.votes import vote_agreement, votes
from adjudge.methods.ability import (
    DIGITS,
    HeldParts,
    SampleGroups,
    SamplePart,
    Settings,
    company,
    fit,
    group_samples,
    model_order,
)


@dataclass(frozen=True)
class GLAD:
    """Rank models by their expected accuracy when abilities and the difficulty of samples are fitted together.

    P(model j is right on sample i) = sigmoid(ability_j * exp(beta_i)), and a wrong model predicts each of the other
    classes with the same probability. All abilities and all beta have normal priors of mean 1 and variance 1, and start
    there, so that the first posterior follows the vote. Every round finds the class posterior (E step), then takes 25
    steps of conjugate gradients over all parameters (M step). `laf` is this model on disputed samples only, with priors
    from the vote.

    A label is the truth of its sample in every round. The value is the mean posterior probability of the model's
    predictions. If no sample is disputed the ranking is that of `agreement`. Where the majority is wrong, so is this
    ranking: it has no interval.

    References
    ----------
    J. Whitehill et al. 2009, "Whose Vote Should Count More: Optimal Integration of Labels from Labelers of Unknown
    Expertise". Advances in Neural Information Processing Systems 22.

    Examples
    --------
    >>> said = np.array([[0, 0, 1, 2], [0, 1, 1, 2], [1, 0, 1, 0]])
    >>> pool = Predictions(said, ("a", "b", "c"), range(4), ("x", "y", "z"))
    >>> GLAD().rank(pool, Labels.empty(4)).rank
    array([1, 2, 3])
    """

    reference: ClassVar[str] = "GLAD (Whitehill et al. 2009, NIPS 22)"
    needs: ClassVar[tuple[str, ...]] = ("classes",)
    returns: ClassVar[str] = "expected accuracy, no interval"

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        poll, share = votes(predictions), vote_agreement(predictions, labels)
        if poll.unanimous.all():
            estimate = Estimate.without_interval(share, "agreement")
        else:
            counted = poll.present > 0
            order = model_order(share, company(predictions, counted))
            value = np.empty(len(share))
            value[order] = _expected_accuracy(group_samples(predictions, labels, counted, order))
            estimate = Estimate.without_interval(np.round(value, DIGITS), "expected accuracy")
        return Ranking.from_log(predictions.models, estimate, labels)


def _expected_accuracy(groups: SampleGroups) -> FloatArray:
    """(models,): nan for a model without predictions."""
    parts = HeldParts(SamplePart.begin(groups, np.ones(len(groups.size)), plain=False))
    ability = fit(parts, Settings(np.ones(groups.said.shape[1]), groups.size.sum(), groups.classes, plain=False))
    part, _ = parts.parts[0].expect(ability)
    present = groups.size @ (groups.said != MISSING)
    with np.errstate(invalid="ignore"):
        return np.asarray((groups.size @ part.centered + present / 2) / present)
