"""The shifts of Li et al. 2019 (CES): spots on the lens, other light, fewer pixels."""

import numpy as np

from adjudge.core.arrays import Array
from adjudge.models.corruptions.chance import uniform
from adjudge.models.corruptions.digital import averaged, blocks_of
from adjudge.models.corruptions.filters import pulled, scale_of

SPOTS = (2, 4, 7, 11, 16)
SIDE = 3.0  # pixels of a spot, on average
LIGHT = (0.10, 0.20, 0.30, 0.42, 0.55)


def occlusion(images: Array, severity: int, keys: Array) -> Array:
    """Small black rectangles at random places."""
    height, width = images.shape[1:3]
    found = images.copy()
    place = uniform(keys, 4 * SPOTS[severity - 1]).reshape(len(images), -1, 4)
    sides = np.maximum(1, np.round(SIDE * scale_of(images) * (0.5 + place[..., 2:]))).astype(np.int64)
    top = (place[..., 0] * (height + 1 - sides[..., 0])).astype(np.int64)
    left = (place[..., 1] * (width + 1 - sides[..., 1])).astype(np.int64)
    row, column = np.arange(height)[:, None], np.arange(width)
    for spot in range(top.shape[1]):
        down, right = (row - top[:, spot, None, None], column - left[:, spot, None, None])
        tall, wide = sides[:, spot, 0, None, None], sides[:, spot, 1, None, None]
        found[(down >= 0) & (down < tall) & (right >= 0) & (right < wide)] = 0
    return found


def lighting(images: Array, severity: int, keys: Array) -> Array:
    """All pixels lighter or darker by the same, either in half of the images."""
    sign = np.where(uniform(keys, 1) < 0.5, -1, 1).astype(np.float32)[:, :, None, None]
    return np.asarray(images + np.float32(LIGHT[severity - 1]) * sign)


def down_sampling(images: Array, severity: int, keys: Array) -> Array:
    """Fewer pixels, smoothly enlarged again."""
    rows, columns = (blocks_of(length, severity, images) for length in images.shape[1:3])
    small = averaged(images, rows, columns)
    sides = zip(images.shape[1:3], small.shape[1:3], strict=True)
    places = ((np.arange(after) + 0.5) * before / after - 0.5 for after, before in sides)
    row, column = np.meshgrid(*places, indexing="ij")
    return pulled(small, row[None], column[None])
