"""Surprise adequacy: given numbers, or the kernel density of a reference set."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.index import listed
from adjudge.core.predictions import AUXILIARY, Predictions, place_of
from adjudge.errors import MethodError

COMPUTED = "surprise"  # the name of likelihood-based surprise in a pool
FEWEST = 30  # reference samples of a class that make a density of its own
MIN_VARIANCE = 1e-5  # of the largest variance of a unit; smaller ones count as none
MAX_CELLS = 1 << 22  # distances held at a time


def surprise_of(predictions: Predictions, name: str, model: str) -> FloatArray:
    """(samples,): a column of facts or the auxiliary numbers of this name, for this model; nan where one is missing."""
    facts = [] if predictions.columns is None else predictions.columns.column_names
    known = [*facts, *(AUXILIARY + each for each in predictions.auxiliary)]
    there = f"there are {listed(known)}" if known else "there are none"
    if predictions.columns is not None and name in facts:
        found = _as_numbers(predictions.columns.column(name).combine_chunks(), name, there)
    else:
        stored = predictions.auxiliary.get(name.removeprefix(AUXILIARY))
        row = None if stored is None else stored.of(model)
        if row is None:
            how = "name columns of a table with --columns, or store auxiliary_* in an npz"
            if name == COMPUTED:
                how = f"{name!r} is computed from features, so give those of a reference set with --reference"
            whose = "" if stored is None else f" of the model {model!r}"
            raise MethodError(f"there are no numbers {name!r}{whose} about these samples; {there}: {how}")
        found = row.astype(np.float64)
    if not np.isfinite(found).any():
        raise MethodError(f"the column {name!r} holds no finite number; {there}")
    return np.asarray(found)


def _as_numbers(column: pa.Array, name: str, there: str) -> FloatArray:
    """A column as floats; that of a CSV file is text."""
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        bare = pc.utf8_trim_whitespace(column)
        column = pc.if_else(pc.equal(bare, ""), pa.scalar(None, bare.type), bare)
    try:
        return np.asarray(pc.cast(column, pa.float64()).to_numpy(zero_copy_only=False))
    except pa.ArrowException:
        raise MethodError(
            f"the column {name!r} holds {_not_a_number(column)!r}, which is not a number; {there}"
        ) from None


def _not_a_number(column: pa.Array) -> object:
    """The first value that is not a number."""
    for value in column.drop_null():
        try:
            pc.cast(value, pa.float64())
        except pa.ArrowException:
            return value.as_py()
    return None


def likelihood_surprise(
    features: Array, reference: Array, classes: IntArray | None = None, reference_classes: IntArray | None = None
) -> FloatArray:
    """(samples,): likelihood-based surprise adequacy (LSA) of features, against those of a reference set.

    With x the features of a sample and x_1 .. x_n those of the reference, which for a classifier are the samples whose
    predicted class is that of x,

        LSA(x) = - log( 1/n * sum over i of K(x - x_i) ),

    K being the normal density whose covariance is that of the reference times n^(-2 / (units + 4)) (Scott's rule).

    - Units whose variance over the whole reference is below 1e-5 of the largest are left out. In directions in which
      the samples of a class have less than that, their variance counts as that: layers have units that repeat each
      other, and more units than a class has samples.
    - A class of fewer than 30 reference samples, and a sample without a prediction (-1), are compared with the whole
      reference.
    - Reference samples should not be among the samples: a sample is not surprising next to itself.
    - A sample whose features are not all finite has no surprise (nan); such reference samples are left out.

    Parameters
    ----------
    features, reference
        (samples, units) of the same layer of the same model.
    classes, reference_classes
        What the model predicts for these samples. Without them the whole reference counts.

    References
    ----------
    J. Kim et al. 2019, "Guiding Deep Learning System Testing Using Surprise Adequacy". doi 10.1109/ICSE.2019.00108

    Examples
    --------
    >>> reference = np.random.default_rng(0).normal(size=(200, 3))
    >>> near, far = likelihood_surprise(np.array([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0]]), reference)
    >>> bool(near < far)
    True
    """
    features, reference = _checked(features), _checked(reference)
    _check_fit(features, reference, classes, reference_classes)
    finite, usable = (np.asarray(np.isfinite(each).all(axis=1)) for each in (features, reference))
    known, units, floor = _varying_units(reference[usable].astype(np.float64))
    found = np.full(len(features), np.nan)
    for rows, members in _comparison_groups(finite, usable, classes, reference_classes):
        density = _Density.of(known[members], floor)
        size = max(1, MAX_CELLS // max(len(density.white), len(units)))
        for start in range(0, len(rows), size):
            block = rows[start : start + size]
            found[block] = -density.log(features[block][:, units].astype(np.float64))
    return found


def with_surprise(
    predictions: Predictions, model: str, features: Array, reference: Array, reference_classes: IntArray | None = None
) -> Predictions:
    """The pool with the surprise of each sample to a model, which `css` uses with the option by="surprise".

    Parameters
    ----------
    features
        (samples, units): the values of a layer of the model for the pool, as `read_features` reads them.
    reference
        The same for other samples, as `read_reference` reads them.
    reference_classes
        The class codes that the model predicts for these, as `read_reference` reads them.
    """
    place = place_of(model, predictions)
    classes = None if predictions.classes is None else predictions.values[place]
    surprise = likelihood_surprise(features, reference, classes, reference_classes)
    return predictions.with_auxiliary(COMPUTED, surprise)


def _varying_units(reference: FloatArray) -> tuple[FloatArray, BoolArray, float]:
    """The reference without units whose variance is below the floor, (units,): which are left, and the floor."""
    if len(reference) < 2:
        raise MethodError(f"{len(reference)} reference samples have finite features; a density needs at least 2")
    variance = reference.var(axis=0, ddof=1)
    floor = MIN_VARIANCE * variance.max()
    units = variance > floor
    if not units.any():
        raise MethodError("no unit of the reference changes, so nothing in it is surprising; give another layer")
    return reference[:, units], np.asarray(units), float(floor)


def _checked(features: Array) -> Array:
    features = np.asarray(features)
    if features.ndim != 2 or not features.shape[1] or features.dtype.kind not in "buif":
        raise MethodError(
            f"features are numbers, as (samples, units), not {features.dtype} of the shape {features.shape}"
        )
    return features


def _check_fit(features: Array, reference: Array, classes: IntArray | None, reference_classes: IntArray | None) -> None:
    if features.shape[1] != reference.shape[1]:
        raise MethodError(
            f"the features have {features.shape[1]} units and the reference {reference.shape[1]}; "
            "give the same layer of the same model"
        )
    for told, rows, whose in ((classes, features, "samples"), (reference_classes, reference, "reference samples")):
        if told is not None and len(told) != len(rows):
            raise MethodError(f"{len(told)} predicted classes are given for {len(rows)} {whose}; give one for each")


def _comparison_groups(
    finite: BoolArray, usable: BoolArray, classes: IntArray | None, reference_classes: IntArray | None
) -> Iterator[tuple[IntArray, BoolArray]]:
    """Which samples are compared with which of the usable reference samples."""
    group = np.full(len(finite), -1)
    known = np.full(np.count_nonzero(usable), -1)
    if classes is not None and reference_classes is not None:
        known = np.asarray(reference_classes)[usable].astype(np.int64)
        each, count = np.unique(known[known >= 0], return_counts=True)
        group = np.where(np.isin(classes, each[count >= FEWEST]), classes, -1)
    for number in np.unique(group[finite]):
        yield np.flatnonzero(finite & (group == number)), np.full(len(known), True) if number < 0 else known == number


@dataclass(frozen=True, eq=False)
class _Density:
    """A kernel density estimate, in coordinates in which the kernel is the standard normal density."""

    mean: FloatArray  # (units,)
    scale: FloatArray  # (units, units): to those coordinates
    white: FloatArray  # (samples, units): the reference in them
    log_height: float  # log of the kernel at its center, less that of the number of samples

    @classmethod
    def of(cls, reference: FloatArray, floor: float) -> "_Density":
        samples, units = reference.shape
        mean = reference.mean(axis=0)
        centered = reference - mean
        spread, direction = np.linalg.eigh(centered.T @ centered / (samples - 1))
        width = np.sqrt(np.maximum(spread, floor)) * samples ** (-1 / (units + 4))
        scale = direction / width
        log_height = -np.log(width).sum() - units / 2 * np.log(2 * np.pi) - np.log(samples)
        return cls(mean, scale, centered @ scale, float(log_height))

    def log(self, features: FloatArray) -> FloatArray:
        """(samples,): the log of the density."""
        from scipy.special import logsumexp

        points = (features - self.mean) @ self.scale
        squares = (points**2).sum(axis=1)[:, None] + (self.white**2).sum(axis=1) - 2 * points @ self.white.T
        return np.asarray(logsumexp(-np.maximum(squares, 0.0) / 2, axis=1)) + self.log_height
