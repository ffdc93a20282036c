"""`adjudge simulate`."""

from pathlib import Path

import pytest

from adjudge.io import read, read_truth
from adjudge.reports.plain import plain
from adjudge.simulation.simulate import simulate
from tests.support.commands import TRUTH, as_json, refused
from tests.support.pools import Task


def test_simulate_on_a_truth_file(wide: Path, tmp_path: Path) -> None:
    truth = tmp_path / "truth.csv"
    truth.write_text("sample_id,label\n" + "".join(f"{key},{value}\n" for key, value in TRUTH.items()))
    result = as_json("simulate", wide, "--truth", truth, "--budget", 6, "--seeds", 3)
    assert result["truth"] == pytest.approx({"net": 1.0, "tree": 4 / 6, "rule": 3 / 6})
    assert result["summary"]["regret"]["6"] == {"mean": 0.0, "std": 0.0}
    assert set(result["summary"]["cumulative_regret"]) == {"mean", "std"}
    assert len(result["curves"]["spearman"]["mean"]) == 7


def test_simulate_on_a_real_task(task: Task) -> None:
    """What the numbers must be is checked in tests/claims/test_reference_numbers.py; here that they are these."""
    told = as_json("simulate", task("pacs"), "--method", "random", "--budget", 20, "--seeds", 2)
    pool, truth = read_truth(task("pacs"), read(task("pacs")))
    expected = plain(simulate(pool, truth, "random", budget=20, seeds=2).to_dict())
    assert told == {"schema": told["schema"], **expected}


def test_a_simulation_without_truth_is_refused(wide: Path) -> None:
    assert "--truth" in refused("simulate", wide)
