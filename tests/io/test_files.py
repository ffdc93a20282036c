"""Files are replaced as a whole, or left as they were."""

import os
import stat
from pathlib import Path

import pytest

from adjudge.errors import InputError
from adjudge.io import atomic_write
from adjudge.io.files import remove_temporary


def left_over(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_atomic_write_replaces_the_file_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")
    path.chmod(0o640)
    with atomic_write(path) as file:
        file.write(b"new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert left_over(tmp_path) == ["out.txt"]


def fail_halfway(path: Path, error: type[BaseException]) -> None:
    with atomic_write(path) as file:
        file.write(b"half")
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_atomic_write_leaves_the_old_file_after_a_failure(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")
    with pytest.raises(error):
        fail_halfway(path, error)
    assert path.read_text() == "old"
    assert left_over(tmp_path) == ["out.txt"]


def test_atomic_write_leaves_the_old_file_when_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with (
        pytest.raises(
            InputError, match=r"out.txt cannot be written to .* \(No space left on device\); choose a folder"
        ),
        atomic_write(path) as file,
    ):
        file.write(b"half")
    assert path.read_text() == "old"
    assert left_over(tmp_path) == ["out.txt"]


def test_atomic_write_into_a_folder_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "nowhere" / "out.txt", tmp_path / "file" / "out.txt", tmp_path):
        with pytest.raises(InputError, match="cannot be written to"), atomic_write(path):
            pass


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write everywhere")
def test_atomic_write_into_a_folder_one_may_not_write_to(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="Permission denied"), atomic_write(tmp_path / "out.txt"):
        pass


def test_atomic_write_keeps_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    with atomic_write(tmp_path / "link.txt") as file:
        file.write(b"new")
    assert (tmp_path / "real.txt").read_text() == "new"
    assert (tmp_path / "link.txt").is_symlink()


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    with atomic_write(path) as file:
        file.write(b"half")
        (left,) = left_over(tmp_path)
        (tmp_path / "of-mine.tmp").write_text("x")
        Path(tmp_path, "copy").write_bytes(b"half")
        os.replace(tmp_path / "copy", tmp_path / left.replace(left[-8:-4], "dead"))
    remove_temporary(tmp_path)
    assert left_over(tmp_path) == ["of-mine.tmp", "out.txt"]
