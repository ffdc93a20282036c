"""CES: samples whose distribution of a model's last hidden layer is that of the whole pool."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray, locked
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Picker, PlannedPicker
from adjudge.errors import MethodError
from adjudge.methods.papers.ces_authors import AUTHORS, AUTHORS_SECTIONS, authors_terms, improves
from adjudge.methods.papers.ces_sections import Terms, best_group, counted, cross_entropy, cut, divergence

SECTIONS = 20  # Section 4.1
SMALL = 300  # samples up to which a pool is small (Section 4.3.4)
VARIANTS = ("paper", "reversed-kl", *AUTHORS)


@dataclass(frozen=True, eq=False)
class CES:
    """Choose samples whose features are spread like those of the whole pool.

    The range of each of the m units is cut into K equal sections; P_S(z) and P_T(z) are the shares of the pool and of
    the chosen samples in section z. After p random samples, groups of q are added: of some random groups that which
    makes the cross entropy, averaged over units, smallest (Algorithm 1, Equation 8):

        CE(T) = - 1/m * sum over units and sections of P_S(z) log P_T(z).

    The mean over the chosen samples is then close to the mean over the pool, for that model and similar ones. The
    samples are chosen, not drawn: there is no interval, and the mean may be biased.

    - Existing labels count as chosen, so that a plan can be continued.
    - The plan ends with the budget, or with the pool. A budget below p is refused: all samples would be random.
    - Features that are not finite form a section of their own; a constant unit has no influence.

    Parameters
    ----------
    features
        (samples, units): the last hidden layer of one model.
    sections
        K; 0: 20 (Section 4.1), or 19 as in the authors' programs for the mutants.
    first
        p, the random samples to start with; 0: 30, or 5 in a small pool (Sections 4.1 and 4.3.4).
    group
        q (Section 4.1).
    tries
        Random groups tried in each step; 0: 300 in the variant "paper", 30 in the others.
    variant
        "paper" is what the text says: cross entropy and 300 groups; in pools of up to 300 samples p = 5, and the
        Kullback-Leibler divergence KL(P_T || P_S) = sum P_T log(P_T / P_S) in place of the cross entropy.
        "reversed-kl" takes that divergence for every pool, and 30 groups. "authors" and "authors-cross-entropy" follow
        the authors' public programs, with one or the other objective (`methods/papers/ces_authors.py`).

    References
    ----------
    Z. Li et al. 2019, "Boosting Operational DNN Testing Efficiency through Conditioning".
    https://doi.org/10.1145/3338906.3338930
    """

    features: Array | None = None
    sections: int = 0
    first: int = 0
    group: int = 5
    tries: int = 0
    variant: str = "paper"
    reference: ClassVar[str] = "Li et al. 2019 (CES), Algorithm 1"
    needs: ClassVar[tuple[str, ...]] = ("features",)
    draws: ClassVar[bool] = False
    ranker: ClassVar[str] = "labeled"

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise MethodError(f"ces has no variant {self.variant!r}; it has {', '.join(map(repr, VARIANTS))}")
        if self.group < 1 or min(self.sections, self.first, self.tries) < 0:
            raise MethodError(
                f"ces has {self.sections} sections, {self.first} first samples, groups of {self.group} and "
                f"{self.tries} tries; give at least one sample in a group, and nothing below 0"
            )
        if self.features is not None:
            features = np.asarray(self.features)
            if features.ndim != 2 or not features.shape[1] or features.dtype.kind not in "buif":
                raise MethodError(
                    f"the features of ces are {features.dtype} of the shape {features.shape}; give numbers, "
                    "as (samples, units)"
                )
            object.__setattr__(self, "features", locked(features))

    def start(self, predictions: Predictions, given: Labels, budget: int | None, seed: int) -> Picker:
        samples = predictions.values.shape[1]
        if self.features is None:
            raise MethodError(
                "ces needs the features of one model: name it with --model, or give CES(features=...) the outputs of "
                "its last hidden layer, as (samples, units)"
            )
        if len(self.features) != samples:
            raise MethodError(
                f"ces got the features of {len(self.features)} samples for a pool of {samples}; "
                "give one row to each sample, in the order of the pool"
            )
        first = min(self.first or (5 if samples <= SMALL else 30), samples)
        end = samples if budget is None else min(len(given) + budget, samples)
        if end < first:
            raise MethodError(
                f"a budget of {budget} does not reach the {first} random samples that ces starts with; "
                f"give at least {first - len(given)}, or the option first={max(1, end // 2)}"
            )
        rng = np.random.default_rng([seed, len(given)])
        return PlannedPicker(self._plan(given.sample, first, end, rng))

    def _plan(self, given: IntArray, first: int, end: int, rng: np.random.Generator) -> IntArray:
        """The samples to choose, in order, until there are `end` of them together with those given."""
        code, share = self._sectioned
        tries = self.tries or (300 if self.variant == "paper" else 30)
        open_samples = np.setdiff1d(np.arange(len(code)), given)
        chosen = [rng.choice(open_samples, max(0, first - len(given)), replace=False)]
        open_samples = np.setdiff1d(open_samples, chosen[0], assume_unique=True)
        counts = counted(code, np.concatenate([given, chosen[0]]), np.zeros(share.shape, dtype=np.int32))
        while (size := len(code) - len(open_samples)) < end:
            added = min(self.group, end - size)
            terms = self._terms(share, len(code), size + added)
            places = best_group(code, open_samples, rng.random((tries, added)), counts, *terms)
            more = counted(code, open_samples[places], counts)
            if self.variant in AUTHORS and not improves(self.variant, share, (counts, size), (more, size + added)):
                places = rng.choice(len(open_samples), added, replace=False)
                more = counted(code, open_samples[places], counts)
            chosen.append(open_samples[places])
            open_samples, counts = np.delete(open_samples, places), more
        return np.concatenate(chosen)

    def _terms(self, share: FloatArray, samples: int, size: int) -> Terms:
        """What one more of `size` chosen samples changes in the objective."""
        if self.variant in AUTHORS:
            return authors_terms(self.variant, share, size)
        reverse = self.variant == "reversed-kl" or samples <= SMALL
        return divergence(share, size) if reverse else cross_entropy(share, size)

    @cached_property
    def _sectioned(self) -> tuple[Array, FloatArray]:
        """The section of each feature (samples, units), and the share of samples in each (units, sections + 1)."""
        assert self.features is not None
        theirs = self.variant in AUTHORS
        sections = self.sections or (AUTHORS_SECTIONS if theirs else SECTIONS)
        code = cut(self.features, sections, open_ends=theirs)
        counts = counted(code, np.arange(len(code)), np.zeros((code.shape[1], sections + 1), dtype=np.int32))
        return code, counts / len(code)
