"""Images as files."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.core.arrays import Array
from adjudge.models.datasets import Dataset

pillow = pytest.importorskip("PIL.Image", reason="images need Pillow: pip install 'adjudge[images]'")


def whole(data: Dataset, size: int = 2) -> Array:
    return np.concatenate([batch.values for batch in data.batches(size)])


def write_images(folder: Path, images: Array, suffix: str = ".png") -> None:
    folder.mkdir(exist_ok=True)
    for at, image in enumerate(images):
        pillow.fromarray(image.squeeze()).save(folder / f"picture-{at}{suffix}")
