"""Acquisition functions: what the label of each candidate is expected to tell."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

import numpy as np
import scipy  # a part of it is imported where it is first used

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.kernels import kernel
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.methods.pooled.candidates import unlabeled_count
from adjudge.methods.pooled.posterior import MIN_PROBABILITY, Posterior, is_best
from adjudge.methods.pooled.slots import ABSTAINED, LOG_FLOOR, entropies

RIVALS = 12  # models whose gap to the leader counts: those whose sign is least certain
MIN_VARIANCE = 1e-6  # of a number of right predictions, below which there is only rounding
Rest = ParamSpec("Rest")


def _once(
    gain: Callable[Concatenate[Posterior, Rest], FloatArray],
) -> Callable[Concatenate[Posterior, Rest], FloatArray]:
    """Find a gain once for a posterior and for those that differ from it by skips only."""

    @wraps(gain)
    def found(posterior: Posterior, /, *rest: Rest.args, **named: Rest.kwargs) -> FloatArray:
        if gain.__name__ not in posterior.gains:
            posterior.gains[gain.__name__] = gain(posterior, *rest, **named)
        return posterior.gains[gain.__name__]

    return found


@_once
def information_gain_best(posterior: Posterior) -> FloatArray:
    """(candidates,): the mutual information between a sample's label and which model is best, in nats."""
    joint_best = _best_in_draws(posterior)
    possible = joint_best.sum(axis=1) > 0
    joint_best = joint_best[possible].astype(np.float32).T
    joint = posterior.probability @ joint_best  # (slots, models)
    best = joint_best.sum(axis=0)
    starts = posterior.slots.first[:-1]
    rest = best - np.add.reduceat(joint, starts, axis=0)  # classes that no model predicts
    label = np.add.reduceat(_entropy_terms(joint.sum(axis=1)), starts) + _entropy_terms(rest.sum(axis=1))
    both = np.add.reduceat(_entropy_terms(joint).sum(axis=1), starts) + _entropy_terms(rest).sum(axis=1)
    return np.asarray(np.maximum(both - label - _entropy_terms(best).sum(), 0.0), dtype=np.float64)


@_once
def information_gain_parameters(posterior: Posterior) -> FloatArray:
    """(candidates,): the mutual information between a sample's label and the parameters of the consensus, in nats.

    BALD: the entropy of the mean prediction minus the mean entropy of the predictions (Houlsby et al. 2011, arXiv
    1112.5745).
    """
    marginal, given = (
        entropies(each, posterior.slots.first) for each in (posterior.marginal[:, None], posterior.probability)
    )
    gain = marginal[:, 0] - given @ posterior.importance.astype(np.float32)
    return np.asarray(np.maximum(gain, 0.0), dtype=np.float64)


@_once
def information_gain_lead(posterior: Posterior, predictions: Predictions, labels: Labels) -> FloatArray:
    """(candidates,): what a label tells about which rivals are better than the leader, in nats, summed over rivals.

    The gap between the leader and a rival is about normal, with the epistemic variance of the consensus and the
    aleatoric one of the unknown labels. A label that is expected to reduce the variance by d tells
    d / (2 variance) f(z)^2 / (F(z) F(-z)) about the sign of the gap, where z is the gap in standard deviations, and f
    and F are the density and the distribution function of the standard normal distribution.
    """
    mean, one_sample = posterior.accuracy @ posterior.importance, 1 / np.maximum(predictions.n_predicted, 1)
    leader = int(mean.argmax())
    rivals = np.flatnonzero(np.isfinite(mean) & (np.arange(len(mean)) != leader))
    gap = posterior.accuracy[leader] - posterior.accuracy[rivals]
    mean_gap = gap @ posterior.importance
    variance = ((gap - mean_gap[:, None]) ** 2) @ posterior.importance
    variance = variance + _aleatoric_variance(posterior, predictions, labels, leader, rivals)
    least = MIN_VARIANCE * one_sample[leader] * one_sample[rivals]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = mean_gap / np.sqrt(variance)
        about_sign = np.exp(-(z**2)) / (4 * np.pi * scipy.special.ndtr(z) * scipy.special.ndtr(-z))
    about_sign = np.where(variance > least, np.nan_to_num(about_sign), 0.0)
    near = np.argsort(-about_sign, kind="stable")[:RIVALS]
    return _variance_reduction(
        posterior.slots.slot[:, np.append(leader, rivals[near])],
        posterior.probability,
        posterior.marginal,
        posterior.slots.first,
        posterior.importance.astype(np.float32),
        (gap - mean_gap[:, None])[near].astype(np.float32),
        one_sample[np.append(leader, rivals[near])],
        about_sign[near] / np.maximum(variance, least)[near],
    )


