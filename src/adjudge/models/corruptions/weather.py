"""Weather: something between the camera and the scene."""

from math import pi

import numpy as np

from adjudge.core.arrays import Array
from adjudge.models.corruptions.chance import uniform
from adjudge.models.corruptions.filters import clouds, filtered, scale_of, streaks

SNOW = ((0.02, 2.0, 0.08), (0.04, 2.5, 0.14), (0.06, 3.0, 0.20), (0.08, 3.5, 0.28), (0.11, 4.0, 0.36))
FROST = ((0.95, 0.30), (0.85, 0.45), (0.75, 0.58), (0.65, 0.70), (0.52, 0.84))  # what is left, ice
ICE = (0.86, 0.94, 1.0)  # red, green and blue
FOG = (0.4, 0.8, 1.3, 2.0, 3.0)
THINNEST = 0.4  # fog anywhere, as a share of the thickest
LIGHT = (0.12, 0.24, 0.36, 0.48, 0.60)
GRAIN = 0.6  # of a flake, in pixels
SLANT, SPREAD = 0.35 * pi, 0.3 * pi  # directions in which snow falls


def snow(images: Array, severity: int, keys: Array) -> Array:
    """Slanted flakes before a whiter scene; severities are (share of flakes, their length, haze)."""
    share, length, haze = SNOW[severity - 1]
    samples, height, width, _ = images.shape
    scale = scale_of(images)
    grain = max(1, round(GRAIN * scale))
    rows, columns = -(-height // grain), -(-width // grain)
    chance = uniform(keys, rows * columns, 1).reshape(samples, rows, columns)
    flakes = np.where(chance < share, np.float32(1) - chance / (2 * share), 0).astype(np.float32)
    flakes = flakes.repeat(grain, axis=1).repeat(grain, axis=2)[:, :height, :width, None]
    angles = SLANT + SPREAD * uniform(keys, 1)[:, 0].astype(np.float64)
    falling = filtered(flakes, streaks(angles, length * scale)) * np.float32(length * scale / grain)
    return images + (1 - images) * np.float32(haze) + falling


def frost(images: Array, severity: int, keys: Array) -> Array:
    """Crystals: ridges of clouds, over a film of ice."""
    left, ice = FROST[severity - 1]
    shape = images.shape[1:3]
    film = clouds(keys, shape, 2, 4, 0.6)
    ridges = [1 - np.abs(2 * clouds(keys, shape, cells, 3, 0.7, 8 * cells) - 1) for cells in (3, 5)]
    crystals = (0.4 * film + 0.6 * np.maximum(*ridges) ** 3)[..., None]
    tint = np.array(ICE if images.shape[3] == len(ICE) else (1.0,), dtype=np.float32)
    return np.asarray(np.float32(left) * images + np.float32(ice) * crystals * tint, dtype=np.float32)


def fog(images: Array, severity: int, keys: Array) -> Array:
    """Clouds before the scene; as bright as it was at most, so that contrast is lost."""
    thick = np.float32(FOG[severity - 1])
    brightest = images.max(axis=(1, 2, 3), keepdims=True)
    mist = THINNEST + (1 - THINNEST) * clouds(keys, images.shape[1:3], 2, 4, 0.55)[..., None]
    return np.asarray((images + thick * mist) * brightest / np.maximum(brightest + thick, 1e-6))


def brightness(images: Array, severity: int, keys: Array) -> Array:
    """More light; the hue stays."""
    value = images.max(axis=3, keepdims=True)
    lit = np.minimum(value + np.float32(LIGHT[severity - 1]), 1)
    lighter = images * (lit / np.maximum(value, 1e-6))
    return np.asarray(np.where(value > 0, lighter, lit), dtype=np.float32)
