"""Results of models are kept: what has not changed is used again, and what was damaged is made anew."""

import json
from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge.errors import AdjudgeWarning, InputError
from adjudge.models.datasets import Dataset
from tests.support.functions import CODE, pool_of


def test_an_interrupted_run_goes_on_where_it_was(code: str, data: Dataset, tmp_path: Path) -> None:
    calls, runs = tmp_path / "calls", tmp_path / "runs"
    with pytest.raises(KeyboardInterrupt):
        adjudge.predict(f"{code}:stop_at_six", data, batch=2, cache=runs)
    assert len(calls.read_text()) == 4
    assert [folder.suffix for folder in runs.iterdir()] == [".part"]
    (tmp_path / "calls.go").touch()
    found = adjudge.predict(f"{code}:stop_at_six", data, batch=2, cache=runs)
    assert len(calls.read_text()) == 6
    assert found.predictions.values.tolist() == [list(range(10))]


def test_a_second_run_uses_what_has_not_changed(code: str, data: Dataset, tmp_path: Path) -> None:
    calls, runs = tmp_path / "calls", tmp_path / "runs"

    def run(pool: Dataset = data, fresh: bool = False) -> tuple[int, tuple[str, ...]]:
        before = len(calls.read_text())
        reused = adjudge.predict(f"{code}:parity", pool, cache=runs, fresh=fresh).reused
        return len(calls.read_text()) - before, reused

    assert run() == (1, ())
    assert run() == (0, ("parity",))
    assert run(fresh=True) == (1, ())
    changed = data.transformed(lambda rows, first: rows + first, "moved")
    assert run(changed) == (1, ())
    (tmp_path / "code.toml").write_text("scale = 2\n")
    assert run() == (1, ())
    (tmp_path / "code.toml").write_text("scale = 2\ntimeout = 9\n")
    assert run() == (0, ("parity",))
    Path(code).write_text(CODE + "\n")
    assert run() == (1, ())


@pytest.mark.parametrize("file", ["values.npy", "about.json"])
def test_a_kept_result_that_was_damaged_is_made_anew(code: str, data: Dataset, tmp_path: Path, file: str) -> None:
    before = adjudge.predict(f"{code}:parity", data, cache=tmp_path / "runs").predictions
    kept = next((tmp_path / "runs").glob(f"*/{file}"))
    kept.write_bytes(kept.read_bytes()[:40])
    again = adjudge.predict(f"{code}:parity", data, cache=tmp_path / "runs")
    assert not again.reused
    np.testing.assert_array_equal(again.predictions.values, before.values)
    assert adjudge.predict(f"{code}:parity", data, cache=tmp_path / "runs").reused


def test_a_folder_that_cannot_be_made_is_told(code: str, data: Dataset) -> None:
    with pytest.raises(InputError, match=r"results cannot be kept in .*code\.py.runs"):
        adjudge.predict(f"{code}:parity", data, cache=f"{code}/runs")


def test_only_an_empty_folder_of_our_own_is_taken_away(code: str, data: Dataset, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    for name, stays in (("theirs", True), ("ours", False)):
        with pytest.raises(InputError, match="no_such"):
            adjudge.predict(f"{code}:no_such", data, cache=tmp_path / name)
        assert (tmp_path / name).exists() == stays


def test_results_carry_where_they_come_from(code: str, data: Dataset, tmp_path: Path) -> None:
    found = adjudge.predict(f"{code}:parity", data, cache=tmp_path / "runs")
    adjudge.write_predicted(found, tmp_path / "pool.npz")
    with np.load(tmp_path / "pool.npz") as stored:
        origins = json.loads(str(stored["origins"]))
    assert origins["parity"]["data"] == data.digest
    assert {"adjudge", "numpy"} <= set(origins["parity"]["versions"])
    assert len(origins["parity"]["model"]) == 64


def test_predictions_made_elsewhere_pass_through(code: str, data: Dataset, tmp_path: Path) -> None:
    file = tmp_path / "old.csv"
    file.write_text("sample_id,tree,rule\n" + "".join(f"{name},1,0\n" for name in "jihgfedcba"))
    pool = pool_of(f"{code}:parity", str(file), data=data)
    assert pool.models == ("parity", "tree", "rule")
    assert pool.values[1:].tolist() == [[1] * 10, [0] * 10]
    file.write_text("sample_id,tree\na,1\n")
    with pytest.warns(AdjudgeWarning, match=r"old.csv has no predictions for 9 of the 10 samples, 'b' among them"):
        assert pool_of(f"{code}:parity", str(file), data=data).models == ("parity",)
