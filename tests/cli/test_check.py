"""Checking files of predictions."""

from dataclasses import replace
from pathlib import Path

import pytest

from adjudge.cli.check import RANK, _suggest
from adjudge.cli.groups import PredictionsSource
from adjudge.cli.inputs import EngineName
from tests.support.commands import adjudge, as_json


def test_check_names_five_models_on_the_screen_and_all_in_json(tmp_path: Path) -> None:
    source, names = tmp_path / "p.csv", [f"m{model}" for model in range(9)]
    rows = [f"s{row},{'a,' * len(names)}{'ab'[row % 2]}" for row in range(6)]
    source.write_text("\n".join([f"sample_id,{','.join(names)},other", *rows]))
    assert "'m4' says 'a' and 4 more" in " ".join(adjudge("check", source).stdout.split())
    assert list(as_json("check", source)["constant"]) == names


def test_check_suggests_commands_that_take_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    source = PredictionsSource([Path("parts")], id="key", engine=EngineName.dask, scheduler="tcp://here:1")
    _suggest(source, ["(none)"], RANK, in_parts=True)
    merge, rank = (line.strip() for line in capsys.readouterr().out.splitlines() if line.startswith("  "))
    assert merge == "adjudge merge parts --id key --abstain '(none)' --out pool"
    assert rank == "adjudge rank pool --scheduler tcp://here:1 --engine dask"
    _suggest(replace(source, id=None), [], RANK, in_parts=True)
    assert "adjudge rank parts --scheduler tcp://here:1 --engine dask" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("head", "scores", "told"),
    [
        ("sample_id,a,b", (), "Next: which samples to label: adjudge select p.csv --budget 10 --out labels.csv"),
        ("sample_id,a,b", ("--scores",), "rank by their scores: adjudge rank pool.parquet"),
        ("sample_id,model,score", (), "Next: how the models rank by their scores: adjudge rank p.csv"),
    ],
)
def test_check_suggests_what_can_be_done_with_numbers(
    head: str, scores: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"s{at},0.{at},1.{at}" if head.endswith("b") else f"s{at // 2},{'ab'[at % 2]},0.{at}" for at in range(10)]
    Path("p.csv").write_text("\n".join([head, *rows]), encoding="utf-8")
    assert told in " ".join(adjudge("check", "p.csv", *scores).stdout.split())
