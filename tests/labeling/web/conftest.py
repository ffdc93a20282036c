"""A page that runs."""

from collections.abc import Iterator
from typing import Any

import pytest

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
