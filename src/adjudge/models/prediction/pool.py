"""Results of many models to one pool: the same samples, the same classes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import Array, smallest_code_type
from adjudge.core.index import Index
from adjudge.core.predictions import MISSING, Predictions
from adjudge.errors import InputError
from adjudge.io.predictions.distinct import in_order
from adjudge.models.prediction.kept import Result


@dataclass(frozen=True)
class Agreed:
    """The classes that most models have."""

    classes: tuple[str, ...] | None
    listed: bool = True
    named: bool = True


def agreed(results: Sequence[Result]) -> Agreed:
    """What most models give: numbers, or how many classes, by their names where known; the first of equals."""
    kinds = Counter(result.classes is None for result in results)
    if kinds.most_common(1)[0][0]:
        return Agreed(None)
    results = [result for result in results if result.classes is not None]
    counts = Counter(len(each.classes or ()) for each in results if each.listed)
    usual = counts.most_common(1)[0][0] if counts else 0
    for named in (True, False):
        lists = Counter(each.classes for each in results if each.listed and each.named == named)
        fitting = [classes for classes, _ in lists.most_common() if len(classes or ()) == usual]
        if fitting:
            return Agreed(fitting[0], named=named)
    seen = {name for each in results for name in each.classes or ()}
    return Agreed(in_order(sorted(seen)), listed=False)


def aligned(result: Result, wanted: Agreed) -> Result:
    """The result with its codes and probabilities in the order of the agreed classes."""
    if (result.classes is None) != (wanted.classes is None):
        kinds = ("numbers", "classes") if result.classes is None else ("classes", "numbers")
        raise InputError(f"it gives {kinds[0]} but most models give {kinds[1]}; run it separately")
    if wanted.classes is None or result.classes is None or result.classes == wanted.classes:
        return result
    places = [_place(name, at, result, wanted.classes) for at, name in enumerate(result.classes)]
    table = np.array([*places, MISSING], dtype=smallest_code_type(len(wanted.classes)))
    probabilities = result.probabilities
    if probabilities is not None:
        ordered = np.empty_like(probabilities)
        ordered[:, places] = probabilities
        probabilities = ordered
    return replace(result, values=table[np.asarray(result.values)], classes=wanted.classes, probabilities=probabilities)


def _place(name: str, at: int, result: Result, classes: tuple[str, ...]) -> int:
    assert result.classes is not None
    if result.listed and len(result.classes) != len(classes):
        raise InputError(
            f"it gives {len(result.classes)} classes but most models give {len(classes)}; leave it out, run it "
            "separately, or correct the classes in its TOML"
        )
    if not result.named:
        return at
    if name in classes:
        return classes.index(name)
    if not result.listed and name.isdigit() and int(name) < len(classes):
        return int(name)
    raise InputError(
        f"it predicts {name!r}, which is not among the {len(classes)} classes of most models; use the same names"
    )


def pool_of(results: Sequence[Result], wanted: Agreed, samples: Index) -> Predictions:
    """The pool of results that were aligned."""
    kind = np.dtype(np.float64) if wanted.classes is None else smallest_code_type(len(wanted.classes))
    values = np.stack([np.asarray(result.values, dtype=kind) for result in results])
    probabilities: Array | None = None
    if wanted.classes is not None and any(result.probabilities is not None for result in results):
        probabilities = np.full((*values.shape, len(wanted.classes)), np.nan, dtype=np.float32)
        for row, result in zip(probabilities, results, strict=True):
            if result.probabilities is not None:
                row[:] = result.probabilities
    names = tuple(result.name for result in results)
    declared = wanted.listed and wanted.classes is not None
    return Predictions(values, names, samples, wanted.classes, probabilities, declared=declared)
