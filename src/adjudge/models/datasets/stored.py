"""Arrays that models are run on: which one of an npz file, and whether it holds images."""

from pathlib import Path

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.index import Index
from adjudge.errors import InputError
from adjudge.io.predictions.arrays import Archive, open_archive
from adjudge.models.datasets.data import Kind

INPUT_KEYS = ("inputs", "images", "data", "x", "x_test", "X", "X_test", "features")
OTHER_KEYS = ("sample_ids", "labels", "class_names")  # what may stand beside the inputs
COLORS = (1, 3)


def read_archive(path: Path) -> tuple[Array, Index]:
    """The inputs of an npz file, and its sample ids."""
    with open_archive(path) as archive:
        inputs = archive.need(input_key(archive))
        return inputs, archive.samples(len(inputs) if inputs.ndim else 0)


def input_key(archive: Archive) -> str:
    """The name of the array that models are run on."""
    names = [name for name in archive.held if name not in OTHER_KEYS]
    known = [name for name in INPUT_KEYS if name in names]
    if not names or (len(names) > 1 and not known):
        found = ", ".join(map(repr, names)) or "no arrays"
        raise InputError(
            f"{archive.name} holds {found}, and none is named 'inputs'; give this name to the one that models run on"
        )
    return known[0] if known else names[0]


def as_images(array: Array) -> tuple[Kind, Array]:
    """Bytes in the shape of images become images, channels last; anything else stays an array.

    >>> [as_images(np.zeros(shape, np.uint8))[1].shape for shape in ((2, 8, 8), (2, 8, 8, 3), (2, 3, 8, 8))]
    [(2, 8, 8, 1), (2, 8, 8, 3), (2, 8, 8, 3)]
    """
    if array.dtype != np.uint8 or array.ndim not in (3, 4):
        return "arrays", array
    if array.ndim == 3:
        return "images", array[..., np.newaxis]
    if array.shape[3] in COLORS:
        return "images", array
    return ("images", np.moveaxis(array, 1, 3)) if array.shape[1] in COLORS else ("arrays", array)
