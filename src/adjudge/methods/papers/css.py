"""CSS: stratified sampling with more draws where one model is least confident, or most surprised."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions, place_of
from adjudge.core.sampling import Picker, PlannedPicker
from adjudge.core.votes import joined
from adjudge.errors import MethodError
from adjudge.methods.papers.surprise import surprise_of

NEEDS = "probabilities, or numbers about samples (--option by=COLUMN)"


@dataclass(frozen=True)
class CSS:
    """Draw most samples from those about which one model is least confident.

    Open samples are sorted by the model's highest probability and cut into strata. With N_h of the N samples and n_h
    of the n draws in stratum h, a draw has the weight (n / N) / (n_h / N_h), so that `drawn` gives the estimate

        accuracy = sum_h N_h / N * (share correct among the n_h draws).          (Equation 4)

    It is precise for a model with well-ranked confidence, and worse than random draws for one that errs where it is
    sure. It is unbiased for all models of the pool, but precise for that one.

    - The n draws are the budget; the plan ends there. Without a budget it is the whole pool in random order.
    - Draws beyond the size of a stratum go to the others in proportion to their shares. Quotas are rounded by largest
      remainders.
    - Every stratum gets a draw, since one without any would bias the estimate. With a budget below the number of
      strata, or a model whose confidence is constant, draws are plain random ones.
    - A sample without probabilities counts as least confident. Ties stay in the order of the pool.

    Parameters
    ----------
    model
        The model whose confidence or surprise counts; None: the first of the pool.
    strata
        Shares of the samples, most confident first (Section 4.1).
    shares
        Shares of the draws (Section 4.1).
    proportional
        Proportional allocation, in place of `shares`.
    by
        Numbers that take the place of confidence: a surprise, high where the model is expected to be wrong. It is a
        column of facts, an array `auxiliary_*` of an npz file, or "surprise", which is computed from features and a
        reference set (--reference, `with_surprise` in Python). Strata then go from the lowest values to the highest,
        and missing ones count as highest. No probabilities are needed. The authors found the surprise of Kim et al.
        2019 ineffective for this (Section 5.2.1).

    References
    ----------
    Z. Li et al. 2019, "Boosting Operational DNN Testing Efficiency through Conditioning".
    https://doi.org/10.1145/3338906.3338930
    """

    model: str | None = None
    strata: tuple[float, ...] = (0.8, 0.1, 0.1)
    shares: tuple[float, ...] = (0.2, 0.4, 0.4)
    proportional: bool = False
    by: str | None = None
    reference: ClassVar[str] = "Li et al. 2019 (CES), Section 3.1"
    needs: ClassVar[tuple[str, ...]] = (NEEDS,)
    draws: ClassVar[bool] = True
    for_budget: ClassVar[bool] = True  # the quotas are those of the whole budget
    ranker: ClassVar[str] = "drawn"
    by_parts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, parts in (("strata", self.strata), ("shares", self.shares)):
            if not parts or min(parts) <= 0 or abs(sum(parts) - 1) > 1e-6:
                raise MethodError(f"the {name} of css are {parts}; give numbers above 0 that sum to 1")
        if len(self.strata) != len(self.shares):
            raise MethodError(
                f"css has {len(self.strata)} strata but {len(self.shares)} shares of draws; give one for each stratum"
            )

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        confidence = self.confidence(predictions)
        surest_first = np.argsort(-confidence, kind="stable")
        open_samples = surest_first[~np.isin(surest_first, given.sample)]
        draws = len(open_samples) if budget is None else min(budget, len(open_samples))
        sizes, quota = self.allocation(confidence[open_samples], draws)
        rng = np.random.default_rng([seed, len(given)])  # continuing a log is a new draw
        first = np.cumsum(sizes) - sizes
        drawn = [
            at + rng.choice(size, count, replace=False) for at, size, count in zip(first, sizes, quota, strict=True)
        ]
        # (n / N) / (n_h / N_h), with a stratum's weight at each of its draws
        weight = np.repeat(draws * sizes / np.maximum(len(open_samples) * quota, 1), quota)
        shuffled = rng.permutation(draws)
        return PlannedPicker(open_samples[np.concatenate(drawn)[shuffled]], weight[shuffled], seen=len(given))

    def confidence(self, predictions: Predictions) -> FloatArray:
        """(samples,): the highest class probability of the model; -1 where it has none.

        With `by` it is the negative surprise, minus infinity where that is missing.
        """
        place = 0 if self.model is None else place_of(self.model, predictions)
        if self.by is None and predictions.probabilities is None:
            raise MethodError(
                "css needs the probabilities of each class, or numbers about samples: --option by=COLUMN; these "
                "predictions have no probabilities"
            )
        return joined(predictions.over_parts(partial(_confidence, self.by, place)))

    def allocation(self, confidence: FloatArray, draws: int) -> tuple[IntArray, IntArray]:
        """The sizes of the strata, and how many draws each gets; `confidence` is sorted, highest first."""
        samples = len(confidence)
        ends = np.round(np.cumsum(self.strata) * samples).astype(np.int64)
        sizes = np.diff(ends, prepend=0)
        if not samples or draws < np.count_nonzero(sizes) or confidence[0] == confidence[-1]:
            return np.array([samples]), np.array([draws])
        return sizes, quotas(draws, sizes, sizes / samples if self.proportional else np.array(self.shares))


def _confidence(by: str | None, model: int, part: Predictions) -> tuple[FloatArray]:
    if by is not None:
        surprise = surprise_of(part, by, part.models[model])
        return (np.where(np.isnan(surprise), -np.inf, -surprise),)
    highest = part.needed_probabilities("css")[model].max(axis=1).astype(np.float64)
    return (np.asarray(np.nan_to_num(highest, nan=-1.0)),)


def quotas(draws: int, sizes: IntArray, shares: FloatArray) -> IntArray:
    """Draws for each stratum: near its share, at least one where it has a sample, at most all it has.

    >>> quotas(35, np.array([8000, 1000, 1000]), np.array([0.2, 0.4, 0.4]))
    array([ 7, 14, 14])
    >>> quotas(20, np.array([80, 2, 10]), np.array([0.2, 0.4, 0.4]))
    array([ 8, 2, 10])
    """
    full = sizes == 0
    while True:
        share = np.where(full, 0.0, shares)
        wanted = np.where(full, sizes, (draws - sizes[full].sum()) * share / max(share.sum(), 1e-300))
        over = ~full & (wanted > sizes)
        if not over.any():
            break
        full |= over
    quota = np.minimum(np.maximum(np.floor(wanted + 1e-9), 1), sizes).astype(np.int64)
    while (left := draws - quota.sum()) != 0:  # fewer than there are strata
        room = quota < sizes if left > 0 else quota > 1
        quota[np.argmax(np.where(room, np.sign(left) * (wanted - quota), -np.inf))] += np.sign(left)
    return quota
