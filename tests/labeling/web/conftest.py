"""A page that runs, and a browser to open it in."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.support.browser import FLAGS, PATIENCE, Host, Start
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


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("there is no Chromium here; install the package chromium")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=program, args=FLAGS, timeout=PATIENCE)


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """The one browser of these tests; pages that were left open would look for their servers for ever."""
    yield chromium
    for context in chromium.contexts:
        context.close()
