"""What is in files and arrays, as a short text that differs wherever they do."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from adjudge.core.arrays import Array
from adjudge.io.files import parsing

PART = 1 << 24  # bytes of an array hashed at a time, so that a memory map stays on disk


def hash_files(files: Iterable[Path], names: Iterable[str] | None = None) -> str:
    """A hash of the contents of files, and of what they are called where names are given."""
    digest = hashlib.sha256()
    paths = list(files)
    for file, name in zip(paths, [""] * len(paths) if names is None else names, strict=True):
        with parsing(file, "check that it may be read"), file.open("rb") as opened:
            content = hashlib.file_digest(opened, "sha256").digest()
        digest.update(name.encode() + b"\0" + content)
    return digest.hexdigest()


def hash_array(array: Array) -> str:
    """A hash of the numbers, the type and the shape.

    >>> hash_array(np.arange(3)) == hash_array(np.arange(3.0))
    False
    """
    digest = hashlib.sha256(f"{array.dtype.str} {array.shape}".encode())
    rows = max(1, PART // max(1, array[:1].nbytes)) if len(array) else 1
    for first in range(0, len(array), rows):
        digest.update(np.ascontiguousarray(array[first : first + rows]).tobytes())
    return digest.hexdigest()


def hash_texts(texts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        encoded = text.encode(errors="surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little") + encoded)
    return digest.hexdigest()
