"""What a device or a program does to an image."""

import io

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.kernels import kernel
from adjudge.models.corruptions.filters import clouds, pulled, scale_of
from adjudge.models.extras import extra

CONTRAST = (0.60, 0.42, 0.28, 0.17, 0.09)
PULL = (1.2, 2.0, 2.9, 3.9, 5.0)  # pixels, at most
BLOCK = (1.5, 2.2, 3.0, 4.2, 6.4)
QUALITY = (22, 12, 7, 4, 2)


def contrast(images: Array, severity: int, keys: Array) -> Array:
    """Everything nearer to the image's mean."""
    mean = images.mean(axis=(1, 2), keepdims=True, dtype=np.float64).astype(np.float32)
    return np.asarray(mean + np.float32(CONTRAST[severity - 1]) * (images - mean))


def elastic(images: Array, severity: int, keys: Array) -> Array:
    """As drawn on rubber that is pulled, here more and there less."""
    height, width = images.shape[1:3]
    most = np.float32(PULL[severity - 1] * scale_of(images))
    down, right = (most * (2 * clouds(keys, (height, width), 4, 1, 1.0, stream) - 1) for stream in (0, 1))
    row, column = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
    return pulled(images, row + down, column + right)


def pixelate(images: Array, severity: int, keys: Array) -> Array:
    """Too few pixels: blocks of one color."""
    rows, columns = (blocks_of(length, severity, images) for length in images.shape[1:3])
    return averaged(images, rows, columns)[:, _owner(rows)][:, :, _owner(columns)]


def jpeg(images: Array, severity: int, keys: Array) -> Array:
    """Written as JPEG and read again."""
    pillow = extra("PIL.Image", "images", "JPEG corruption")
    found = np.empty(images.shape, dtype=np.uint8)
    for place, pixels in enumerate((images * 255 + np.float32(0.5)).astype(np.uint8)):
        held = io.BytesIO()
        pillow.fromarray(pixels[..., 0] if pixels.shape[2] == 1 else pixels).save(
            held, "JPEG", quality=QUALITY[severity - 1]
        )
        found[place] = np.asarray(pillow.open(held)).reshape(pixels.shape)
    return found.astype(np.float32) / 255


def blocks_of(length: int, severity: int, images: Array) -> Array:
    """Where the blocks of a severity begin and end along a side."""
    blocks = max(1, round(length / (BLOCK[severity - 1] * scale_of(images))))
    return np.round(np.linspace(0, length, blocks + 1)).astype(np.int64)


def averaged(images: Array, rows: Array, columns: Array) -> Array:
    """(samples, blocks, blocks, channels): the mean color of each block."""
    found = np.empty((len(images), len(rows) - 1, len(columns) - 1, images.shape[3]), dtype=np.float32)
    _averaged(images, rows, columns, found)
    return found


def _owner(edges: Array) -> Array:
    """The block of each pixel."""
    return np.repeat(np.arange(len(edges) - 1), np.diff(edges))


@kernel
def _averaged(images: Array, rows: Array, columns: Array, found: Array) -> None:
    for sample in range(len(images)):
        for upper in range(len(rows) - 1):
            for left in range(len(columns) - 1):
                for channel in range(images.shape[3]):
                    total = 0.0
                    for row in range(rows[upper], rows[upper + 1]):
                        for column in range(columns[left], columns[left + 1]):
                            total += images[sample, row, column, channel]
                    area = (rows[upper + 1] - rows[upper]) * (columns[left + 1] - columns[left])
                    found[sample, upper, left, channel] = total / area
