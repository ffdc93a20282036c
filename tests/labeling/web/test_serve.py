"""The page as a process of its own: how it begins, what others see of it, and how it ends."""

import http.client
import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from adjudge.io import write_predictions
from adjudge.labeling.session.project import open_project
from adjudge.labeling.session.session import Session
from adjudge.simulation.contract import example_pool
from tests.support.labeling import Server

Start = Callable[..., Server]


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    write_predictions(example_pool(models=3, samples=60, classes=4, seed=1)[0], tmp_path / "pool.npz")
    return tmp_path / "pool.npz"


@pytest.fixture
def start(pool: Path) -> Iterator[Start]:
    started: list[Server] = []

    def make(*words: object) -> Server:
        started.append(Server(pool, "--method", "random", *words))
        return started[-1]

    yield make
    for server in started:
        server.kill()


class Person:
    """Somebody at the page, without a browser."""

    def __init__(self, server: Server, name: str = "ada") -> None:
        self.server, self.headers = server, {"content-type": "application/x-www-form-urlencoded"}
        _, head = self.ask("POST", "/login", f"name={name}")
        self.headers = {"cookie": head["set-cookie"].partition(";")[0]}
        page, _ = self.ask("GET", "/")
        token = re.search(rb'adjudge-token" content="([^"]+)"', page)
        assert token is not None
        self.headers |= {"x-adjudge-token": token[1].decode(), "content-type": "application/json"}

    def ask(self, method: str, path: str, body: str | None = None) -> tuple[bytes, Any]:
        with closing(http.client.HTTPConnection("127.0.0.1", int(self.server.port), timeout=300)) as line:
            line.request(method, path, body, self.headers)
            answer = line.getresponse()
            return answer.read(), answer.headers

    def cards(self) -> list[dict[str, Any]]:
        while not (found := json.loads(self.ask("GET", "/api/cards")[0])["cards"]):
            pass
        return list(found)

    @contextmanager
    def listen(self) -> Iterator[http.client.HTTPResponse]:
        """An open line of news, as a page has."""
        with closing(http.client.HTTPConnection("127.0.0.1", int(self.server.port), timeout=300)) as line:
            line.request("GET", "/api/events", headers=self.headers)
            with closing(line.getresponse()) as answer:
                assert answer.readline().startswith(b"data: ")
                yield answer


def test_a_terminal_shows_what_is_done_until_the_page_is_there(pool: Path) -> None:
    ours, theirs = pty.openpty()
    call = [sys.executable, "-m", "adjudge", "label", str(pool), "--no-browser", "--port", "0"]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "300"}
    with subprocess.Popen(call, stdin=subprocess.DEVNULL, stderr=theirs, env=environment) as process:
        os.close(theirs)
        told = ""
        while "http://" not in told:
            told += os.read(ours, 4096).decode()
        process.kill()
    os.close(ours)
    steps = [told.find(each) for each in ("reading the predictions", "starting the page", "http://")]
    assert -1 not in steps, told
    assert steps == sorted(steps)


def test_no_list_of_processes_shows_a_secret(start: Start, pool: Path) -> None:
    secret = pool.with_name("token")
    secret.write_text("open sesame, please")
    secret.chmod(0o600)
    server = start("--token-file", secret)
    main = server.process.pid
    helpers = Path(f"/proc/{main}/task/{main}/children").read_text(encoding="utf-8").split()
    assert len(helpers) >= 2  # the one that picks, and the one that ranks
    for each in (main, *helpers):
        assert b"sesame" not in Path(f"/proc/{each}/cmdline").read_bytes()


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_the_page_ends_in_one_line_and_gives_back_what_was_in_hand(start: Start, tmp_path: Path, kind: int) -> None:
    server = start()
    ada = Person(server)
    held = ada.cards()
    ada.ask("POST", "/api/answers", json.dumps({"lease": held[0]["lease"], "label": "a"}))
    with ada.listen() as news:
        server.process.send_signal(kind)
        news.read()  # the line ends by itself
    _, told = server.process.communicate()
    assert told.splitlines() == (["stopped"] if kind == signal.SIGINT else [])
    session = Session.open(open_project(tmp_path / "pool.adjudge"))
    [card] = session.next("bob")
    assert card.place == held[1]["place"]
    session.close()
