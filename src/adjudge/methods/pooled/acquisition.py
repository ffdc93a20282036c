"""What the label of a sample would tell, for each candidate of a belief."""

import numpy as np
from scipy import special

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.kernels import kernel
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.methods.pooled.posterior import SMALLEST, Belief, open_count, top
from adjudge.methods.pooled.slots import NOBODY, TINY, doubts

RIVALS = 12  # models whose distance to the leader is asked about: those of which a label tells most
NO_SPREAD = 1e-6  # variance of a number of right answers below which rounding is all there is


def _first(held: Belief) -> FloatArray:
    """(models, draws): shares of each draw's first place, as far as the draw counts."""
    best = top(held.accuracy)
    return np.asarray(best / best.sum(axis=0) * held.share)


def about_the_best(held: Belief) -> FloatArray:
    """(candidates,): the mutual information between a sample's label and which model is best, in nats."""
    joint_best = _first(held)
    likely = joint_best.sum(axis=1) > 0
    joint_best = joint_best[likely].astype(np.float32).T
    joint = held.chance @ joint_best  # (slots, models)
    best = joint_best.sum(axis=0)
    starts = held.said.first[:-1]
    unnamed = best - np.add.reduceat(joint, starts, axis=0)
    label = np.add.reduceat(_entropy_terms(joint.sum(axis=1)), starts) + _entropy_terms(unnamed.sum(axis=1))
    both = np.add.reduceat(_entropy_terms(joint).sum(axis=1), starts) + _entropy_terms(unnamed).sum(axis=1)
    return np.asarray(np.maximum(both - label - _entropy_terms(best).sum(), 0.0), dtype=np.float64)


def about_the_weights(held: Belief) -> FloatArray:
    """(candidates,): the mutual information between a sample's label and the consensus itself, in nats."""
    label, known = (doubts(chance, held.said.first) for chance in (held.likely[:, None], held.chance))
    return np.asarray(np.maximum(label[:, 0] - known @ held.share.astype(np.float32), 0.0), dtype=np.float64)


def about_the_lead(held: Belief, predictions: Predictions, labels: Labels) -> FloatArray:
    """(candidates,): how much a label tells about which rivals are better than the leader, in nats, summed over these.

    By how much a rival is behind is about normal, with the variance that the consensus and the luck of open labels
    leave. A label that moves what is expected of that by d (mean square) tells d / (2 variance) f(z)^2 / (F(z) F(-z))
    about its sign, z being the distance in standard deviations, f and F those of the normal distribution.
    """
    mean, part = held.accuracy @ held.share, 1 / np.maximum(predictions.said, 1)
    leader = int(mean.argmax())
    rivals = np.flatnonzero(np.isfinite(mean) & (np.arange(len(mean)) != leader))
    behind = held.accuracy[leader] - held.accuracy[rivals]
    distance = behind @ held.share
    spread = ((behind - distance[:, None]) ** 2) @ held.share + _luck_of_lead(held, predictions, labels, leader, rivals)
    least = NO_SPREAD * part[leader] * part[rivals]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = distance / np.sqrt(spread)
        open_sign = np.exp(-(z**2)) / (4 * np.pi * special.ndtr(z) * special.ndtr(-z))
    open_sign = np.where(spread > least, np.nan_to_num(open_sign), 0.0)
    near = np.argsort(-open_sign, kind="stable")[:RIVALS]
    return _moves(
        held.said.slot[:, np.append(leader, rivals[near])],
        held.chance,
        held.likely,
        held.said.first,
        held.share.astype(np.float32),
        (behind - distance[:, None])[near].astype(np.float32),
        part[np.append(leader, rivals[near])],
        open_sign[near] / np.maximum(spread, least)[near],
    )


def _luck_of_lead(held: Belief, predictions: Predictions, labels: Labels, leader: int, rivals: IntArray) -> FloatArray:
    """(rivals,): the variance of the leader's lead that is left when the consensus is known.

    That of `covariances`, for one model against the others only, and from chances that are averaged over draws, which
    makes it up to about twice as large; most of the spread is not luck.
    """
    slot, part = held.said.slot, 1 / np.maximum(predictions.said, 1)
    right = np.where(slot != NOBODY, held.likely[slot], 0.0)
    ours, theirs, our_part, their_part = right[:, [leader]], right[:, rivals], part[leader], part[rivals]
    both = np.where(slot[:, rivals] == slot[:, [leader]], ours, 0.0)
    squares = ours * our_part**2 + theirs * their_part**2 - 2 * both * our_part * their_part
    return np.asarray(open_count(predictions, labels) @ (squares - (ours * our_part - theirs * their_part) ** 2))


@kernel
def _moves(
    slot: Array,
    chance: Array,
    likely: Array,
    first: Array,
    share: Array,
    behind: Array,
    part: Array,
    weight: Array,
) -> FloatArray:
    """(samples,): mean squares of what a label does to the expected distance of each rival, times a weight, summed.

    `slot` is (samples, 1 + rivals), the leader first, `behind` (rivals, draws) with mean zero, `part` what one right
    answer adds to an accuracy.
    """
    samples, rivals, draws = len(slot), len(behind), len(share)
    found = np.zeros(samples)
    value = np.empty(draws, dtype=np.float32)
    for sample in range(samples):
        start, stop = first[sample], first[sample + 1]
        for rival in range(rivals):
            ours, theirs = slot[sample, 0], slot[sample, 1 + rival]
            value[:] = behind[rival]
            if ours >= 0:
                value -= chance[ours] * np.float32(part[0])
            if theirs >= 0:
                value += chance[theirs] * np.float32(part[1 + rival])
            value *= share
            rest, unnamed, squares = 1.0, 0.0, 0.0
            for place in range(start, stop):
                moved = float(np.dot(chance[place], value))
                if place == ours:
                    moved += likely[place] * part[0]
                if place == theirs:
                    moved -= likely[place] * part[1 + rival]
                squares += moved * moved / max(likely[place], TINY)
                rest -= likely[place]
                unnamed -= moved  # all labels together move nothing
            if rest > SMALLEST:
                squares += unnamed * unnamed / rest
            found[sample] += weight[rival] * squares
    return found


def between_contenders(held: Belief) -> FloatArray:
    """(candidates,): how likely the label shows that one of two models is right where the other one said otherwise.

    Both are picked by how often they come first in draws from the consensus. Once that is known, such labels alone can
    tell who is best.
    """
    first = _first(held).sum(axis=1)
    contender = np.flatnonzero(first)
    slot, starts = held.said.slot[:, contender], held.said.first
    spoke = slot != NOBODY
    here = np.bincount(slot[spoke], np.broadcast_to(first[contender], slot.shape)[spoke], len(held.chance))
    otherwise = np.repeat(np.add.reduceat(here, starts[:-1]), np.diff(starts)) - here
    return np.add.reduceat(held.likely * here * otherwise, starts[:-1])


def _entropy_terms(chance: Array) -> Array:
    return np.asarray(chance * np.log(np.maximum(chance, TINY)))
