"""Raw samples to what a model takes."""

import math

import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.models.datasets import Kind, resized
from adjudge.models.runners.protocol import Shape, Takes
from adjudge.models.runners.settings import ModelSettings

LUMA = np.array([0.299, 0.587, 0.114], dtype=np.float32)  # ITU-R BT.601, as Pillow has it


def shaped(rows: Array, kind: Kind, settings: ModelSettings, takes: Takes) -> Array:
    """A batch in the shape, the order, the scale and the type that the model takes."""
    if kind == "text":
        if takes.dtype is not None:
            raise InputError("the model takes numbers but the data is text; name columns of numbers, or another model")
        return rows
    if kind == "images":
        rows = _pixels(rows, settings)
        rows = _scaled(rows, settings, takes, 1 / 255)
        return _typed(_laid_out(rows, settings, takes), takes)
    rows = _scaled(rows, settings, takes, 1.0)
    if takes.shape is not None and not _fits(rows.shape[1:], takes.shape):
        size = math.prod(rows.shape[1:])
        if not _fits((size,), takes.shape):
            _refuse(rows.shape[1:], takes.shape)
        rows = rows.reshape(len(rows), size)
    return _typed(rows, takes)


def _pixels(rows: Array, settings: ModelSettings) -> Array:
    """Images in the right size and colors."""
    if settings.size is not None:
        rows = resized(rows, settings.size)
    if settings.grayscale and rows.shape[3] == 3:
        rows = np.round(rows.astype(np.float32) @ LUMA)[..., np.newaxis]
    return rows[..., ::-1] if settings.order == "bgr" and rows.shape[3] == 3 else rows


def _scaled(rows: Array, settings: ModelSettings, takes: Takes, usual: float) -> Array:
    whole = takes.dtype is not None and np.dtype(takes.dtype).kind in "iu"  # such a model scales pixels itself
    scale = settings.scale if settings.scale is not None else 1.0 if takes.raw or whole else usual
    if scale == 1.0 and not settings.mean and not settings.std:
        return rows
    exact = rows.dtype if rows.dtype.kind == "f" else np.dtype(np.float32)
    rows = np.multiply(rows, exact.type(scale), dtype=exact)
    for given, apply in ((settings.mean, np.subtract), (settings.std, np.divide)):
        if len(given) > 1 and len(given) != rows.shape[-1]:
            raise InputError(
                f"the settings give {len(given)} means or deviations but a sample has {rows.shape[-1]} channels; "
                "give one for each, or one for all"
            )
        if given:
            apply(rows, np.asarray(given, dtype=exact), out=rows)
    return rows


def _laid_out(rows: Array, settings: ModelSettings, takes: Takes) -> Array:
    """Images of (samples, height, width, channels) with their axes as the model has them."""
    first = np.moveaxis(rows, 3, 1)
    ways = {"last": rows, "first": first}
    if settings.channels is not None:
        rows = ways[settings.channels]
        ways = {settings.channels: rows}
    if takes.shape is None:
        return ways.get(takes.channels, rows)
    usual = sorted(ways, key=lambda way: way != takes.channels)
    for way in usual:
        if _fits(ways[way].shape[1:], takes.shape):
            return ways[way]
    if rows.shape[-1] == 1 and _fits(rows.shape[1:3], takes.shape):
        return rows[..., 0]
    flat = ways[usual[0]].reshape(len(rows), -1)
    if not _fits(flat.shape[1:], takes.shape):
        _refuse(rows.shape[1:], takes.shape)
    return flat


def _typed(rows: Array, takes: Takes) -> Array:
    return rows if takes.dtype is None else np.ascontiguousarray(rows, dtype=np.dtype(takes.dtype))


def _fits(found: tuple[int, ...], wanted: Shape) -> bool:
    return len(found) == len(wanted) and all(
        want is None or have == want for have, want in zip(found, wanted, strict=True)
    )


def _refuse(found: tuple[int, ...], wanted: Shape) -> None:
    shape = " x ".join("any" if each is None else str(each) for each in wanted)
    raise InputError(
        f"the model takes samples of {shape} but the data has {' x '.join(map(str, found)) or 'single numbers'}; give "
        "other data, or say in the model's TOML how to change them (size, grayscale, channels)"
    )
