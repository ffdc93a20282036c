"""What several corruptions are made of: weighted sums of neighbors, pulled pixels, clouds.

Images are float32, (samples, height, width, channels), from 0 to 1. Lengths are given for images of 32 pixels and grow
with them, so that a severity means the same at any size.
"""

from collections.abc import Sequence

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.kernels import kernel
from adjudge.models.corruptions.chance import uniform

BASE = 32  # pixels of the shorter side for which lengths are given


def scale_of(images: Array) -> float:
    return float(min(images.shape[1:3])) / BASE


def filtered(images: Array, weights: Array) -> Array:
    """Weighted sums of neighbors; weights are (samples or 1, size, size) with an odd size, borders are mirrored."""
    samples, height, width, channels = images.shape
    edge = weights.shape[1] // 2
    padded = np.pad(images, ((0, 0), (edge, edge), (edge, edge), (0, 0)), mode="reflect")
    found = np.zeros((samples, height, width * channels), dtype=np.float32)
    _filtered(padded.reshape(samples, height + 2 * edge, -1), weights.astype(np.float32), channels, found)
    return found.reshape(images.shape)


def gaussian(images: Array, deviation: float) -> Array:
    """Blur with a bell of this standard deviation in pixels."""
    edge = max(1, round(3 * deviation))
    bell = np.exp(-0.5 * (np.arange(-edge, edge + 1) / deviation) ** 2)
    weights = np.outer(bell, bell)
    return filtered(images, weights[None] / weights.sum())


def streaks(angles: Array, length: float) -> Array:
    """(samples, size, size): weights of lines of this length in pixels, one for each angle."""
    edge = int(np.ceil(length / 2))
    along = np.linspace(-length / 2, length / 2, 4 * edge + 1)
    weights = np.zeros((len(angles), 2 * edge + 3, 2 * edge + 3))
    row, column = (edge + 1 + along * turn(angles)[:, None] for turn in (np.sin, np.cos))
    top, left = np.floor(row).astype(int), np.floor(column).astype(int)
    which = np.arange(len(angles))[:, None]
    for down in (0, 1):
        for right in (0, 1):
            share = np.abs(1 - down - (row - top)) * np.abs(1 - right - (column - left))
            np.add.at(weights, (which, top + down, left + right), share / len(along))
    return weights


def pulled(images: Array, rows: Array, columns: Array) -> Array:
    """Each pixel taken from a place between pixels, (samples or 1, height, width); beyond the border, its edge."""
    found = np.empty((len(images), *rows.shape[1:], images.shape[3]), dtype=np.float32)
    _pulled(images, rows.astype(np.float32), columns.astype(np.float32), found)
    return found


def clouds(keys: Array, shape: Sequence[int], cells: int, octaves: int, keep: float, stream: int = 0) -> Array:
    """(samples, height, width) from 0 to 1: smooth random fields, each octave twice as fine and `keep` as strong."""
    height, width = shape
    found = np.zeros((len(keys), height, width), dtype=np.float32)
    for octave in range(octaves):
        fine = cells << octave
        corners = uniform(keys, (fine + 1) ** 2, stream + octave).reshape(len(keys), fine + 1, fine + 1)
        _add_cloud(corners, keep**octave, found)
    low, high = found.min(axis=(1, 2), keepdims=True), found.max(axis=(1, 2), keepdims=True)
    return np.asarray((found - low) / np.maximum(high - low, 1e-6))


@kernel
def _filtered(padded: Array, weights: Array, channels: int, found: Array) -> None:
    size = weights.shape[1]
    for sample in range(len(found)):
        taps = weights[sample % len(weights)]
        for down in range(size):
            for right in range(size):
                weight = taps[down, right]
                if weight == 0:
                    continue
                start = right * channels
                for row in range(found.shape[1]):
                    target = found[sample, row]
                    source = padded[sample, row + down, start : start + len(target)]
                    for place in range(len(target)):
                        target[place] += weight * source[place]


@kernel
def _pulled(images: Array, rows: Array, columns: Array, found: Array) -> None:
    samples, height, width, channels = images.shape
    for sample in range(samples):
        which = sample % len(rows)
        for row in range(found.shape[1]):
            for column in range(found.shape[2]):
                down = min(max(rows[which, row, column], np.float32(0)), np.float32(height - 1))
                right = min(max(columns[which, row, column], np.float32(0)), np.float32(width - 1))
                top, left = min(int(down), height - 2), min(int(right), width - 2)
                down, right = down - np.float32(top), right - np.float32(left)
                for channel in range(channels):
                    upper = images[sample, top, left, channel] * (np.float32(1) - right)
                    upper += images[sample, top, left + 1, channel] * right
                    lower = images[sample, top + 1, left, channel] * (np.float32(1) - right)
                    lower += images[sample, top + 1, left + 1, channel] * right
                    found[sample, row, column, channel] = upper * (np.float32(1) - down) + lower * down


@kernel
def _add_cloud(corners: Array, strength: float, found: Array) -> None:
    """Between corners along a curve that is flat at both ends, so that no grid shows."""
    samples, height, width = found.shape
    cells = corners.shape[1] - 1
    for sample in range(samples):
        for row in range(height):
            down = row * cells / height
            top = int(down)
            down -= top
            down = np.float32(down * down * (3 - 2 * down))
            for column in range(width):
                right = column * cells / width
                left = int(right)
                right -= left
                right = np.float32(right * right * (3 - 2 * right))
                upper = corners[sample, top, left] * (1 - right) + corners[sample, top, left + 1] * right
                lower = corners[sample, top + 1, left] * (1 - right) + corners[sample, top + 1, left + 1] * right
                found[sample, row, column] += strength * (upper * (1 - down) + lower * down)
