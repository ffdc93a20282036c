"""A page that runs, and a browser to open it in."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.support.browser import FLAGS, PATIENCE, Start
from tests.support.labeling import Server


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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no Chromium here; install the package chromium")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=chromium, args=FLAGS, timeout=PATIENCE)
