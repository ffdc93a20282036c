"""Pools in parts that cannot be read: one sentence, and nothing is left behind."""

import os
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from adjudge import api
from adjudge.errors import InputError, PredictionsError
from tests.support.commands import refused
from tests.support.parts import MODELS, SMALL, in_parts, long, names, wide, write_folder, write_pool


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("cut", "part-2.parquet cannot be read (.*); it may be damaged or cut short"),
        ("model", "part-2.parquet has no 'm3', unlike the parts before it; give every part the same models"),
        ("more", "part-2.parquet has 'new' too, unlike the parts before it"),
        ("type", "part-2.parquet holds numbers in the column 'm3', where part-0.parquet holds text"),
        ("twice", "the sample 's150' occurs in more than one part"),
    ],
)
def test_a_part_that_does_not_fit(tmp_path: Path, change: str, sentence: str) -> None:
    path = write_pool(tmp_path, "wide")
    file = path / "part-2.parquet"
    table = parquet.read_table(file)
    if change == "cut":
        file.write_bytes(file.read_bytes()[:-100])
    else:
        changed = {
            "model": lambda: table.drop_columns(["m3"]),
            "more": lambda: table.append_column("new", table["m3"]),
            "type": lambda: table.set_column(4, "m3", [np.zeros(150)]),
            "twice": lambda: wide().slice(150, 150),
        }
        parquet.write_table(changed[change](), file, row_group_size=25)
    with pytest.raises(InputError, match=sentence.replace("(.*)", r"\(.*\)")):
        in_parts(path).facts  # noqa: B018
    assert refused("check", path, "--memory", SMALL)
    assert refused("check", path)
    assert not (path / "_adjudge.json").exists()


def test_long_parts_need_the_same_models(tmp_path: Path) -> None:
    path = write_folder(tmp_path / "pool", long(), row_group=25 * MODELS)
    rows = parquet.read_table(path / "part-3.parquet").to_pylist()
    table = parquet.read_table(path / "part-3.parquet")
    other = ["other" if row["model"] == "m6" else row["model"] for row in rows]
    parquet.write_table(table.set_column(1, "model", [other]), path / "part-3.parquet", row_group_size=25 * MODELS)
    with pytest.raises(PredictionsError, match=r"part-3.parquet has no 'm6'"):
        in_parts(path).facts  # noqa: B018


def test_words_among_numbers(tmp_path: Path) -> None:
    path = write_folder(tmp_path / "pool", wide())
    for place in range(3):
        table = parquet.read_table(path / f"part-{place}.parquet")
        for at, name in enumerate(names(), start=1):
            table = table.set_column(at, name, [[f"{each / 7}" for each in range(150)]])
        parquet.write_table(table, path / f"part-{place}.parquet", row_group_size=25)
    with pytest.raises(PredictionsError, match=r"part-3.parquet predicts 'x', where other parts hold numbers"):
        in_parts(path).facts  # noqa: B018


def test_what_cannot_be_cut(tmp_path: Path) -> None:
    path = tmp_path / "pool.npz"
    np.savez_compressed(path, predictions=np.zeros((5, 5000), dtype=np.int8))
    assert "pool.npz is compressed, so it cannot be read in parts" in refused("check", path, "--memory", "1KB")
    table = tmp_path / "pool.parquet"
    parquet.write_table(wide(), table)
    assert "has a row group of 600 rows, which takes about 19.2 KB" in refused("check", table, "--memory", "1KB")
    text = tmp_path / "pool.csv"
    text.write_text("sample_id,a,b\n" + "".join(f"{each},1,2\n" for each in range(900)))
    assert "turn it into parts with `adjudge merge pool.csv --out FOLDER`" in refused("check", text, "--memory", "1KB")
    assert "give a size such as 500MB or 2GB" in refused("check", text, "--memory", "lots")
    assert "add --engine dask" in refused("check", text, "--scheduler", "tcp://nowhere:1")


def test_a_file_that_was_cut_after_it_was_opened(tmp_path: Path) -> None:
    path = write_pool(tmp_path, "npy")
    pool = in_parts(path)
    assert pool.classes
    os.truncate(path, path.stat().st_size - 500)
    with pytest.raises(InputError, match=r"pool.npy cannot be read \(.*it ends too early.*\); it may be damaged"):
        api.rank(pool)
    assert "pool.npy cannot be read" in refused("check", path, "--memory", SMALL)


@pytest.mark.parametrize("change", ["cut", "model", "type"])
def test_a_part_that_does_not_fit_leaves_nothing_behind(tmp_path: Path, change: str) -> None:
    path, plan, other = write_pool(tmp_path, "wide"), tmp_path / "labels.csv", tmp_path / "other"
    file = path / "part-2.parquet"
    table = parquet.read_table(file)
    if change == "cut":
        file.write_bytes(file.read_bytes()[:-100])
    else:
        changed = table.drop_columns(["m3"]) if change == "model" else table.set_column(4, "m3", [np.zeros(150)])
        parquet.write_table(changed, file, row_group_size=25)
    before = sorted(tmp_path.rglob("*"))
    assert "part-2.parquet" in refused(
        "select", path, "--memory", SMALL, "--method", "sds", "--budget", 5, "--out", plan
    )
    assert "part-2.parquet" in refused("merge", path, "--memory", SMALL, "--out", other)
    assert sorted(tmp_path.rglob("*")) == before
