"""The worst that can happen to a labeling page while people answer: no confirmed label may be lost or doubled.

python scripts/torture.py [--rounds 5] [--only kill postgresql-stop disk-full clock two-servers offline]
"""

import argparse
import shutil
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from unittest.mock import patch

from sqlalchemy import event

from adjudge.errors import DiskFull
from adjudge.labeling.session.background import keep_ready
from adjudge.labeling.session.project import ProjectSettings, create, open_project
from adjudge.labeling.session.rows import UNDONE
from adjudge.labeling.session.session import Session, Taken
from adjudge.labeling.session.work import Work
from adjudge.simulation.contract import example_pool

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.support import postgres
from tests.support.labeling import Clock, Server
from tests.support.people import TOO_LONG, Confirmed, Person

PEOPLE = 4
BETWEEN = 10  # confirmed labels between two blows
DAY = 24 * 3600.0


@dataclass(frozen=True)
class Result:
    """What came of a case."""

    blows: int
    confirmed: int
    lost: int
    doubled: int


def judged(folder: Path, database: str | None, confirmed: Confirmed, blows: int) -> Result:
    """Hold what people were told against what is stored."""
    with closing(Session.open(open_project(folder), database)) as session:
        stored = {pick.name: answer.label for _, pick, answer in session.answers() if answer.kind != UNDONE}
        rows = Counter(pick.name for _, pick, answer in session.answers() if answer.kind != UNDONE)
    lost = sum(stored.get(sample) != label for sample, label in confirmed.said)
    return Result(blows, len(confirmed.said), lost, sum(count > 1 for count in rows.values()))


def new_project(folder: Path) -> Path:
    pool, _ = example_pool(models=4, samples=5000, classes=4, seed=0)
    create(folder / "p.adjudge", pool, ProjectSettings(method="random"))
    return folder / "p.adjudge"


@contextmanager
def people_at(*ports: str) -> Iterator[Confirmed]:
    confirmed, end = Confirmed(), Event()
    people = [Person(number, int(ports[number % len(ports)]), confirmed, end) for number in range(PEOPLE)]
    for person in people:
        person.start()
    try:
        yield confirmed
    finally:
        end.set()
        for person in people:
            person.join()


def end_at_once(server: Server) -> None:
    """End it by kill -9; the processes beside it, which hold no label, notice by themselves."""
    server.process.kill()
    server.process.wait()
    assert server.process.stderr is not None
    server.process.stderr.close()


def kill(folder: Path, database: str | None, rounds: int) -> Result:
    """Kill -9 of the server, again and again."""
    project = new_project(folder)
    words = (project, *(("--database", database) if database else ()))
    server = Server(*words)
    with people_at(server.port) as confirmed:
        for _ in range(rounds):
            confirmed.wait(BETWEEN)
            end_at_once(server)
            server = Server(*words, port=server.port)
        confirmed.wait(BETWEEN)
    end_at_once(server)
    return judged(project, database, confirmed, rounds)


def two_servers(folder: Path, database: str | None, rounds: int) -> Result:
    """Two servers on one project, one of which is killed again and again."""
    project = new_project(folder)
    words = (project, *(("--database", database) if database else ()))
    first, second = Server(*words), Server(*words)
    with people_at(first.port, second.port) as confirmed:
        for _ in range(rounds):
            confirmed.wait(BETWEEN)
            end_at_once(second)
            second = Server(*words, port=second.port)
        confirmed.wait(BETWEEN)
    end_at_once(first)
    end_at_once(second)
    return judged(project, database, confirmed, rounds)


def postgresql_stop(folder: Path, rounds: int) -> Result:
    """An immediate stop of PostgreSQL under a running server."""
    with postgres.started() as database:
        project = new_project(folder)
        server = Server(project, "--database", database.url)
        with people_at(server.port) as confirmed:
            for _ in range(rounds):
                confirmed.wait(BETWEEN)
                database.stop()
                time.sleep(1.0)
                database.start()
            confirmed.wait(BETWEEN)
        end_at_once(server)
        return judged(project, database.url, confirmed, rounds)


def disk_full(folder: Path, rounds: int) -> Result:
    """A database that may take no more pages, until there is room again."""
    project, confirmed = new_project(folder), Confirmed()
    for _ in range(rounds):
        with closing(Session.open(open_project(project))) as session:
            keep_ready(session, Work.on(session.project), 500)

            def limit(connection: sqlite3.Connection, *_: object) -> None:
                pages = connection.execute("PRAGMA page_count").fetchone()[0]
                connection.execute(f"PRAGMA max_page_count={pages + 2}")

            event.listen(session.store.engine, "connect", limit)
            session.store.engine.dispose()
            with suppress(DiskFull):
                while cards := session.next("ada"):
                    label = "abcd"[int(cards[0].name) % 4]
                    session.answer("ada", cards[0].lease, label, note="some words " * 20)
                    confirmed.add(cards[0].name, label)
    return judged(project, None, confirmed, rounds)


