"""A page that runs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from adjudge.labeling.web import users as users_module
from tests.support.browser import Host, Start
from tests.support.labeling import Hosted, Server


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a page; whatever happens, it ends with the test."""
    started: list[Server] = []

    def make(*words: object, port: str = "0") -> Server:
        started.append(Server(*words, port=port))
        return started[-1]

    yield make
    for server in started:
        server.kill()


@pytest.fixture
def host() -> Iterator[Host]:
    """Start a page in this process, for tests that are not about processes."""
    hosted: list[Hosted] = []

    def make(*told: Any, **settings: Any) -> Hosted:
        hosted.append(Hosted(*told, **{"method": "random"} | settings))
        return hosted[-1]

    yield make
    for server in hosted:
        server.kill()


@pytest.fixture
def axe() -> str:
    """The script of axe-core, which looks for what people with disabilities could not use."""
    package = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed here")
    return (Path(package.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes that take no time; how costly they are is no concern of these tests."""
    monkeypatch.setattr(users_module, "COST", (2, 8, 1))
