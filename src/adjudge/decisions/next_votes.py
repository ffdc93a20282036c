"""Which two models to compare next, on which sample, and about how many votes it takes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.inference.bradley_terry import Strengths, Votes, win_chance
from adjudge.inference.intervals import student_quantile

MOST = 20.0  # times the votes so far; beyond that, models are called too close


@dataclass(frozen=True)
class NextVote:
    """Two models to compare next, and the sample to do it on; None where samples have no ids."""

    model_a: str
    model_b: str
    sample: str | None = None


def connecting_pairs(votes: Votes, main: int) -> list[tuple[int, int]]:
    """A pair for each group of models that no vote connects with the main one: the most voted models of both."""
    total = votes.counts.sum(axis=1)

    def first_of(group: int) -> int:
        return int(np.argmax(np.where(votes.groups == group, total, -1.0)))

    return [(first_of(main), first_of(group)) for group in np.unique(votes.groups).tolist() if group != main]


def telling_pairs(strengths: Strengths, open_pairs: Sequence[tuple[int, int]], number: int) -> list[tuple[int, int]]:
    """Pairs whose votes make the open differences most precise, one after the other.

    A vote on a pair with the contrast x adds the information w x x', so it lowers the variance of an open difference c
    by w (c'V x)^2 / (1 + w x'V x), where V is the covariance of strengths (a greedy A-optimal design).
    """
    covariance, found = strengths.covariance.copy(), []
    contrasts = np.zeros((len(open_pairs), len(covariance)))
    for row, (left, right) in enumerate(open_pairs):
        contrasts[row, left], contrasts[row, right] = 1.0, -1.0
    weight = _information(strengths)
    for _ in range(number if open_pairs else 0):
        along = contrasts @ covariance
        square = (along**2).sum(axis=0)
        gain = square[:, None] + square[None, :] - 2 * along.T @ along
        variance = np.diag(covariance)[:, None] + np.diag(covariance)[None, :] - 2 * covariance
        first, second = np.unravel_index(
            int(np.argmax(np.triu(weight * gain / (1 + weight * variance), 1))), gain.shape
        )
        left, right = sorted((int(first), int(second)), key=lambda at: -strengths.value[at])
        found.append((left, right))
        change = covariance[left] - covariance[right]
        covariance -= np.outer(change, change) * weight[left, right] / (1 + weight[left, right] * variance[left, right])
    return found


def votes_needed(strengths: Strengths, open_pairs: Sequence[tuple[int, int]], level: float, comparisons: int) -> float:
    """About how many more votes tell the open pairs apart, if strengths are as they look; infinite: too many.

    Each pair needs z^2 / d^2 of information, with d the difference and z the quantile of the level.
    """
    left, right = np.array(open_pairs).T
    quantile = float(student_quantile(level, max(2, strengths.votes.clusters), comparisons))
    apart = np.abs(strengths.value[left] - strengths.value[right])
    with np.errstate(divide="ignore"):
        lacking = (quantile / apart) ** 2 - 1 / strengths.variance(left, right)
    needed = float(np.sum(np.maximum(lacking, 0.0) / _information(strengths)[left, right]))
    return needed if needed < MOST * len(strengths.votes.won) else np.inf


def with_samples(
    pairs: Sequence[tuple[int, int]], votes: Votes, models: Sequence[str], samples: Sequence[str]
) -> Iterator[NextVote]:
    """The pairs by name, each on a sample on which it has no vote yet, and others few, so that votes tell most."""
    asked = np.bincount(votes.cluster, minlength=len(samples)) if samples else np.zeros(0, dtype=np.int64)
    known = {(frozenset((a, b)), at) for a, b, at in zip(votes.first, votes.second, votes.cluster, strict=True)}
    for pair in pairs:
        names, sample = (models[pair[0]], models[pair[1]]), None
        order: IntArray = np.argsort(asked, kind="stable")
        free = next((int(at) for at in order if (frozenset(pair), int(at)) not in known), None)
        if free is not None:
            known.add((frozenset(pair), free))
            asked[free] += 1
            sample = samples[free]
        yield NextVote(*names, sample)


def _information(strengths: Strengths) -> FloatArray:
    """(models, models): of one vote on a pair, less where votes vary more than the model says (design effect)."""
    chance = win_chance(strengths.value[:, None] - strengths.value[None, :])
    inflation = float(np.trace(strengths.covariance) / max(float(np.trace(strengths.naive)), 1e-300))
    return np.asarray(chance * (1 - chance) / inflation)
