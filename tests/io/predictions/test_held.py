"""Which parts a process holds on to between passes."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.core.votes import vote_agreement
from adjudge.io import read
from adjudge.io.predictions import parts
from adjudge.io.predictions.array_parts import ArrayPart
from tests.support.parts import SAMPLES, SMALL, values_of, write_npz


@pytest.mark.parametrize("quick", [True, False])
def test_parts_are_held_unless_they_are_quick_to_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick: bool
) -> None:
    read_from, reads = ArrayPart.read, []

    def counted(part: ArrayPart, facts: parts.Facts, first: int) -> object:
        reads.append(part.start)
        return read_from(part, facts, first)

    monkeypatch.setattr(ArrayPart, "read", counted)
    monkeypatch.setattr(parts, "COPIED", 1.0 if quick else 0.0)
    pool, labels = read(write_npz(tmp_path / "pool.npz"), memory=SMALL), Labels.known(SAMPLES, [0], [1])
    ours, first = vote_agreement(pool, labels), len(reads)
    assert first == len(pool.parts)  # type: ignore[attr-defined]
    assert vote_agreement(pool, labels) == pytest.approx(ours, abs=0)
    assert len(reads) == 2 * first if quick else first < len(reads) < 2 * first  # half of the memory holds some of them


@pytest.mark.parametrize("by_columns", [False, True])
@pytest.mark.parametrize("kind", ["int8", "int32", "float64"])
def test_classes_are_found_row_by_row(tmp_path: Path, by_columns: bool, kind: str) -> None:
    values = values_of() * 2 + 1  # 1, 3, 5; and -1 where one is missing
    path = tmp_path / "pool.npy"
    stored = np.where(values < 0, np.nan, values) if kind == "float64" else values.astype(kind)
    np.save(path, np.asfortranarray(stored) if by_columns else stored)
    pool, whole = read(path, memory=SMALL), read(path)
    assert pool.in_parts
    assert pool.classes == whole.classes == ("1", "3", "5")
    assert pool.in_memory().values.tolist() == whole.values.tolist()  # type: ignore[attr-defined]
