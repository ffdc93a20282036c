"""Files of users."""

from pathlib import Path

import pytest

from adjudge.errors import InputError
from adjudge.labeling.web.users import LABELER, OWNER, read_users
from tests.support.commands import adjudge
from tests.support.users import ADA, BOB, EVE

pytestmark = pytest.mark.usefixtures("cheap")


def test_passwords_are_kept_as_hashes_and_plain_ones_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "users.txt"
    assert adjudge("users", "add", file, "ada", "--role", "owner", said=f"{ADA}\n").returncode == 0
    assert adjudge("users", "add", file, "bob", said=f"{BOB}\n").returncode == 0
    assert ADA not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    found = read_users(file)
    assert {name: user.role for name, user in found.items()} == {"ada": OWNER, "bob": LABELER}
    assert (found["ada"].knows(ADA), found["ada"].knows(BOB)) == (True, False)
    file.write_text(f"\ufeff{file.read_text()}")  # as some editors leave it
    assert set(read_users(file)) == {"ada", "bob"}
    file.write_text(f"{file.read_text()}eve:{EVE}\n")
    with pytest.raises(InputError, match=r"line 3 of users.txt has no hash .* adjudge users add .*users.txt eve"):
        read_users(file)
    file.chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        read_users(file)


@pytest.mark.parametrize(
    ("words", "said", "sentence"),
    [
        (("ada",), "short\n", "too short to be safe"),
        (("a:b",), f"{ADA}\n", "has a colon"),
        (("ada", "--role", "king"), f"{ADA}\n", "give labeler, adjudicator or owner"),
    ],
)
def test_users_that_cannot_be_are_refused(tmp_path: Path, words: tuple[str, ...], said: str, sentence: str) -> None:
    done = adjudge("users", "add", tmp_path / "users.txt", *words, said=said)
    assert (done.returncode, sentence in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "users.txt").exists()
