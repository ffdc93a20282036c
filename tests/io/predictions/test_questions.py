"""Pools that may be meant otherwise are asked about."""

import warnings
from pathlib import Path

import pytest

from adjudge.errors import AdjudgeWarning
from adjudge.io import merge, read


def pool(folder: Path, cell: str) -> Path:
    rows = "".join(f"s{at},{cell.format(at)},{cell.format(at + 1)}\n" for at in range(80))
    (folder / "pool.csv").write_text(f"id,a,b\n{rows}")
    return folder / "pool.csv"


def test_whole_numbers_with_many_values(tmp_path: Path) -> None:
    path = pool(tmp_path, "{}")
    with pytest.warns(AdjudgeWarning, match="81 different values, .* 81 classes; add --regression .*--classification"):
        assert read(path).classes is not None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(path, regression=True).classes is None
        merge(path, tmp_path / "pool.parquet", regression=False)
        assert len(read(tmp_path / "pool.parquet").classes or ()) == 81  # what was answered is kept


def test_nearly_unique_texts_look_like_open_answers(tmp_path: Path) -> None:
    path = pool(tmp_path, "it is {}")
    with pytest.warns(
        AdjudgeWarning, match="81 different answers to 80 samples, .* open answers; add --normalize auto"
    ):
        read(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(path, normalize="none")
