"""Noise: each pixel for itself."""

import numpy as np

from adjudge.core.arrays import Array
from adjudge.models.corruptions.chance import normal, poisson, uniform

DEVIATION = (0.06, 0.11, 0.17, 0.24, 0.33)
PHOTONS = (30, 12, 5.5, 2.6, 1.2)  # that a white pixel collects
SHARE = (0.02, 0.05, 0.10, 0.17, 0.27)


def gaussian_noise(images: Array, severity: int, keys: Array) -> Array:
    """Electronic noise, as strong in the dark as in the light."""
    added = normal(keys, images[0].size).reshape(images.shape)
    return images + np.float32(DEVIATION[severity - 1]) * added


def shot_noise(images: Array, severity: int, keys: Array) -> Array:
    """Few photons: noise grows with the light."""
    photons = np.float32(PHOTONS[severity - 1])
    return poisson(keys, images.reshape(len(images), -1) * photons).reshape(images.shape) / photons


def impulse_noise(images: Array, severity: int, keys: Array) -> Array:
    """Salt and pepper: a share of the values is replaced by black or white."""
    chance = uniform(keys, images[0].size).reshape(images.shape)
    share = SHARE[severity - 1]
    return np.where(chance < share, np.where(chance < share / 2, 0, 1), images).astype(np.float32)