@_once
def contender_disagreement(posterior: Posterior) -> FloatArray:
    """(candidates,): the probability that the label shows one of two contenders right, and the other one wrong.

    Two models are drawn independently, each with its probability of being best. Once the consensus is known, only such
    labels can tell which model is best.
    """
    best = _best_in_draws(posterior).sum(axis=1)
    contender = np.flatnonzero(best)
    slot, starts = posterior.slots.slot[:, contender], posterior.slots.first
    named, weight = slot >= 0, np.broadcast_to(best[contender], slot.shape)
    here = np.bincount(slot[named], weight[named], len(posterior.probability))
    judged = np.add.reduceat(here, starts[:-1]) + np.where(slot == ABSTAINED, weight, 0.0).sum(axis=1)
    elsewhere = np.repeat(judged, np.diff(starts)) - here
    return np.add.reduceat(posterior.marginal * here * elsewhere, starts[:-1])


def _best_in_draws(posterior: Posterior) -> FloatArray:
    """(models, draws): the importance weight of each draw, shared by the models that are best in it."""
    best = is_best(posterior.accuracy)
    return np.asarray(best / best.sum(axis=0) * posterior.importance)


def _aleatoric_variance(
    posterior: Posterior, predictions: Predictions, labels: Labels, leader: int, rivals: IntArray
) -> FloatArray:
    """(rivals,): the variance of the leader's gap to each rival that label noise leaves, given the consensus.

    As in `covariances`, for one model against the others only. It uses probabilities averaged over draws, which makes
    it up to about twice as large; most of the variance is not aleatoric.
    """
    slot, one_sample = posterior.slots.slot, 1 / np.maximum(predictions.n_predicted, 1)
    right = np.where(slot >= 0, posterior.marginal[slot], 0.0)
    ours, theirs, our_part, their_part = right[:, [leader]], right[:, rivals], one_sample[leader], one_sample[rivals]
    both = np.where(slot[:, rivals] == slot[:, [leader]], ours, 0.0)
    squares = ours * our_part**2 + theirs * their_part**2 - 2 * both * our_part * their_part
    return np.asarray(unlabeled_count(predictions, labels) @ (squares - (ours * our_part - theirs * their_part) ** 2))


@kernel
def _variance_reduction(
    slot: Array,
    probability: Array,
    marginal: Array,
    first: Array,
    importance: Array,
    gap: Array,
    one_sample: Array,
    weight: Array,
) -> FloatArray:
    """(samples,): the expected reduction of the variance of each rival's gap by a label, weighted and summed.

    That is the mean square of the change of the expected gap. `slot` is (samples, 1 + rivals), the leader first; `gap`
    (rivals, draws) has mean zero; `one_sample` is what one right prediction adds to an accuracy.
    """
    samples, rivals, draws = len(slot), len(gap), len(importance)
    found = np.zeros(samples)
    value = np.empty(draws, dtype=np.float32)
    for sample in range(samples):
        start, stop = first[sample], first[sample + 1]
        for rival in range(rivals):
            ours, theirs = slot[sample, 0], slot[sample, 1 + rival]
            our_part, their_part = np.float32(one_sample[0]), np.float32(one_sample[1 + rival])
            for draw in range(draws):
                value[draw] = gap[rival, draw]
                if ours >= 0:
                    value[draw] -= probability[ours, draw] * our_part
                if theirs >= 0:
                    value[draw] += probability[theirs, draw] * their_part
                value[draw] *= importance[draw]
            rest, rest_moved, squares = 1.0, 0.0, 0.0
            for place in range(start, stop):
                moved = float(np.dot(probability[place], value))
                if place == ours:
                    moved += marginal[place] * one_sample[0]
                if place == theirs:
                    moved -= marginal[place] * one_sample[1 + rival]
                squares += moved * moved / max(marginal[place], LOG_FLOOR)
                rest -= marginal[place]
                rest_moved -= moved  # over all labels, the mean change is zero
            if rest > MIN_PROBABILITY:
                squares += rest_moved * rest_moved / rest
            found[sample] += weight[rival] * squares
    return found


def _entropy_terms(probability: Array) -> Array:
    return np.asarray(probability * np.log(np.maximum(probability, LOG_FLOOR)))
