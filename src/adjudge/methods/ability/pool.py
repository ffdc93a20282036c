"""From a pool to the parts that a fit works on: in memory, or on disk for a pool that is in parts itself."""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from tempfile import TemporaryFile, gettempdir
from typing import Any

import numpy as np

from adjudge.core.arrays import Array, BoolArray, FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.votes import added
from adjudge.errors import MethodError
from adjudge.io.memory import size_in_words
from adjudge.methods.ability.expectation_maximization import HeldParts
from adjudge.methods.ability.groups import SampleGroups, company, group_samples, model_order
from adjudge.methods.ability.part import SamplePart


def order_of(predictions: Predictions, start: FloatArray, counted: BoolArray) -> IntArray:
    """(models,): see `model_order`."""
    return model_order(start, added(predictions.over_parts(_company, counted)))


def parts_of(
    predictions: Predictions,
    labels: Labels,
    counted: BoolArray,
    order: IntArray,
    begin: Callable[[SampleGroups], SamplePart],
) -> HeldParts:
    """The samples that are counted, as parts at the start of a fit."""
    parts = HeldParts()
    for said, truth, share, size, group in predictions.over_parts(partial(_grouped, order), labels.codes, counted):
        if size.size:
            groups = SampleGroups(said, truth, share, size, max(len(predictions.classes or ()), 2), group)
            parts.parts.append(_on_disk(begin(groups)) if predictions.in_parts else begin(groups))
    return parts


def _on_disk(part: SamplePart) -> SamplePart:
    """With what is as large as the predictions in files: what memory has no room for is read again when needed."""
    said, centered = (_mapped(each.shape, each.dtype) for each in (part.groups.said, part.centered))
    said[:] = part.groups.said
    return replace(part, groups=replace(part.groups, said=said), centered=centered)


def _mapped(shape: tuple[int, ...], kind: np.dtype[Any]) -> Array:
    """Zeros in a file that has no name, and is gone with them."""
    size = int(np.prod(shape)) * kind.itemsize
    try:
        with TemporaryFile() as file:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)  # or else a full disk would end the process later
            file.truncate(size)
            return np.asarray(np.memmap(file, kind, "r+", shape=shape))
    except OSError as problem:
        raise MethodError(
            f"{size_in_words(size)} of what this method knows about samples do not fit into {gettempdir()} "
            f"({problem.strerror}); name a folder with more room in TMPDIR, or give more memory (--memory)"
        ) from problem


def _company(part: Predictions, counted: BoolArray) -> tuple[IntArray]:
    return (company(part, counted),)


def _grouped(order: IntArray, part: Predictions, known: IntArray, counted: BoolArray) -> tuple[Array, ...]:
    groups = group_samples(part, known, counted, order)
    return groups.said, groups.truth, groups.share, groups.size, groups.group
