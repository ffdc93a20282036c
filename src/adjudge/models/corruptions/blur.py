"""Blur: neighbors run into each other."""

from math import pi

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.kernels import kernel
from adjudge.models.corruptions.chance import drawn, mixed, uniform
from adjudge.models.corruptions.filters import filtered, gaussian, pulled, scale_of, streaks

RADIUS = (0.9, 1.4, 2.0, 2.7, 3.6)
GLASS = ((0.4, 1, 1), (0.6, 1, 2), (0.8, 1, 4), (0.9, 2, 2), (1.1, 3, 3))  # blur, how far pixels go, how often
LENGTH = (3, 5, 7.5, 10.5, 14)
ZOOM = (1.10, 1.20, 1.32, 1.46, 1.62)
STEPS = 9  # zooms that are averaged
FINE = 5  # points along a pixel's side, by which the edge of a disc is smooth


def defocus_blur(images: Array, severity: int, keys: Array) -> Array:
    """A disc, as of a lens out of focus."""
    radius = RADIUS[severity - 1] * scale_of(images)
    edge = int(np.ceil(radius))
    inside = (np.arange((2 * edge + 1) * FINE) + 0.5) / FINE - edge - 0.5
    disc = (inside[:, None] ** 2 + inside**2 <= radius**2).astype(np.float64)
    weights = disc.reshape(2 * edge + 1, FINE, 2 * edge + 1, FINE).mean(axis=(1, 3))
    return filtered(images, weights[None] / weights.sum())


def frosted_glass_blur(images: Array, severity: int, keys: Array) -> Array:
    """Pixels trade places with near ones, between two blurs."""
    deviation, reach, times = GLASS[severity - 1]
    scale = scale_of(images)
    shuffled = gaussian(images, deviation * scale)
    _trade(shuffled, keys, max(1, round(reach * scale)), times)
    return gaussian(shuffled, deviation * scale)


def motion_blur(images: Array, severity: int, keys: Array) -> Array:
    """A line, in a direction of each image's own."""
    angles = uniform(keys, 1)[:, 0].astype(np.float64) * pi
    return filtered(images, streaks(angles, LENGTH[severity - 1] * scale_of(images)))


def zoom_blur(images: Array, severity: int, keys: Array) -> Array:
    """The mean of ever closer looks."""
    height, width = images.shape[1:3]
    row, column = np.arange(height) - (height - 1) / 2, np.arange(width) - (width - 1) / 2
    found = np.zeros_like(images)
    for zoom in np.linspace(1, ZOOM[severity - 1], STEPS):
        rows, columns = np.meshgrid(row / zoom - row[0], column / zoom - column[0], indexing="ij")
        found += pulled(images, rows[None], columns[None])
    return found / np.float32(STEPS)


@kernel
def _trade(images: Array, keys: Array, reach: int, times: int) -> None:
    samples, height, width, channels = images.shape
    span = 2 * reach + 1
    for sample in range(samples):
        key, place = mixed(keys[sample]), 0
        for _ in range(times):
            for row in range(reach, height - reach):
                for column in range(reach, width - reach):
                    other_row = row - reach + int(span * drawn(key, np.uint64(place)))
                    other_column = column - reach + int(span * drawn(key, np.uint64(place + 1)))
                    place += 2
                    for channel in range(channels):
                        held = images[sample, row, column, channel]
                        images[sample, row, column, channel] = images[sample, other_row, other_column, channel]
                        images[sample, other_row, other_column, channel] = held
