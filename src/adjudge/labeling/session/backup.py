"""The last good copy of a SQLite database: beside it, whole, and replaced only by a newer one that is whole too."""

import os
import sqlite3
import tempfile
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Thread

from adjudge.core.index import counted
from adjudge.errors import DamagedDatabase

EVERY = 100  # answers between two copies


def backup_of(file: Path) -> Path:
    return file.with_name(f"{file.stem}.backup{file.suffix}")


@dataclass
class Backups:
    """Copies a database in the background, after the first answer and then after every so many."""

    file: Path | None  # None: the database takes care of itself
    kept: int = 0  # answers that the copy holds
    thread: Thread | None = None

    def follow(self, answers: int) -> None:
        """Copy if it is time; to be called when so many answers are on disk."""
        due = answers >= self.kept + EVERY or (answers and not self.kept)
        if self.file is None or not due or (self.thread is not None and self.thread.is_alive()):
            return
        self.kept = answers
        self.thread = Thread(target=copy, args=(self.file,))
        self.thread.start()

    def close(self, answers: int) -> None:
        if self.thread is not None:
            self.thread.join()
        if self.file is not None and answers != self.kept and self.kept:
            copy(self.file)


def copy(file: Path) -> None:
    """Write the copy; a database that is damaged or a disk that is full leaves the last good one as it is."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    os.close(handle)
    try:
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(name)) as made:
            source.backup(made)
            made.execute("PRAGMA journal_mode=DELETE")
            if made.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                return
        with open(name, "rb") as written:
            os.fsync(written.fileno())
        os.replace(name, backup_of(file))
    except (sqlite3.Error, OSError):  # the next one may succeed; labels themselves are not touched
        return
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def answers_in(file: Path) -> int | None:
    """How many answers a copy holds; None: it cannot be read."""
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as copied:
            return int(copied.execute("SELECT count(*) FROM answer").fetchone()[0])
    except (sqlite3.Error, OSError):
        return None


def check_present(file: Path) -> None:
    """Refuse to begin anew where the labels of a project have gone."""
    lost = not file.exists() or file.stat().st_size == 0
    if lost and backup_of(file).exists() and answers_in(backup_of(file)) != 0:
        state = "is empty" if file.exists() else "is missing"
        raise DamagedDatabase(f"the database {file} {state}, though this project had labels; {restore_sentence(file)}")


def restore_sentence(file: Path) -> str:
    """What to do about a database that is lost or damaged."""
    kept = backup_of(file)
    answers = answers_in(kept) if kept.exists() else None
    if answers is None:
        return "there is no copy beside it, so restore the file from a copy of your own"
    at = datetime.fromtimestamp(kept.stat().st_mtime).strftime("%Y-%m-%d %H:%M")
    return (
        f"the last good copy is {kept.name} ({counted(answers, 'answer')}, {at}): move every {file.name}* away, then "
        f"copy {kept.name} to {file.name}"
    )
