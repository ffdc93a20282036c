"""`adjudge rank` slice by slice."""

from pathlib import Path

import pytest

from tests.support.commands import as_json, refused


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "predictions.csv"
    path.write_text("sample_id,site,net,tree\na,x,cat,dog\nb,x,dog,dog\nc,x,cat,cat\nd,y,cat,dog\n")
    words = ("rank", path, "--columns", "site", "--slice", "site", "--slice-labels", 2)
    told = as_json(*words)
    assert [(each["name"], each["too_small"]) for each in told["slices"]] == [("x", False), ("y", True)]
    assert told["slices"][0]["ranking"]["quantity"] == "agreement"
    labels = tmp_path / "labels.csv"
    labels.write_text("sample_id,label\na,cat\nb,dog\nc,cat\nd,cat\n")
    noisy = as_json("rank", path, "--columns", "site", "--labels", labels, "--drawn", "uniform", "--label-noise", 0.1)
    assert [row["low"] for row in noisy["models"]] == pytest.approx([0.9, 0.4])
    assert "no column 'place'" in refused("rank", path, "--columns", "site", "--slice", "place")
