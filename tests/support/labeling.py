"""A labeling page in this process, and a visitor without a browser."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any
from unittest.mock import patch

from fastapi.testclient import TestClient
from sqlalchemy import Connection

from adjudge.core.predictions import Predictions
from adjudge.labeling.session.background import Background, keep_ready
from adjudge.labeling.session.project import Project, open_project
from adjudge.labeling.session.session import Session
from adjudge.labeling.session.store import Turn
from adjudge.labeling.session.work import Work
from adjudge.labeling.start import LabelingPage, label_project, serve
from adjudge.labeling.web.access import Access
from adjudge.labeling.web.app import make_app
from adjudge.labeling.web.connections import PageServer
from adjudge.labeling.web.desk import Desk
from adjudge.labeling.web.pages import BROWSER
from adjudge.models.datasets.contents import Samples
from tests.support.pools import Begin

SECRET = "a secret for tests only"


class Clock:
    """What leases go by, turned by hand: a busy machine does not make them end early."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def turn(self, connection: Connection, project: str, rows: int) -> Turn:
        return Turn(connection, project, rows, self.now)


def desk(session: Session, access: Access | None = None, data: Path | None = None) -> Desk:
    picker, looker = (Work.on(open_project(session.project.folder)) for _ in range(2))
    keep_ready(session, picker, 6)
    samples = Samples.of(session.project.predictions, data)
    return Desk(session, samples, Background(session, picker, looker), access or Access(SECRET, person="ada"))


@contextmanager
def page(session: Session, access: Access | None = None, data: Path | None = None) -> Iterator[TestClient]:
    """The app of a session, with nobody logged in."""
    app = make_app(desk(session, access, data), hosts=("testserver",))
    with TestClient(app, follow_redirects=False) as client:
        yield client


class Visit:
    """A person on the page, as its script would act."""

    def __init__(self, client: TestClient, name: str = "ada", password: str = "") -> None:
        self.client = client
        client.cookies.clear()
        entered = client.post("/login", data={"name": name, "password": password})
        assert entered.status_code == 303, entered.text
        # the other one only says that this browser was here before
        [(self.cookie_name, self.cookie)] = [each for each in client.cookies.items() if each[0] != BROWSER]
        self.html = self.get("/").text
        found = re.search(r'name="adjudge-token" content="([^"]+)"', self.html)
        assert found is not None
        self.headers = {"x-adjudge-token": found[1]}

    def get(self, path: str) -> Any:
        self._be_me()
        return self.client.get(path)

    def post(self, path: str, told: object = None) -> Any:
        self._be_me()
        return self.client.post(path, json=told or {}, headers=self.headers)

    def _be_me(self) -> None:
        self.client.cookies.clear()
        self.client.cookies.set(self.cookie_name, self.cookie)


class Server:
    """The page as a user starts it: a process of its own."""

    def __init__(self, *words: object, port: str = "0") -> None:
        call = [sys.executable, "-m", "adjudge", "label", *map(str, words), "--no-browser", "--port", port]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "COLUMNS": "300"}
        heard = signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it in what runs behind them
        try:
            self.process = subprocess.Popen(call, stderr=subprocess.PIPE, text=True, env=environment)
        finally:
            signal.signal(signal.SIGINT, heard)
        assert self.process.stderr is not None
        self.told = self.process.stderr.readline()
        found = re.search(r"http://\S+", self.told)
        assert found is not None, self.told
        self.url = found[0]

    @property
    def port(self) -> str:
        return self.url.rstrip("/").rpartition(":")[2]

    def kill(self) -> None:
        """End it at once, as a crash would; its helpers notice by themselves, and only then this returns."""
        if self.process.returncode is None:
            self.process.kill()
            self.process.communicate()


class InThisProcess(Work):
    """The picks and the ranking of a page without a process of their own."""

    def __init__(self, project: Project, kindness: int = 0) -> None:
        super().__init__(project, open_project(project.folder).predictions)

    def close(self) -> None:
        """There is nothing to end."""


class Hosted:
    """The page as Python starts it, in a thread: no other process has to load everything first."""

    def __init__(self, folder: Path, predictions: Predictions, port: str = "0", **settings: Any) -> None:
        project = label_project(folder, predictions, **settings)
        servers, urls = list[PageServer](), Queue[str]()

        def made(*told: Any) -> PageServer:
            servers.append(PageServer(*told))
            return servers[-1]

        page = LabelingPage(port=int(port))
        run = partial(serve, project, page, browser=False, told=urls.put)
        self.thread = Thread(target=run, daemon=True)
        place = "adjudge.labeling.web.serve"
        with patch(f"{place}.Helper", InThisProcess), patch(f"{place}.PageServer", made):
            self.thread.start()
            self.url = urls.get(timeout=60)
        self.server = servers[0]

    @property
    def port(self) -> str:
        return self.url.rstrip("/").rpartition(":")[2]

    def kill(self) -> None:
        self.server.should_exit = True
        self.thread.join()


def opened(begin: Begin, ready: int = 30, **told: object) -> Session:
    session = begin(method="random", **told)
    keep_ready(session, Work.on(open_project(session.project.folder)), ready)
    return session


def ready(session: Session, rows: int = 10) -> Work:
    work = Work.on(session.project)
    keep_ready(session, work, rows)
    return work


def disagree(client: object, samples: int) -> Visit:
    for name, label in (("ada", "a"), ("bob", "b")):
        visit = Visit(client, name)  # type: ignore[arg-type]
        for _ in range(samples):
            lease = visit.get("/api/cards").json()["cards"][0]["lease"]
            visit.post("/api/answers", {"lease": lease, "label": label, "note": f"{name} was here"})
    return visit
