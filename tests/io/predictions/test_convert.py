"""Any predictions as a folder of parts."""

from pathlib import Path

import numpy as np
import pyarrow.csv as arrow_csv
import pytest

from adjudge.core.index import all_ids
from adjudge.errors import InputError
from adjudge.io import convert, read
from adjudge.io.predictions.parts import PredictionParts
from tests.support.commands import adjudge, refused
from tests.support.parts import SMALL, long, wide, write_npz, write_pool


def pool_file(folder: Path, form: str) -> Path:
    if form in ("csv", "long.csv"):
        arrow_csv.write_csv(wide() if form == "csv" else long(), folder / "pool.csv")
        return folder / "pool.csv"
    if form == "stated":
        return write_npz(folder / "pool.npz", probabilities=True)
    return write_pool(folder, form)


@pytest.mark.parametrize("form", ["csv", "long.csv", "npy", "npz", "stated", "file", "wide", "long"])
@pytest.mark.parametrize("rows", [None, 70])
def test_the_pool_stays_the_same(tmp_path: Path, form: str, rows: int | None) -> None:
    path, out = pool_file(tmp_path, form), tmp_path / "parts"
    parts = convert(path, out, memory="40KB" if form == "stated" else SMALL, rows=rows)
    assert parts == len(list(out.glob("*.parquet"))) > 1
    found, expected = read(out), read(path)
    assert (found.models, found.classes, found.declared) == (expected.models, expected.classes, expected.declared)
    assert (found.values == expected.values).all()
    assert all_ids(found.samples).equals(all_ids(expected.samples))
    if expected.probabilities is not None:
        assert found.probabilities == pytest.approx(expected.probabilities, nan_ok=True)
    assert isinstance(read(out, memory="40KB" if form == "stated" else SMALL), PredictionParts)


def test_fractions_in_a_late_row_make_numbers(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("sample_id,a,b\n" + "".join(f"s{each},{each},1\n" for each in range(200)) + "last,0.5,2\n")
    assert convert(path, tmp_path / "parts", rows=50) == 5
    found = read(tmp_path / "parts")
    assert found.classes is None
    assert np.array_equal(found.values, read(path).values)


def test_a_refusal_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("sample_id,a,b\n" + "".join(f"s{each % 150},x,y\n" for each in range(200)))
    with pytest.raises(InputError, match="the sample 's0' occurs in more than one part"):
        convert(path, tmp_path / "parts", rows=90)
    path.write_text("sample_id,a,b\n" + "".join(f"s{each},x,y\n" for each in range(200)) + "s,x\n")
    assert "pool.csv cannot be read" in refused("convert", path, "--out", tmp_path / "parts", "--rows", 50)
    assert [each.name for each in tmp_path.iterdir()] == ["pool.csv"]
    assert "exists; name a folder" in refused("convert", path, "--out", tmp_path)


def test_the_command(tmp_path: Path) -> None:
    path = pool_file(tmp_path, "csv")
    done = adjudge("convert", path, "--out", tmp_path / "parts", "--rows", 200)
    assert (done.returncode, done.stdout) == (0, "")
    assert "3 parts in" in done.stderr
