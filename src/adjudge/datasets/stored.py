"""Arrays in files: npy, npz and IDX."""

import gzip
import math
from pathlib import Path

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.index import Index
from adjudge.datasets.data import Kind
from adjudge.errors import InputError
from adjudge.readers.arrays import open_archive
from adjudge.readers.files import parsing

IDX_TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
INPUT_KEYS = ("inputs", "images", "data", "x", "x_test", "X", "X_test", "features")
OTHER_KEYS = ("sample_ids", "labels", "class_names")  # what may stand beside the inputs
COLORS = (1, 3)


def read_idx(path: Path) -> Array:
    """The array of an IDX file, such as those of MNIST, packed by gzip or not."""
    with parsing(path), (gzip.open if path.suffix == ".gz" else open)(path, "rb") as opened:
        content = opened.read()
        if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in IDX_TYPES:
            raise InputError(f"{path.name} does not begin as an IDX file does; give one, or another kind of file")
        kind, axes = np.dtype(IDX_TYPES[content[2]]), content[3]
        shape = tuple(np.frombuffer(content, ">u4", axes, offset=4).tolist())
        start = 4 + 4 * axes
        if len(content) != start + math.prod(shape) * kind.itemsize:
            raise InputError(f"{path.name} says that it holds {shape} numbers but does not; it is cut short or damaged")
        return np.frombuffer(content, kind, offset=start).reshape(shape)


def read_archive(path: Path) -> tuple[Array, Index]:
    """The inputs of an npz file, and its sample ids."""
    with open_archive(path) as archive:
        names = [name for name in archive.held if name not in OTHER_KEYS]
        known = [name for name in INPUT_KEYS if name in names]
        if not names or (len(names) > 1 and not known):
            found = ", ".join(map(repr, names)) or "no arrays"
            raise InputError(f"{path.name} holds {found}, and none is named 'inputs'; name the one to run models on so")
        inputs = archive.need(known[0] if known else names[0])
        return inputs, archive.samples(len(inputs) if inputs.ndim else 0)


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
