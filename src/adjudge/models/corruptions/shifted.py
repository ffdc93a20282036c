"""Shift of any data: what kinds there are for it, and the same data changed as it is loaded."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module

import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.models.corruptions.images import IMAGES, SEVERITIES, STUDY, check_severity, corrupt
from adjudge.models.datasets import Dataset

TEXTS = ("typos", "token-drop", "case")
TABLES = ("missing-values", "feature-noise")
LABEL_SHIFT = "label-shift"
BY_DATA: Mapping[str, tuple[str, ...]] = {"images": tuple(IMAGES), "text": TEXTS, "table": TABLES}
ALL = "all"
ROWS = 4096  # read at a time


def shifted(data: Dataset, kind: str, severity: int, seed: int = 0) -> Dataset:
    """The same samples under shift; nothing is changed before it is loaded.

    Examples
    --------
    >>> from adjudge.models.datasets import from_texts
    >>> shifted(from_texts(["How good"]), "case", 5).rows(0, 1).tolist()
    ['HOW GOOD']
    """
    kinds = BY_DATA.get(data.kind, ())
    if kind not in kinds:
        told = f"use one of {', '.join(kinds)}" if kinds else "give images as bytes from 0 to 255, texts or a table"
        raise InputError(f"there is no corruption {kind!r} for {data.name}, which holds {data.kind}; {told}")
    check_severity(severity)
    if data.kind == "images":
        change: Callable[[Array, int], Array] = partial(_images, kind, severity, seed)
    else:
        change = partial(_rows, _function(data, kind), kind, severity, seed)
    return data.transformed(change, f"{kind} {severity}, seed {seed}")


def kinds_for(data: Dataset, wanted: str) -> tuple[str, ...]:
    """The kinds that a word on the command line means: all of the study, or those named with commas between."""
    if wanted != ALL:
        return tuple(name.strip() for name in wanted.split(","))
    return tuple(STUDY) if data.kind == "images" else BY_DATA.get(data.kind, ())


def severities_for(wanted: str) -> tuple[int, ...]:
    """The severities that a word on the command line means.

    >>> severities_for("all"), severities_for("1,3")
    ((1, 2, 3, 4, 5), (1, 3))
    """
    if wanted == ALL:
        return SEVERITIES
    found = tuple(int(each) if each.strip().isdecimal() else 0 for each in wanted.split(","))
    for each in found:
        check_severity(each)
    return found


def _images(kind: str, severity: int, seed: int, images: Array, first: int) -> Array:
    return corrupt(images, kind, severity, seed=seed, first=first)


def _rows(function: Callable[..., Array], kind: str, severity: int, seed: int, rows: Array, first: int) -> Array:
    from adjudge.models.corruptions.chance import keys_of

    return function(rows, severity, keys_of(seed, kind, severity, first, len(rows)))


def _function(data: Dataset, kind: str) -> Callable[..., Array]:
    module = import_module(f"adjudge.models.corruptions.{'text' if data.kind == 'text' else 'tables'}")
    function: Callable[..., Array] = getattr(module, kind.replace("-", "_"))
    if data.kind == "text":
        return function
    from adjudge.models.corruptions.tables import spread_of

    batches = (np.asarray(batch.values, dtype=np.float64) for batch in data.batches(ROWS))
    return partial(function, spread=spread_of(batches, len(data.columns)))
