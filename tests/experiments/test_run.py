"""Results in files: kept, resumed, the same bytes."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from pyarrow import parquet

from adjudge.experiments.jobs import Job, Outcome, RunSettings, run_job
from adjudge.experiments.results import read_outcome, write_results
from adjudge.experiments.run import run
from adjudge.experiments.tasks import Task, load
from tests.support.comparisons import COMPARISON, play, rows_of
from tests.support.small_tasks import write_task


def files_of(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(out.rglob("*.parquet"))}


def test_the_same_seed_gives_the_same_bytes(tasks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(tasks, tasks / "here")
    monkeypatch.setattr("adjudge.simulation.engine.WORTH_IT", 0.0)  # so that other processes are started for so little
    play(tasks, tasks / "there", workers=2)
    first, second = files_of(tasks / "here"), files_of(tasks / "there")
    assert len(first) == 8
    assert first == second
    play(tasks, tasks / "other", seed=1)
    assert files_of(tasks / "other")["results.parquet"] != first["results.parquet"]


def test_what_a_task_lacks_is_left_out_with_the_reason(tasks: Path) -> None:
    results = play(tasks, tasks / "out")
    assert [(each.job.task, each.job.name) for each in results.left_out] == [("bare", "RDG")]
    assert "needs the probabilities" in results.left_out[0].reason
    assert results.get("bare", "RDG") is None
    assert results.get("full", "RDG") is not None
    [row] = rows_of(tasks / "out" / "left-out.csv")
    assert row.pop("reason").startswith("DeepGini needs")
    assert row == {"task": "bare", "method": "RDG", "looked_at": "", "part_number": ""}


def test_what_is_done_is_not_done_again(tasks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    once = play(tasks, tasks / "out")
    before = files_of(tasks / "out")
    lost = next((tasks / "out" / "parts").glob("full-SDS-*.parquet"))
    lost.unlink()
    asked: list[str] = []

    def noted(job: Job, task: Task) -> Outcome:
        asked.append(job.name)
        return run_job(job, task)

    monkeypatch.setattr("adjudge.experiments.run.run_job", noted)
    again = play(tasks, tasks / "out")
    assert sorted(asked) == ["RDG", "SDS"]  # RDG on the bare task is asked each time
    assert files_of(tasks / "out") == before
    assert len(again.outcomes) == len(once.outcomes) == 7


@pytest.mark.parametrize("damage", ["cut", "no time"])
def test_a_damaged_part_is_made_again(tasks: Path, damage: str) -> None:
    before = play(tasks, tasks / "out")
    part = sorted((tasks / "out" / "parts").glob("*.parquet"))[0]
    whole = part.read_bytes()
    if damage == "cut":
        part.write_bytes(whole[:100])
    else:
        part.with_suffix(".seconds").unlink()
    after = play(tasks, tasks / "out")
    assert part.read_bytes() == whole
    assert len(after.outcomes) == len(before.outcomes)


def test_progress_counts_what_was_there(tasks: Path) -> None:
    paths = {"full": tasks / "full.npz"}
    jobs = COMPARISON.jobs([load(paths["full"])], RunSettings(repetitions=2))
    told: list[int] = []
    run(jobs[:2], paths, tasks / "out", 1)
    run(jobs, paths, tasks / "out", 1, told.append)
    assert told == [2, 3, 4]


def test_a_part_of_a_pool_is_kept_and_told(tasks: Path) -> None:
    paths = {"full": tasks / "full.npz"}
    whole = COMPARISON.jobs([load(paths["full"])], RunSettings(repetitions=2))[0]
    jobs = [whole, *(replace(whole, part=(50, number)) for number in range(2))]
    first, again = (run(jobs, paths, tasks / "out", 1) for _ in range(2))
    assert [each.job for each in again.outcomes] == jobs
    assert [each.truth.tolist() for each in again.outcomes] == [each.truth.tolist() for each in first.outcomes]
    write_results(again, tasks / "out")
    rows = parquet.read_table(tasks / "out" / "results.parquet").to_pandas()
    assert rows.part_samples.isna().sum() == first.outcomes[0].values.size
    assert set(rows[rows.part_samples == 50].part_number) == {0, 1}


def test_control_c_keeps_what_is_done(tmp_path: Path) -> None:
    task = write_task(tmp_path / "slow.npz", models=20, samples=800)
    call = [sys.executable, "-m", "adjudge", "bench", "sds-2021", "--task", str(task), "--out", str(tmp_path / "out")]
    running = subprocess.Popen(
        [*call, "--repetitions", "100"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    parts = tmp_path / "out" / "parts"  # with the third, other processes are at work
    until = time.monotonic() + 100
    while len(list(parts.glob("*.parquet"))) < 3 and time.monotonic() < until and running.poll() is None:
        time.sleep(0.1)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to all processes of the command
    _, told = running.communicate(timeout=60)
    assert running.returncode == 130, told
    assert "what is done is kept in" in told
    assert "Traceback" not in told
    kept = sorted(parts.iterdir())
    assert kept
    assert {path.suffix for path in kept} <= {".parquet", ".seconds"}
    assert len([read_outcome(path) for path in kept if path.suffix == ".parquet"]) < 21
