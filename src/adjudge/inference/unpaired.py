"""What a paired test leaves open about two models that are not judged on the same samples, or on how many.

The accuracy of a model is over the samples that it predicts and that can be labeled. With L the sum of the losses of a
model over them, N their number and e = L / N, the difference of two models, of which b predicts at least as many, is

    L_a / N_a - L_b / N_b = (L_a - L_b + e_a (N_b - N_a)) / N_b.

The first difference is a paired sum, in which a missing prediction has no loss. The rest is small where few predictions
are missing, and nothing where none are.

After a skip, N is not known, and a bound on it from few draws would be worth little. So as long as skips are few, an
open sample that nobody can label counts as a tie: what is bounded is the difference times N_b / M_b, with M_b the
number of samples that b predicts but the skipped ones. Both have the same sign, and are the same where nothing was
skipped or no sample is open. If more than a tenth of the samples of some model seems to be of those that nobody can
label, that would be much smaller than the difference of accuracies; then the difference itself is bounded, with a lower
bound on N_b.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.inference.pool_mean import PoolMean

MOST_TIES = (
    0.1  # share of a model's samples that nobody can label, as far as draws tell, up to which they count as ties
)


@dataclass(frozen=True, eq=False)
class Unpaired:
    """Bounds beside the paired sums; arrays are (models,), those of the methods (pairs,)."""

    mean: PoolMean
    mean_loss: tuple[FloatArray, FloatArray]  # of the mean loss
    fewest: FloatArray  # samples that a model predicts and that can be labeled; used where skips are many

    @classmethod
    def certain(cls, mean: PoolMean) -> "Unpaired":
        """What is sure whatever open labels are."""
        nothing = np.zeros(len(mean.open_samples))
        _, low, high = mean.within(nothing, nothing, nothing + 1)
        return cls(mean, (low, high), mean.known.observed.sum(axis=1).astype(float))

    def __post_init__(self) -> None:
        """Nothing is known about a model that predicts nothing."""
        low, high = self.mean_loss
        object.__setattr__(self, "mean_loss", (np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0)))

    def paired(self, one: Array, other: Array) -> BoolArray:
        """Whether the difference follows from the paired sum alone."""
        same = np.all([group[one] == group[other] for group in self.mean.prediction_groups], axis=0)
        return np.asarray(same | (self.mean.complete[one] & self.mean.complete[other]))

    def sums(self, one: Array, other: Array) -> tuple[FloatArray, FloatArray]:
        """Bounds on e_a (N_b - N_a), or its negative where the first model of the pair predicts more."""
        swap = self._swapped(one, other)
        fewer = np.where(swap, other, one)
        ends = [error[fewer] * gap for error in self.mean_loss for gap in self._gaps(fewer, np.where(swap, one, other))]
        low, high = np.min(ends, axis=0), np.max(ends, axis=0)
        low, high = np.where(swap, -high, low), np.where(swap, -low, high)
        sure = self.paired(one, other)
        return np.where(sure, 0.0, low), np.where(sure, 0.0, high)

    def _swapped(self, one: Array, other: Array) -> BoolArray:
        """Whether the first model of the pair predicts more samples than the second."""
        return np.asarray(self.mean.predictions.n_predicted[one] > self.mean.predictions.n_predicted[other])

    def _gaps(self, fewer: Array, other: Array) -> tuple[IntArray, IntArray]:
        """Bounds on the number of samples that one model lacks and that can be labeled, minus that of the other."""
        mean, rows = self.mean, self.mean.known.observed
        labeled = rows.any(axis=0).sum() - rows.sum(axis=1)
        still_open = mean.predictions.values.shape[1] - len(mean.sample) - mean.open_samples
        least, most = labeled + (0 if mean.skips else still_open), labeled + still_open
        return least[fewer] - most[other], most[fewer] - least[other]

    def difference(self, total: FloatArray, one: Array, other: Array, side: int) -> FloatArray:
        """The lower (1) or the upper (-1) end of the difference, given that of the sum of the paired and the rest."""
        more = np.where(self._swapped(one, other), one, other)
        judged = self.mean.known.observed.sum(axis=1)[more]
        most = np.maximum(judged + self.mean.open_samples[more], 1)
        fewest = np.clip(self.fewest[more], np.maximum(judged, 1), most) if self.many_skips else most
        paired = total / np.where(side * total > 0, most, fewest)
        low, high = self.mean_loss
        apart = low[one] - high[other] if side > 0 else high[one] - low[other]
        if (
            self.ties
        ):  # they bring it nearer to zero: of one that is not zero, only the judged samples are sure to count
            apart = apart * np.where(side * apart > 0, judged / most, 1.0)
        return np.where(self.paired(one, other), paired, side * np.maximum(side * paired, side * apart))

    @cached_property
    def ties(self) -> bool:
        """Whether open samples that nobody can label count as ties: there are some, but few."""
        judged = self._judgeable_share[self.mean.predictions.n_predicted > 0]
        return self.mean.skips and bool((judged >= 1 - MOST_TIES).all())

    @property
    def many_skips(self) -> bool:
        return self.mean.skips and not self.ties

    @property
    def present(self) -> FloatArray:
        """(models,): the fewest samples on which a model can be judged; with ties, those that count."""
        judged = self.mean.known.observed.sum(axis=1)
        return np.asarray(np.maximum(self.fewest, judged) if self.many_skips else judged + self.mean.open_samples)

    def without_ties(self, one: Array, other: Array) -> FloatArray:
        """(pairs,): the estimated share of the samples of a difference that can be labeled, N_b / M_b."""
        return np.asarray(self._judgeable_share[np.where(self._swapped(one, other), one, other)])

    @cached_property
    def _judgeable_share(self) -> FloatArray:
        most = self.mean.known.observed.sum(axis=1) + self.mean.open_samples
        return np.asarray(self.mean.n_judgeable / np.maximum(most, 1))
