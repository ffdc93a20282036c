"""A table of one model, and the note about it."""

import warnings
from pathlib import Path

from adjudge.core.predictions import Predictions
from adjudge.io import read


def saved(folder: Path, text: str, name: str = "net.csv") -> Path:
    (folder / name).write_text(text)
    return folder / name


def told(path: Path | list[Path], **options: str) -> tuple[Predictions, str]:
    """The predictions, and the note about them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pool = read(path, **options)  # type: ignore[arg-type]
    return pool, " ".join(str(each.message) for each in caught)
