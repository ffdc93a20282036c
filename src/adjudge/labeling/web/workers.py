"""Several web processes on one project, for PostgreSQL: the first picks and ranks, the others only serve."""

import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from adjudge.labeling.session.background import Background
from adjudge.labeling.session.project import open_project
from adjudge.labeling.session.session import Session
from adjudge.labeling.session.work import Work
from adjudge.labeling.web.access import Access, Ended
from adjudge.labeling.web.app import make_app
from adjudge.labeling.web.connections import PageServer
from adjudge.labeling.web.desk import Desk
from adjudge.models.datasets.contents import Samples


@dataclass(frozen=True)
class Place:
    """What a process needs to serve a project."""

    folder: Path
    database: str | None
    access: dict[str, Any]  # what `Access` is made of
    hosts: tuple[str, ...]
    listening: socket.socket


@dataclass
class Relay(Background):
    """The background of a process that only serves: another one picks and ranks, and says what came of it."""

    line: Connection = field(kw_only=True)
    when_alone: Callable[[], None] = field(kw_only=True)  # called when the other process is gone
    sending: Any = field(default_factory=Lock)

    def start(self) -> None:
        Thread(target=self._forever, args=(self.on_nothing,), daemon=True).start()
        Thread(target=self._hear, daemon=True).start()

    def on_nothing(self) -> None:
        """Only look for rows of other processes."""

    def wake(self, person: str | None = None, short: int = 0) -> None:
        super().wake(person, short)
        with suppress(OSError), self.sending:
            self.line.send((person, short))

    def _hear(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                self.newest, self.problem, self.exhausted = self.line.recv()
                self.session.refresh()
                self.on_look()
        self.when_alone()


class Workers:
    """The other processes, as the first one sees them."""

    def __init__(self, count: int, place: Place, background: Background) -> None:
        context = get_context("spawn")
        self.background, publish = background, background.on_look
        self.lines, self.processes = [], []
        for _ in range(count):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(place, theirs), daemon=True)
            process.start()
            theirs.close()
            self.lines.append(ours)
            self.processes.append(process)
            Thread(target=self._hear, args=(ours,), daemon=True).start()

        spreading = Lock()  # two threads look and pick, and a line takes one message at a time

        def spread() -> None:
            with spreading:
                publish()
                for line in self.lines:
                    with suppress(OSError):
                        line.send((background.newest, background.problem, background.exhausted))

        background.on_look = spread

    def _hear(self, line: Connection) -> None:
        with suppress(EOFError, OSError):
            while True:
                person, short = line.recv()
                self.background.refreshed = float("-inf")  # what that process wrote is not known here yet
                self.background.demand.short |= {} if person is None else {person: short}
                self.background.wake()

    def close(self) -> None:
        for process in self.processes:
            process.terminate()
        for process, line in zip(self.processes, self.lines, strict=True):
            process.join()
            line.close()


def _serve(place: Place, line: Connection) -> None:
    """One more web process, until it is told to end or the first one is gone."""
    project = open_project(place.folder)
    session = Session.open(project, place.database)
    samples = Samples.of(project.predictions, project.path_of(project.settings.data))
    idle = Work.on(project)  # never asked: the first process picks and ranks
    servers: list[PageServer] = []

    def end() -> None:
        for server in servers:
            server.should_exit = True

    relay = Relay(session, idle, idle, line=line, when_alone=end)
    access = Access(**place.access, ended=Ended(place.folder / "ended"))
    desk = Desk(session, samples, relay, access)
    servers.append(PageServer(make_app(desk, place.hosts), desk.hub.close))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # until the server listens to it
    with suppress(KeyboardInterrupt):
        servers[0].run([place.listening])
    session.close()
