"""IDX files, as MNIST and Fashion-MNIST come."""

import gzip
import math
import re
from pathlib import Path

import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.io.files import parsing

IDX_NAME = re.compile(r"idx\d-|\.idx$|\.gz$")
IDX_TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read_idx(path: Path) -> Array:
    """The array of an IDX file, such as those of MNIST, packed by gzip or not."""
    with parsing(path), (gzip.open if path.suffix == ".gz" else open)(path, "rb") as opened:
        content = opened.read()
        if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in IDX_TYPES:
            raise InputError(f"{path.name} is not an IDX file, by its first bytes; give one, or another kind of file")
        kind, axes = np.dtype(IDX_TYPES[content[2]]), content[3]
        shape = tuple(np.frombuffer(content, ">u4", axes, offset=4).tolist())
        start = 4 + 4 * axes
        if len(content) != start + math.prod(shape) * kind.itemsize:
            raise InputError(f"{path.name} says that it holds {shape} numbers but does not; it is cut short or damaged")
        return np.frombuffer(content, kind, offset=start).reshape(shape)
