"""Tasks: where they are found."""

from pathlib import Path

import pytest

from adjudge.errors import AdjudgeError
from adjudge.experiments.tasks import find, load
from tests.support.small_tasks import small_task, write_regression, write_task


def test_tasks_are_found_by_path_by_name_or_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        write_task(tmp_path / f"{name}.npz")
    monkeypatch.setenv("ADJUDGE_TASKS", str(tmp_path))
    assert [path.stem for path in find()] == ["a", "b"]
    assert find(["b", str(tmp_path / "a.npz")]) == [tmp_path / "b.npz", tmp_path / "a.npz"]
    with pytest.raises(AdjudgeError, match="the task 'c' is neither an npz file nor in"):
        find(["c"])
    with pytest.raises(AdjudgeError, match="the task 'a' is given 2 times"):
        find(["a", str(tmp_path / "a.npz")])


def test_no_folder_is_looked_into_that_nobody_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shared" / "tasks").mkdir(parents=True)
    (tmp_path / "here").mkdir()
    for folder in ("shared/tasks", "here"):
        write_task(tmp_path / folder / "a.npz")
    monkeypatch.chdir(tmp_path / "here")
    for told in (None, ""):
        monkeypatch.delenv("ADJUDGE_TASKS", raising=False) if told is None else monkeypatch.setenv(
            "ADJUDGE_TASKS", told
        )
        assert find() == []
        assert find(["a.npz"]) == [Path("a.npz")]
        with pytest.raises(AdjudgeError, match="the task 'a' is neither an npz file nor in"):
            find(["a"])


def test_tasks_know_their_features(tmp_path: Path) -> None:
    task = small_task(tmp_path)
    assert task.with_features() == ("model 0", "model 3", "model 7", "model 8", "model 11")
    assert task.features("model 3").shape == (240, 4)
    assert load(write_regression(tmp_path / "numbers.npz")).predictions.classes is None