def clock(folder: Path, rounds: int) -> Result:
    """The clock of the machine jumps a day ahead, and back, while two people hold samples."""
    project, confirmed, now = new_project(folder), Confirmed(), Clock()
    turned = patch("adjudge.labeling.session.store.Turn", now.turn)
    with turned, closing(Session.open(open_project(project))) as session:
        keep_ready(session, Work.on(session.project), 40 * rounds)
        for turn in range(2 * rounds):
            held = {person: session.next(person, 2) for person in ("ada", "bob")}
            now.now += DAY if turn % 2 == 0 else -DAY
            for person, cards in held.items():
                label = "abcd"[int(cards[0].name) % 4]
                with suppress(Taken):  # its time was over, and the other one has it
                    session.answer(person, cards[0].lease, label, ahead=2)
                    confirmed.add(cards[0].name, label)
            [first] = session.next("carl")  # what the others hold does not stay away for a day
            assert first.place <= max(card.place for cards in held.values() for card in cards) + 4
    return judged(project, None, confirmed, 2 * rounds)


def offline(folder: Path, rounds: int) -> Result:
    """A browser that loses its connection, is used on, and gets it back."""
    from playwright.sync_api import sync_playwright

    project, confirmed = new_project(folder), Confirmed()
    server = Server(project)
    shown = "old => { const now = document.getElementById('card-body').dataset.lease; return now && now !== old; }"
    sent = "() => Object.values(localStorage).every(waiting => waiting === '[]')"
    with sync_playwright() as playwright, ExitStack() as end:
        end.callback(end_at_once, server)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(1000 * TOO_LONG)
        page.goto(server.url)
        for _ in range(rounds):
            for away in (False, True, True):  # two cards are loaded ahead
                page.wait_for_function(shown, arg="")
                lease, name = page.get_attribute("#card-body", "data-lease"), page.inner_text("#card-name")
                page.context.set_offline(away)
                page.keyboard.press("1")
                confirmed.add(name, "a")
                if not away:
                    page.wait_for_function(shown, arg=lease)
                    page.wait_for_function(sent)
                    page.wait_for_timeout(500)
            page.context.set_offline(False)
            page.wait_for_function(sent)
        browser.close()
    return judged(project, None, confirmed, rounds)


def cases(rounds: int) -> Iterator[tuple[str, str, Callable[[Path], Result]]]:
    there = postgres.program("initdb") is not None and postgres.program("pg_ctl") is not None

    def on_postgresql(case: Callable[[Path, str | None, int], Result]) -> Callable[[Path], Result]:
        def run(folder: Path) -> Result:
            with postgres.running() as url:
                return case(folder, url, rounds)

        return run

    yield "kill", "kill -9 of the server, SQLite", lambda folder: kill(folder, None, rounds)
    yield "two-servers", "two servers, one killed, SQLite", lambda folder: two_servers(folder, None, rounds)
    if there:
        yield "kill", "kill -9 of the server, PostgreSQL", on_postgresql(kill)
        yield "two-servers", "two servers, one killed, PostgreSQL", on_postgresql(two_servers)
        yield "postgresql-stop", "immediate stop of PostgreSQL", lambda folder: postgresql_stop(folder, rounds)
    yield "disk-full", "full disk", lambda folder: disk_full(folder, rounds)
    yield "clock", "the clock jumps a day, both ways", lambda folder: clock(folder, rounds)
    if shutil.which("chromium"):
        yield "offline", "a browser goes offline", lambda folder: offline(folder, rounds)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rounds", type=int, default=5)
    asked.add_argument("--only", nargs="*", default=[])
    told = asked.parse_args()
    print("| what happens | times | labels confirmed | lost | doubled |\n|---|---|---|---|---|", flush=True)
    fine = True
    for name, words, case in cases(told.rounds):
        if told.only and name not in told.only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = case(Path(folder))
        fine &= not (found.lost or found.doubled)
        print(f"| {words} | {found.blows} | {found.confirmed} | {found.lost} | {found.doubled} |", flush=True)
    sys.exit(0 if fine else "a label was lost or doubled")


if __name__ == "__main__":
    main()
