"""Corruptions of images by name: those of LaF's study, and those of CES."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import InputError

STUDY = {  # the corruptions of Guo et al. 2022 (LaF), Table 2, in its order
    "gaussian-noise": "noise",
    "shot-noise": "noise",
    "impulse-noise": "noise",
    "defocus-blur": "blur",
    "frosted-glass-blur": "blur",
    "motion-blur": "blur",
    "zoom-blur": "blur",
    "snow": "weather",
    "frost": "weather",
    "fog": "weather",
    "brightness": "weather",
    "contrast": "digital",
    "elastic": "digital",
    "pixelate": "digital",
    "jpeg": "digital",
}
MUTATIONS = {"occlusion": "mutations", "lighting": "mutations", "down-sampling": "mutations"}
IMAGES = STUDY | MUTATIONS  # by the module of their function
SEVERITIES = (1, 2, 3, 4, 5)
SMALLEST = 28  # pixels of a side
VALUES = 1 << 21  # numbers in a block, which bounds the memory

Corruption = Callable[[Array, int, Array], Array]


def corrupt(images: Array, kind: str, severity: int, *, seed: int = 0, first: int = 0) -> Array:
    """Corrupt a batch of uint8 images, (samples, height, width) or (samples, height, width, channels).

    What happens to an image depends on the seed, the kind, the severity and the image's number alone.

    Parameters
    ----------
    severity
        From 1 to 5.
    first
        The number of the first image, so that parts of a data set come out as the whole would.

    References
    ----------
    D. Hendrycks and T. Dietterich 2019, "Benchmarking Neural Network Robustness to Common Corruptions and
    Perturbations". arXiv 1903.12261

    Examples
    --------
    >>> gray = np.full((2, 28, 28), 100, dtype=np.uint8)
    >>> corrupt(gray, "brightness", 1)[0, 0, 0]
    np.uint8(131)
    """
    function = _function(kind, severity)
    _check(images)
    from adjudge.models.corruptions.chance import keys_of

    pixels = images[..., None] if images.ndim == 3 else images
    found = np.empty_like(pixels)
    step = max(1, VALUES // max(1, pixels[:1].size))

    def one_block(start: int) -> None:
        block = pixels[start : start + step].astype(np.float32) / np.float32(255)
        keys = keys_of(seed, kind, severity, first + start, len(block))
        made = function(block, severity, keys)
        found[start : start + step] = np.clip(made * np.float32(255) + np.float32(0.5), 0, 255.5).astype(np.uint8)

    with ThreadPoolExecutor(os.cpu_count()) as threads:  # compiled code and numpy let other threads run
        for _ in threads.map(one_block, range(0, len(pixels), step)):
            pass
    return found.reshape(images.shape)


def check_severity(severity: int) -> None:
    if severity not in SEVERITIES:
        raise InputError(
            f"give the severity as a whole number from {SEVERITIES[0]} (slight) to {SEVERITIES[-1]} (strong)"
        )


def _function(kind: str, severity: int) -> Corruption:
    if kind not in IMAGES:
        raise InputError(f"there is no corruption {kind!r} of images; use one of {', '.join(IMAGES)}")
    check_severity(severity)
    found: Corruption = getattr(import_module(f"adjudge.models.corruptions.{IMAGES[kind]}"), kind.replace("-", "_"))
    return found


def _check(images: Array) -> None:
    if images.dtype != np.uint8:
        raise InputError(f"the images are {images.dtype}; corruptions take bytes from 0 to 255 (uint8)")
    if images.ndim not in (3, 4) or (images.ndim == 4 and images.shape[3] not in (1, 3)):
        raise InputError(
            f"the images have the shape {images.shape}; give (samples, height, width), and perhaps 1 or 3 channels"
        )
    if min(images.shape[1:3]) < SMALLEST:
        raise InputError(
            f"the images are {images.shape[1]} x {images.shape[2]}; corruptions need {SMALLEST} x {SMALLEST} or more: "
            "enlarge them first"
        )
