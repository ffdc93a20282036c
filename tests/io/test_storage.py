"""Files behind a URL."""

import sys
from pathlib import Path

import fsspec
import pytest

from adjudge.io import read
from tests.support.commands import as_json, refused
from tests.support.parts import MODELS, SAMPLES, SMALL, flat, in_parts, write_pool


def test_a_url(tmp_path: Path) -> None:
    here = write_pool(tmp_path, "wide")
    there = "memory://bucket/pool"
    fsspec.filesystem("memory").put(str(here), "/bucket/pool", recursive=True)
    assert in_parts(there).n_predicted.tolist() == read(here).n_predicted.tolist()
    assert read(f"{there}/part-1.parquet").n_predicted.tolist() == read(here / "part-1.parquet").n_predicted.tolist()
    assert read(f"file://{here}").models == read(here).models
    ours, theirs = as_json("rank", there, "--memory", SMALL)["models"], as_json("rank", here)["models"]
    assert [each["name"] for each in ours] == [each["name"] for each in theirs]
    assert flat(ours) == pytest.approx(flat(theirs), abs=1e-12)
    assert "does not exist" in refused("check", "memory://bucket/nowhere.parquet")


def test_what_cannot_be_read_from_afar_in_parts(tmp_path: Path) -> None:
    there = "memory://bucket/pool.npy"
    fsspec.filesystem("memory").put(str(write_pool(tmp_path, "npy")), "/bucket/pool.npy")
    assert read(there).values.shape == (MODELS, SAMPLES)
    assert "can be read in parts only here, or as Parquet" in refused("check", there, "--memory", SMALL)


def test_a_url_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    told = refused("check", "s3://bucket/pool")
    assert "s3://bucket/pool needs a package that is not installed (Install s3fs to access S3)" in told
    assert "nosuch://bucket/pool cannot be opened (" in refused("check", "nosuch://bucket/pool")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    assert "needs fsspec, which is not installed; run: pip install" in refused("check", "memory://pool.csv")
