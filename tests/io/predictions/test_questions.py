"""Pools that may be meant otherwise are asked about."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from adjudge.errors import AdjudgeWarning
from adjudge.io import merge, read
from tests.support.commands import adjudge


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
        assert len(read(path, normalize="auto").classes or ()) == 81  # answers to compare are no amounts
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


def test_classes_in_other_capitals_are_asked_about(tmp_path: Path) -> None:
    (tmp_path / "pool.csv").write_text("id,a,b\ns1,cat,CAT\ns2,big dog,Big Dog\ns3,cow,cow\n")
    with pytest.warns(
        AdjudgeWarning, match="'Big Dog' and 'big dog'; 'CAT' and 'cat' count as different .*normalize auto"
    ):
        read(tmp_path / "pool.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(tmp_path / "pool.csv", normalize="none")
        assert read(tmp_path / "pool.csv", normalize="auto").values.tolist() == [[1, 0, 2], [1, 0, 2]]
    done = adjudge("check", tmp_path / "pool.csv")
    assert "--normalize auto --out pool.parquet" in done.stdout
    assert "say no class that another model says" not in done.stdout


def test_decimal_commas_are_asked_about_and_read_as_points(tmp_path: Path) -> None:
    path = pool(tmp_path, '"{},5"')
    with pytest.warns(
        AdjudgeWarning, match=r"numbers with a comma \('0,5'\), .* 81 classes; add --regression .* or --class"
    ):
        assert read(path).classes is not None
    assert read(path, regression=True).values[:, 3].tolist() == [3.5, 4.5]


def test_spellings_in_an_npz_file_are_asked_about(tmp_path: Path) -> None:
    np.savez(tmp_path / "pool.npz", predictions=np.array([["cat", "cow"], ["CAT", "cow"]]))
    with pytest.warns(AdjudgeWarning, match="'CAT' and 'cat' count as different .*normalize auto"):
        read(tmp_path / "pool.npz")
