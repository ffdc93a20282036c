"""SDS: samples that discriminate between good and bad models (item discrimination)."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Picker, PlannedPicker
from adjudge.core.votes import vote_and_agreement
from adjudge.errors import InputError

BLOCK = 1 << 16  # samples that are compared together: short numbers, in blocks that stay in a processor cache


@dataclass(frozen=True)
class SDS:
    """Label samples that the models of the top group get right and those of the bottom group wrong.

    The majority vote stands for the label. Models are scored against it; the best and the worst 27% form two groups. A
    sample's discrimination is the share of the top group that agrees with the vote minus that of the bottom group, and
    the labels are drawn from the 25% with the highest. Groups and candidates are rounded down, but have at least one
    member. The seed breaks ties: a tied vote goes to the class of a random model among the voters of the winners; tied
    scores and discriminations are in random order. Class codes have no influence. When the candidates run out, the
    other samples follow by discrimination.

    Parameters
    ----------
    group
        The share of best and of worst models that are compared (Ebel 1954; Algorithm 1, line 24).
    candidates
        The share of samples to draw from (Algorithm 1, line 37).
    skip
        The share of samples with a higher discrimination that are left out (Figure 8).

    References
    ----------
    L. Meng et al. 2021, "Measuring Discrimination to Boost Comparative Testing for Multiple Deep Learning Models".
    https://doi.org/10.1109/ICSE43902.2021.00045
    """

    group: float = 0.27
    candidates: float = 0.25
    skip: float = 0.0
    reference: ClassVar[str] = "Meng et al. 2021 (SDS)"
    needs: ClassVar[tuple[str, ...]] = ("classes",)
    draws: ClassVar[bool] = False  # samples that are not candidates cannot be drawn
    ranker: ClassVar[str] = "labeled"
    by_parts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (0 < self.group <= 0.5 and 0 < self.candidates <= 1 and 0 <= self.skip < 1):
            raise InputError(
                f"SDS takes a group share in (0, 0.5], a candidate share in (0, 1] and a skipped share in [0, 1); "
                f"these are {self.group:g}, {self.candidates:g} and {self.skip:g}"
            )

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        rng = np.random.default_rng(seed)
        score = self.discrimination(predictions, seed)
        shuffled = rng.permutation(len(score))
        best_first = shuffled[np.argsort(-score[shuffled], kind="stable")]
        begin = int(self.skip * len(score))
        end = begin + max(1, int(self.candidates * len(score)))
        chosen = rng.permutation(best_first[begin:end])
        return PlannedPicker(np.concatenate([chosen, best_first[end:], best_first[:begin]]))

    def discrimination(self, predictions: Predictions, seed: int = 0) -> FloatArray:
        """(samples,): from -1 to 1, how much better the top group does than the bottom group."""
        rng = np.random.default_rng([seed, 1])
        vote, agreeing = vote_and_agreement(predictions, rng)
        shuffled = rng.permutation(len(predictions.models))
        best_first = shuffled[np.argsort(-agreeing[shuffled], kind="stable")]
        size = max(1, int(self.group * len(best_first)))
        groups = best_first[:size], best_first[-size:]
        return _difference(predictions.over_parts(partial(_agreeing, groups), vote), size, len(vote))


def _agreeing(groups: tuple[IntArray, IntArray], part: Predictions, vote: Array) -> tuple[Array, Array]:
    """(samples,) for each group: how many of its models agree with the vote; short numbers, which a cluster sends."""
    values, named = np.asarray(part.values), vote >= 0  # where no model names a class, what is missing is not the vote
    top, bottom = (np.zeros(len(vote), dtype=np.min_scalar_type(len(models))) for models in groups)
    for start in range(0, len(vote), BLOCK):
        some = slice(start, start + BLOCK)
        for models, agreeing in zip(groups, (top, bottom), strict=True):
            for model in models:
                agreeing[some] += (values[model, some] == vote[some]).view(np.uint8)
            agreeing[some] *= named[some]
    return top, bottom


def _difference(parts: Iterable[tuple[Array, Array]], size: int, samples: int) -> FloatArray:
    """(samples,): the shares of two groups of this size that agree, subtracted."""
    found, end = np.empty(samples), 0
    for top, bottom in parts:
        for start in range(0, len(top), BLOCK):
            some = slice(start, start + BLOCK)
            begin, end = end, end + len(top[some])
            np.subtract(top[some] / size, bottom[some] / size, out=found[begin:end])
    return found
