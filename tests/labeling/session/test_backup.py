"""Databases that are damaged, lost or full, and the copy that is kept for that day."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import event

from adjudge.errors import DamagedDatabase, DiskFull
from adjudge.labeling.session import backup
from adjudge.labeling.session.background import keep_ready
from adjudge.labeling.session.project import open_project
from adjudge.labeling.session.session import Session
from adjudge.labeling.session.work import Work
from tests.support.commands import refused
from tests.support.labeling import Visit, page
from tests.support.pools import Begin


def labeled(session: Session, answers: int) -> Path:
    """Answer so many samples, and close; the file of the database."""
    keep_ready(session, Work.on(session.project), answers + 3)
    for _ in range(answers):
        [card] = session.next("ada")
        session.answer("ada", card.lease, "b")
    session.close()
    return session.project.folder / "labels.db"


def restored(file: Path) -> int:
    """Do what the sentence says; the answers that are there then."""
    for each in file.parent.glob(f"{file.name}*"):
        each.unlink()
    (file.parent / "labels.backup.db").rename(file)
    with closing(Session.open(open_project(file.parent))) as again:
        return len(again.ledger.answers)


@pytest.mark.parametrize("how", ["overwritten", "middle", "cut"])
def test_a_damaged_database_is_one_sentence_that_names_the_last_good_copy(begin: Begin, how: str) -> None:
    file = labeled(begin(), 5)
    whole = file.read_bytes()
    damaged = {
        "overwritten": b"not a database" * 500,
        "middle": whole[:4096] + b"\xff" * (len(whole) - 4096),
        "cut": whole[: len(whole) // 2],
    }[how]
    file.write_bytes(damaged)
    told = refused("export", "log", file.parent, "--out", file.parent / "out.csv")
    assert "labels.db is damaged" in told
    assert "the last good copy is labels.backup.db (5 answers" in told
    assert file.read_bytes() == damaged
    assert restored(file) == 5


@pytest.mark.parametrize("how", ["missing", "empty"])
def test_labels_that_are_gone_are_not_begun_anew(begin: Begin, how: str) -> None:
    file = labeled(begin(), 5)
    for each in file.parent.glob(f"{file.name}*"):
        each.unlink()
    if how == "empty":
        file.touch()
    with pytest.raises(DamagedDatabase, match=f"is {how}, though this project had labels; the last good copy is"):
        Session.open(open_project(file.parent))
    assert restored(file) == 5


def test_a_project_without_labels_may_lose_its_database(begin: Begin) -> None:
    file = labeled(begin(), 0)
    file.unlink()
    Session.open(open_project(file.parent)).close()


def test_a_copy_is_made_every_so_many_answers_and_a_damaged_one_replaces_none(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup, "EVERY", 4)
    session = begin()
    keep_ready(session, Work.on(session.project), 12)
    file = session.project.folder / "labels.db"
    counts = []
    for _ in range(10):
        [card] = session.next("ada")
        session.answer("ada", card.lease, "b")
        assert session.backups.thread is not None
        session.backups.thread.join()
        counts.append(backup.answers_in(backup.backup_of(file)))
    assert counts == [1, 1, 1, 1, 5, 5, 5, 5, 9, 9]
    session.close()
    file.write_bytes(b"not a database" * 500)
    backup.copy(file)
    assert backup.answers_in(backup.backup_of(file)) == 10
    assert not list(file.parent.glob(".labels*"))


def limit_pages(session: Session) -> None:
    """A disk without room: SQLite says the same when it may take no more pages."""

    def limit(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute(f"PRAGMA max_page_count={connection.execute('PRAGMA page_count').fetchone()[0]}")

    event.listen(session.store.engine, "connect", limit)
    session.store.engine.dispose()


def test_a_full_disk_is_said_as_such_and_the_answer_can_be_sent_again(begin: Begin) -> None:
    session = begin()
    with page(session) as client:
        ada = Visit(client)
        lease = ada.get("/api/cards").json()["cards"][0]["lease"]
        limit_pages(session)
        told = {"lease": lease, "label": "b", "note": "long " * 390}
        answers = [ada.post("/api/answers", told)]
        while answers[-1].status_code == 200:
            lease = answers[-1].json()["cards"][0]["lease"]
            answers.append(ada.post("/api/answers", told | {"lease": lease}))
        assert answers[-1].status_code == 507
        assert "disk is full" in answers[-1].json()["detail"]
        assert "labels.db" not in answers[-1].text
        with pytest.raises(DiskFull, match="free some space"):
            session.answer("ada", lease, "b", note="long " * 390)


def test_half_a_character_is_refused_and_blocks_nothing(begin: Begin) -> None:
    with page(begin()) as client:
        ada = Visit(client)
        [first, *_] = ada.get("/api/cards").json()["cards"]
        fine = {"lease": first["lease"], "label": "b", "note": ""}
        for slip in ({"note": "\ud800"}, {"label": "\udfff"}, {"lease": "\ud800"}, {"label": "\ud83d"}):
            body = json.dumps(fine | slip)
            headers = ada.headers | {"content-type": "application/json"}
            assert client.post("/api/answers", content=body, headers=headers).status_code == 422, slip
        assert ada.post("/api/answers", fine).status_code == 200
