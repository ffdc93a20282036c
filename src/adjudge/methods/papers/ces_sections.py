"""The histograms of CES: sections of each unit's range, and the divergence between a sample and the pool."""

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.kernels import kernel

FLOOR = 1e-10  # in place of a share of zero in a logarithm, as in the authors' programs
BLOCK = 1 << 20  # features that are binned at a time
Terms = tuple[FloatArray, FloatArray, FloatArray]  # slope, offset, change


def cut(features: Array, sections: int, *, open_ends: bool = False) -> Array:
    """(samples, units): the section of each feature in the range of its unit; `sections` if it is not a number.

    With `open_ends`, a value on the end of a section is in none either.

    >>> cut(np.array([[0.0, 7.0], [0.5, 7.0], [0.9, np.nan], [1.0, 7.0]]), sections=2).tolist()
    [[0, 0], [1, 0], [1, 2], [1, 0]]
    >>> cut(np.array([[0.0], [0.3], [0.5], [0.9], [1.0]]), sections=2, open_ends=True).tolist()
    [[2], [0], [2], [1], [2]]
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
        place = (_finite(features[block]) - low) / width * sections
        nowhere = np.isnan(place) | (open_ends & (place == np.trunc(place)))
        code[block] = np.where(nowhere, sections, np.minimum(place, sections - 1))  # conversion to integers truncates
    return code


def _finite(features: Array) -> FloatArray:
    numbers = features.astype(np.float64)
    numbers[~np.isfinite(numbers)] = np.nan
    return numbers


# One more sample in a section with c samples changes the objective by slope * change[c] + offset, where T has `size`
# samples with it. Terms that are the same for every group are left out, and so is the mean over units.


def cross_entropy(share: FloatArray, size: int) -> Terms:
    """- P_S log P_T."""
    change = np.diff(np.log(np.maximum(np.arange(size + 1), 1)))
    change[0] = -np.log(FLOOR * size)  # from FLOOR to 1 / size
    return -share, np.zeros_like(share), change


def divergence(share: FloatArray, size: int) -> Terms:
    """P_T log(P_T / P_S), times the size of T."""
    count = np.arange(size + 1)
    return np.ones_like(share), -np.log(np.maximum(share, FLOOR)), np.diff(count * np.log(np.maximum(count, 1)))


def counted(code: Array, samples: IntArray, counts: Array) -> Array:
    """(units, sections + 1): the counts, with some more samples."""
    more = counts.copy()
    _count(code, samples, more)
    return more


@kernel
def _count(code: Array, samples: Array, counts: Array) -> None:
    for sample in samples:
        for unit in range(code.shape[1]):
            counts[unit, code[sample, unit]] += 1


@kernel
def best_group(
    code: Array, open_samples: Array, chances: Array, counts: Array, slope: Array, offset: Array, change: Array
) -> IntArray:
    """Places in `open_samples` of the random group that lowers the objective most; `counts` is as before."""
    tries, group = chances.shape
    best, lowest = np.empty(group, dtype=np.int64), np.inf
    places = np.empty(group, dtype=np.int64)
    for trial in range(tries):
        for member in range(group):  # Floyd's algorithm: every set is equally likely
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
