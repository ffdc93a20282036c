"""GLAD: the ability of each model and the difficulty of each sample, from predictions alone."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.ranking import Estimate, Ranking
from adjudge.core.votes import added, all_unanimous, joined, vote_agreement, votes
from adjudge.methods.ability import DIGITS, HeldParts, SampleGroups, SamplePart, Settings, fit, order_of, parts_of


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
    by_parts: ClassVar[bool] = True

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking:
        share = vote_agreement(predictions, labels)
        if all_unanimous(predictions):
            estimate = Estimate.without_interval(share, "agreement")
        else:
            counted = joined(predictions.over_parts(_predicted))
            order = order_of(predictions, share, counted)
            parts = parts_of(predictions, labels, counted, order, _begin)
            settings = Settings(np.ones(len(order)), float(counted.sum()), parts.parts[0].groups.classes, plain=False)
            value = np.empty(len(share))
            value[order] = _expected_accuracy(parts, fit(parts, settings))
            estimate = Estimate.without_interval(np.round(value, DIGITS), "expected accuracy")
        return Ranking.from_log(predictions.models, estimate, labels)


def _predicted(part: Predictions) -> tuple[BoolArray]:
    return (votes(part).present > 0,)


def _begin(groups: SampleGroups) -> SamplePart:
    return SamplePart.begin(groups, np.ones(len(groups.size)), plain=False)


def _expected_accuracy(parts: HeldParts, ability: FloatArray) -> FloatArray:
    """(models,): nan for a model without predictions."""
    parts.each(partial(SamplePart.expect, ability=ability))
    right, present = added((each,) for each in parts.each(_right_and_present))
    with np.errstate(invalid="ignore"):
        return np.asarray((right + present / 2) / present)


def _right_and_present(part: SamplePart) -> tuple[SamplePart, FloatArray]:
    """(2, models): how many predictions are right, less half of them; and how many there are."""
    size = part.groups.size
    return part, np.stack([size @ part.centered, size @ (part.groups.said != MISSING)])
