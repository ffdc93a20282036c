"""The manifest of a pool in parts."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from adjudge.io.predictions import table_parts
from tests.support.parts import MODELS, SAMPLES, in_parts, wide, write_pool


def test_a_manifest_saves_the_second_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for form in ("wide", "long"):
        path = write_pool(tmp_path, form).rename(tmp_path / form)
        first = in_parts(path).facts
        with monkeypatch.context() as here:
            here.setattr(table_parts, "_look", None)
            assert in_parts(path).facts == first
            for file in path.glob("*.parquet"):
                os.utime(file, (1, 1))  # a copy: the hash is the same
            assert in_parts(path).facts == first
    told = json.loads((tmp_path / "wide" / "_adjudge.json").read_text())
    assert [file["name"] for file in told["files"]] == [f"part-{each}.parquet" for each in range(4)]
    changed = wide().slice(0, 150).set_column(1, "m0", [["q"] * 150])
    parquet.write_table(changed, tmp_path / "wide" / "part-0.parquet", row_group_size=25)
    assert in_parts(tmp_path / "wide").classes == ("q", "x", "y", "z")


def test_a_file_that_was_written_anew_is_read_anew(tmp_path: Path) -> None:
    path = write_pool(tmp_path, "npy")
    for first in (0, 1):  # the same classes both times, so that only the time of the file differs
        np.save(path, np.tile((np.arange(SAMPLES) + first) % 2, (MODELS, 1)).astype(np.int8))
        os.utime(path, (first, first))
        assert (in_parts(path).values[:, np.array([0])] == first).all()
