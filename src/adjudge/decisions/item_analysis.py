"""Item analysis: discrimination and difficulty of each sample from the votes of all models, as for items of a test."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.index import Index, all_ids
from adjudge.core.predictions import Predictions
from adjudge.core.votes import votes
from adjudge.decisions.checks import check_pool
from adjudge.errors import InputError
from adjudge.methods.papers.laf import LaF
from adjudge.methods.papers.sds import SDS
from adjudge.methods.peers.vote_entropy import VoteEntropy

MEASURES = ("discrimination", "difficulty", "entropy", "agreement")


@dataclass(frozen=True, eq=False)
class ItemAnalysis:
    """Four numbers about each sample, all (samples,); nan where nothing is known.

    Attributes
    ----------
    discrimination
        How much better the best models do than the worst, from -1 to 1 (SDS).
    difficulty
        The higher, the harder (LaF); unknown where all models agree.
    entropy
        The entropy of the vote.
    agreement
        The share of the votes that are for the majority class.
    """

    samples: Index
    discrimination: FloatArray
    difficulty: FloatArray
    entropy: FloatArray
    agreement: FloatArray

    def __repr__(self) -> str:
        known = ", ".join(f"{name} of {np.count_nonzero(~np.isnan(getattr(self, name))):,}" for name in MEASURES)
        return f"ItemAnalysis({len(self.samples):,} samples: {known}; to_table() has all)"

    def order(self, by: str) -> IntArray:
        """The samples for which this measure is known, highest first; ties in the order of the pool."""
        number: FloatArray = getattr(self, by)
        known = np.flatnonzero(~np.isnan(number))
        return np.asarray(known[np.argsort(-number[known], kind="stable")])

    def to_table(self) -> pa.Table:
        """A row for each sample, in the order of the pool."""
        numbers = {name: getattr(self, name) for name in MEASURES}
        columns = {name: pa.array(number, mask=np.isnan(number)) for name, number in numbers.items()}
        return pa.table({"sample_id": all_ids(self.samples), **columns})

    def to_dict(self) -> dict[str, object]:
        return {"samples": self.to_table().to_pylist()}


def samples(predictions: Predictions, *, seed: int = 0) -> ItemAnalysis:
    """Discrimination, difficulty, vote entropy and agreement of each sample, from the votes alone.

    No label is used, so where the majority vote is wrong, so are these numbers. The seed breaks ties in the vote.

    Examples
    --------
    >>> from adjudge import from_frame
    >>> pool = from_frame({"id": ["s", "t"], "a": ["cat", "dog"], "b": ["cat", "dog"], "c": ["cat", "cat"]})
    >>> samples(pool).agreement.round(2)
    array([1. , 0.67])
    """
    check_pool(predictions)
    if predictions.classes is None:
        raise InputError(
            "item analysis needs votes for classes, and these predictions are numbers; give predicted classes"
        )
    poll = votes(predictions)
    voted = poll.present > 0
    found = {
        "discrimination": SDS().discrimination(predictions, seed),
        "difficulty": LaF().difficulty(predictions),
        "entropy": VoteEntropy().entropy(predictions),
        "agreement": poll.top / np.maximum(poll.present, 1),
    }
    return ItemAnalysis(predictions.samples, **{name: np.where(voted, each, np.nan) for name, each in found.items()})
