"""CES: samples on which a model's last hidden layer is spread as it is over the whole pool."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray, locked
from adjudge.core.draws import Walk
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.protocols import Picker
from adjudge.core.votes import kernel
from adjudge.errors import MethodError

SMALL = 300  # samples up to which a pool is small (Section 4.3.4)
FLOOR = 1e-10  # stands for a share of zero in a logarithm, as in the authors' code
BLOCK = 1 << 20  # features that are cut into sections at a time


@dataclass(frozen=True, eq=False)
class CES:
    """Choose samples whose features are spread like those of the whole pool.

    The range of each of the m units is cut into K equal sections; P_S(z) and P_T(z) are the shares of the pool and of
    the chosen samples in section z. After p random samples, groups of q are added: of some random groups that which
    makes the cross entropy, averaged over units, smallest (Algorithm 1, Equation 8):

        CE(T) = - 1/m * sum over units and sections of P_S(z) log P_T(z).

    The mean over the chosen samples is then close to the mean over the pool, for that model and for those like it, but
    it is chosen, not drawn: there is no interval, and over many runs it need not be right on average.

    - `variant="paper"` is what the text says: cross entropy and 300 groups; in pools of up to 300 samples p = 5, and
      the divergence D(P_T, P_S) = sum P_T log(P_T / P_S) in place of the cross entropy.
    - `variant="code"` takes from the authors' code that divergence for every pool, and 30 groups: on their models it
      is the more precise of the two.
    - Labels that exist count as chosen already, so that a plan goes on where it ended.
    - The plan ends with the budget, or with the pool. A budget that does not reach p is refused: it would buy nothing
      but random samples.
    - Features that are not numbers form a section of their own; a unit that never changes does not matter.
    """

    features: Array | None = None  # (samples, units): the last hidden layer of one model
    sections: int = 20  # K (Section 4.1)
    first: int = 0  # p, random samples to start with; 0: 30, or 5 in a small pool (Sections 4.1 and 4.3.4)
    group: int = 5  # q (Section 4.1)
    tries: int = 0  # random groups tried in each step; 0: 300, or 30 in the variant "code"
    variant: str = "paper"
    reference: ClassVar[str] = "Li et al. 2019 (CES), Algorithm 1"
    needs: ClassVar[tuple[str, ...]] = ("features",)
    draws: ClassVar[bool] = False
    ranker: ClassVar[str] = "labeled"

    def __post_init__(self) -> None:
        if self.variant not in ("paper", "code"):
            raise MethodError(f"ces has no variant {self.variant!r}; it has 'paper' and 'code'")
        if min(self.sections, self.group) < 1 or min(self.first, self.tries) < 0:
            raise MethodError(
                f"ces has {self.sections} sections, {self.first} first samples, groups of {self.group} and "
                f"{self.tries} tries; give at least one section and one sample in a group, and nothing below 0"
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
        return Walk(self._plan(given.sample, first, end, rng))

    def _plan(self, given: IntArray, first: int, end: int, rng: np.random.Generator) -> IntArray:
        """The samples to choose, in order, until there are `end` of them together with those given."""
        code, share = self._sectioned
        tries = self.tries or (30 if self.variant == "code" else 300)
        reverse = self.variant == "code" or len(code) <= SMALL
        slope, offset, change = _divergence(share, end) if reverse else _cross_entropy(share, end)
        open_samples = np.setdiff1d(np.arange(len(code)), given)
        chosen = [rng.choice(open_samples, max(0, first - len(given)), replace=False)]
        open_samples = np.setdiff1d(open_samples, chosen[0], assume_unique=True)
        counts = np.zeros(share.shape, dtype=np.int32)
        _count(code, np.concatenate([given, chosen[0]]), counts)
        size = len(code) - len(open_samples)
        while size < end:
            added = min(self.group, end - size)
            size += added
            if not reverse:
                change[0] = -np.log(FLOOR * size)  # from FLOOR to 1 / size
            places = _best_group(code, open_samples, rng.random((tries, added)), counts, slope, offset, change)
            chosen.append(open_samples[places])
            _count(code, chosen[-1], counts)
            open_samples = np.delete(open_samples, places)
        return np.concatenate(chosen)

    @cached_property
    def _sectioned(self) -> tuple[Array, FloatArray]:
        """The section of each feature (samples, units), and the share of samples in each (units, sections + 1)."""
        assert self.features is not None
        code = cut(self.features, self.sections)
        counts = np.zeros((code.shape[1], self.sections + 1), dtype=np.int32)
        _count(code, np.arange(len(code)), counts)
        return code, counts / len(code)


def cut(features: Array, sections: int) -> Array:
    """(samples, units): the section of each feature in the range of its unit; `sections` if it is not a number.

    >>> cut(np.array([[0.0, 7.0], [0.5, 7.0], [0.9, np.nan], [1.0, 7.0]]), sections=2).tolist()
    [[0, 0], [1, 0], [1, 2], [1, 0]]
    """
    samples, units = features.shape
    rows = max(1, BLOCK // units)  # whole samples at a time, so that large features are never copied at once
    blocks = [slice(start, start + rows) for start in range(0, samples, rows)]
    low, high = np.full(units, np.inf), np.full(units, -np.inf)
    for block in blocks:
        numbers = _finite(features[block])
        low, high = np.fmin(low, np.fmin.reduce(numbers)), np.fmax(high, np.fmax.reduce(numbers))
    width = np.where(high > low, high - low, 1.0)
    code = np.empty((samples, units), dtype=np.uint8 if sections < 2**8 else np.uint16)
    for block in blocks:
        place = np.minimum((_finite(features[block]) - low) / width * sections, sections - 1)
        code[block] = np.where(np.isnan(place), sections, place)  # the fraction is cut off
    return code


def _finite(features: Array) -> FloatArray:
    numbers = features.astype(np.float64)
    numbers[~np.isfinite(numbers)] = np.nan
    return numbers


# What one more sample in a section that has c of them changes is slope * change[c] + offset, for a given size of T.
# Terms that are the same for every group are left out, as is the mean over units.


def _cross_entropy(share: FloatArray, end: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """- P_S log P_T; change[0] depends on the size of T."""
    return -share, np.zeros_like(share), np.diff(np.log(np.maximum(np.arange(end + 1), 1)))


def _divergence(share: FloatArray, end: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """P_T log(P_T / P_S), times the size of T."""
    count = np.arange(end + 1)
    return np.ones_like(share), -np.log(np.maximum(share, FLOOR)), np.diff(count * np.log(np.maximum(count, 1)))


@kernel
def _count(code: Array, samples: Array, counts: Array) -> None:
    for sample in samples:
        for unit in range(code.shape[1]):
            counts[unit, code[sample, unit]] += 1


@kernel
def _best_group(
    code: Array, open_samples: Array, chances: Array, counts: Array, slope: Array, offset: Array, change: Array
) -> IntArray:
    """Places in `open_samples` of the random group that lowers the objective most; `counts` is as before."""
    tries, group = chances.shape
    best, lowest = np.empty(group, dtype=np.int64), np.inf
    places = np.empty(group, dtype=np.int64)
    for trial in range(tries):
        for member in range(group):  # Floyd's way to draw a set: each is as likely as any other
            last = len(open_samples) - group + member
            place = int(chances[trial, member] * (last + 1))
            for earlier in range(member):
                if places[earlier] == place:
                    place = last
                    break
            places[member] = place
        total = 0.0
        for member in range(group):
            row = code[open_samples[places[member]]]
            for unit in range(len(row)):
                section = row[unit]
                count = counts[unit, section]
                total += slope[unit, section] * change[count] + offset[unit, section]
                counts[unit, section] = count + 1
        for member in range(group):
            row = code[open_samples[places[member]]]
            for unit in range(len(row)):
                counts[unit, row[unit]] -= 1
        if total < lowest:
            best[:], lowest = places, total
    return best
