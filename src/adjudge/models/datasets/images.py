"""Images: a folder of files, opened when their turn comes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.io.files import parsing
from adjudge.models.extras import extra

SUFFIXES = (".png", ".jpg", ".jpeg")
GRAY = ("1", "L", "LA")
DEEP = ("I", "F")  # how the modes of images with more than 8 bits begin

ADVICE = "it may be damaged or no image, so replace it or take it out"


def find_images(folder: Path) -> list[Path]:
    """The image files of a folder and of the folders in it, by name; hidden ones are left out."""
    return sorted(
        file
        for file in folder.rglob("*")
        if file.suffix.lower() in SUFFIXES
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
        and file.is_file()
    )


class ImageFiles:
    """Images as arrays of (height, width, channels): gray if all of them are, else red, green, blue."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.files = files
        heads = [_head(file) for file in files]
        self.mode = "L" if all(mode in GRAY for mode, _ in heads) else "RGB"
        self.uniform = len({size for _, size in heads}) == 1

    def load(self, first: int, last: int) -> Array | list[Array]:
        images = [self._decoded(file) for file in self.files[first:last]]
        return np.stack(images) if self.uniform else images

    def _decoded(self, file: Path) -> Array:
        with (
            parsing(file, "it may be damaged or cut short, so replace it or take it out"),
            _pillow().open(file) as image,
        ):
            decoded = np.asarray(image.convert(self.mode))
        return decoded[..., np.newaxis] if self.mode == "L" else decoded


def resized(images: Array, shape: tuple[int, int]) -> Array:
    """Images of (samples, height, width, channels) in another size, by bilinear interpolation over what is covered."""
    if images.shape[1:3] == shape:
        return images
    pillow = _pillow()
    height, width = shape
    out = np.empty((len(images), height, width, images.shape[3]), dtype=np.uint8)
    for image, made in zip(images, out, strict=True):
        for channel in range(images.shape[3]):
            plane = pillow.fromarray(np.ascontiguousarray(image[..., channel]))
            made[..., channel] = np.asarray(plane.resize((width, height), pillow.Resampling.BILINEAR))
    return out


def _head(file: Path) -> tuple[str, tuple[int, int]]:
    with parsing(file, ADVICE), _pillow().open(file) as image:
        mode, size = image.mode, image.size
    if mode.startswith(DEEP):
        raise InputError(f"{file.name} has more than 8 bits for each channel; save it with 8")
    return mode, size


def _pillow() -> Any:
    return extra("PIL.Image", "images", "reading or resizing images")
