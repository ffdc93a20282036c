"""`adjudge compare` as a gate."""

import json

import pytest

from tests.support.commands import WIDE, as_json, refused
from tests.support.commands import adjudge as adjudge_command


def test_the_command_is_a_gate(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("gate")
    pool, labels = folder / "predictions.csv", folder / "labels.csv"
    pool.write_text(WIDE)
    labels.write_text("sample_id,label\nc,cat\ne,dog\n")
    shown = ("compare", pool, "net", "tree", "--labels", labels)  # every sample on which they differ is labeled
    found = as_json(*shown)
    assert found["difference"] == found["low"] == pytest.approx(1 / 3)
    assert found["holds"] is True
    noisy = " ".join(adjudge_command(*shown, "--label-noise", 0.2).stdout.split())
    assert "Intervals allow for 20% of labels being wrong." in noisy
    assert ("with so much label noise more labels cannot be expected to show it.") in noisy
    doubtful = adjudge_command(*shown, "--label-noise", 0.2, "--json")
    assert doubtful.returncode == 1
    assert json.loads(doubtful.stdout)["low"] == pytest.approx(1 / 3 - 0.4)
    assert "is not known" in refused("compare", pool, "net", "rule", "--labels", labels)
    unsure = adjudge_command("compare", pool, "net", "rule", "--labels", labels, "--drawn", "uniform")
    assert unsure.returncode == 1
    said = " ".join(unsure.stdout.split())
    assert "That net is better than rule is not shown; about 1 more label where the two differ may show it." in said
    assert "fixed in advance; a test that is run again and again needs --anytime" in said
    drawn = f"--labels {labels} --drawn uniform --models net rule --budget 1 --out {labels}"
    assert f"Draw them with: adjudge select {pool} {drawn}" in said
    against = adjudge_command(*shown[:2], "tree", "net", *shown[4:])
    assert against.returncode == 1
    told = " ".join(against.stdout.split())
    assert told.startswith("That tree is better than net is refuted for this pool: net is better.")
    assert "'equivalent' needs a margin" in refused(*shown, "--test", "equivalent")
    assert "5 as 0.05" in refused(*shown, "--test", "non-inferior", "--margin", 5)
