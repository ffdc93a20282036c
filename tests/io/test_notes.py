"""A damaged file is read, or refused with one sentence; it never ends in another error."""

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.labels import Labels, Pick
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeError, AdjudgeWarning
from adjudge.io import read, read_labels, read_truth, write_labels, write_predictions, write_truth

POOL = Predictions(np.arange(40, dtype=np.int8).reshape(2, 20) % 3, ("a", "b"), range(20), ("x", "y", "z"))
NUMBERS = Predictions(POOL.values / 7, ("a", "b"), range(20), None)
LOG = Labels.empty(20).add(Pick(3, 1.0), 1).add(Pick(5, 1.0, 1), 2)

KINDS: dict[str, tuple[Callable[[Path], object], Callable[[Path], object]]] = {
    "classes": (lambda path: write_predictions(POOL, path), read),
    "numbers": (lambda path: write_predictions(NUMBERS, path), read),
    "truth": (lambda path: write_truth(POOL.values[0], POOL, path), lambda path: read_truth(path, POOL)),
    "labels": (lambda path: write_labels(LOG, POOL, path), lambda path: read_labels(path, POOL)),
    "array": (lambda path: np.save(path, POOL.values), read),
}
FILES = [f"{kind}.{suffix}" for kind in list(KINDS)[:4] for suffix in ("csv", "parquet")]


def refusal(read_back: Callable[[Path], object], path: Path) -> str:
    try:
        read_back(path)
    except AdjudgeError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", [*FILES, "classes.npz", "numbers.npz", "array.npy"])
@settings(max_examples=60, deadline=None)
@given(place=st.floats(0, 1), removed=st.integers(0, 30), added=st.binary(max_size=4), cut=st.booleans())
def test_damaged_file_gives_one_sentence(name: str, place: float, removed: int, added: bytes, cut: bool) -> None:
    write, read_back = KINDS[name.partition(".")[0]]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", AdjudgeWarning)
        path = Path(folder) / name
        write(path)
        whole = path.read_bytes()
        at = int(place * len(whole))
        path.write_bytes(whole[:at] + added + (b"" if cut else whole[at + removed :]))
        refused = refusal(read_back, path)
    assert name in (refused or name)
    assert "\n" not in refused
