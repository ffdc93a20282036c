"""Random numbers that depend on the sample alone: any batch, any number of threads, the same draws."""

import hashlib
from math import cos, log, pi, sin, sqrt

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.kernels import kernel
from adjudge.methods.patterns import MIX

STREAM = np.uint64(1 << 40)  # draws of one sample that different uses take from different places


def keys_of(seed: int, kind: str, severity: int, first: int, count: int) -> Array:
    """(samples,) uint64: what all draws of each sample follow from.

    >>> bool((keys_of(0, "fog", 1, 0, 5)[2:] == keys_of(0, "fog", 1, 2, 3)).all())
    True
    """
    digest = hashlib.sha256(f"{seed}/{kind}/{severity}".encode()).digest()
    start = np.frombuffer(digest[:8], dtype=np.uint64)
    return np.asarray(start + np.arange(first + 1, first + count + 1, dtype=np.uint64) * MIX)


def uniform(keys: Array, count: int, stream: int = 0) -> Array:
    """(samples, count) float32 in [0, 1); other streams give other numbers."""
    return _uniform(_scattered(keys), np.uint64(stream) * STREAM, count)


def normal(keys: Array, count: int, stream: int = 0) -> Array:
    """(samples, count) float32, standard normal."""
    return _normal(_scattered(keys), np.uint64(stream) * STREAM, count)


def poisson(keys: Array, means: Array) -> Array:
    """(samples, count) float32: counts with these means, which should stay below some hundreds."""
    return _poisson(_scattered(keys), means)


def whole(keys: Array, below: int, stream: int = 0) -> Array:
    """(samples,) whole numbers from 0 to below - 1."""
    return np.asarray((uniform(keys, 1, stream)[:, 0] * below).astype(np.int64))


@kernel
def mixed(value: np.uint64) -> np.uint64:
    """The finalizer of splitmix64 (Steele, Lea and Flood 2014): neighbors become unrelated."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@kernel
def drawn(key: np.uint64, place: np.uint64) -> float:
    """The draw of a scattered key at a place, in [0, 1)."""
    return float(mixed(key + place * MIX) >> np.uint64(40)) * 2.0**-24


@kernel
def _scattered(keys: Array) -> Array:
    found = np.empty_like(keys)
    for sample in range(len(keys)):
        found[sample] = mixed(keys[sample])
    return found


@kernel
def _uniform(keys: Array, offset: np.uint64, count: int) -> Array:
    found = np.empty((len(keys), count), dtype=np.float32)
    for sample in range(len(keys)):
        for place in range(count):
            found[sample, place] = drawn(keys[sample], offset + np.uint64(place))
    return found


@kernel
def _normal(keys: Array, offset: np.uint64, count: int) -> Array:
    """Two at a time, from a radius and an angle (Box and Muller 1958)."""
    found = np.empty((len(keys), count), dtype=np.float32)
    for sample in range(len(keys)):
        for place in range(0, count, 2):
            radius = sqrt(-2 * log(1 - drawn(keys[sample], offset + np.uint64(place))))
            angle = 2 * pi * drawn(keys[sample], offset + np.uint64(place + 1))
            found[sample, place] = radius * cos(angle)
            if place + 1 < count:
                found[sample, place + 1] = radius * sin(angle)
    return found


@kernel
def _poisson(keys: Array, means: Array) -> Array:
    """The number of steps of the distribution function below one uniform draw."""
    found = np.empty(means.shape, dtype=np.float32)
    for sample in range(means.shape[0]):
        for place in range(means.shape[1]):
            mean, left = float(means[sample, place]), drawn(keys[sample], np.uint64(place))
            chance, count = np.exp(-mean), 0
            while left >= chance and count < 1000:
                left -= chance
                count += 1
                chance *= mean / count
            found[sample, place] = count
    return found
