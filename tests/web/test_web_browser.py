"""The whole journey in a real browser: label by keyboard, reload, undo, crash, decide, export."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from adjudge.core.arrays import IntArray
from adjudge.core.predictions import Predictions
from adjudge.readers import write_predictions
from commands import adjudge
from conftest import Begin
from labeling import Server

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
CLASSES = ("bird", "cat", "dog", "fish")
UNNAMED = """[...document.querySelectorAll("button, input, a")]
  .filter(each => !(each.innerText.trim() || each.labels?.length || each.getAttribute("aria-label")))
  .map(each => each.outerHTML)"""
NEW_CARD = "old => { const now = document.getElementById('card-body').dataset.lease; return now && now !== old; }"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no Chromium here; install the package chromium")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=chromium, args=FLAGS)


def pool_with_a_winner(samples: int = 300, models: int = 5) -> tuple[Predictions, IntArray]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, samples)
    skill = np.array([0.97, *rng.uniform(0.1, 0.3, models - 1)])[:, None]
    values = np.where(rng.random((models, samples)) < skill, truth, rng.integers(0, 4, (models, samples)))
    names = tuple(f"model {number}" for number in range(models))
    columns = pa.table(
        {"text": [f"sample {number} <script>document.title='evil'</script>" for number in range(samples)]}
    )
    return Predictions(values.astype(np.int8), names, range(samples), CLASSES, columns=columns, declared=True), truth


class Desk:
    """A person at the page."""

    def __init__(self, page: Page, url: str, truth: IntArray) -> None:
        self.page, self.truth = page, truth
        self.requests: list[str] = []
        self.problems: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda problem: self.problems.append(str(problem)))
        page.on("console", lambda said: self.problems.append(said.text) if "Content Security" in said.text else None)
        page.goto(url)

    @property
    def lease(self) -> str:
        self.page.wait_for_function(NEW_CARD, arg="", timeout=30_000)
        return self.page.get_attribute("#card-body", "data-lease") or ""

    @property
    def name(self) -> str:
        assert self.lease
        return self.page.inner_text("#card-name")

    def press(self, key: str | None = None) -> None:
        """Answer the card by its key, and wait for the next one."""
        before, right = self.lease, str(self.truth[int(self.name)] + 1)
        self.page.keyboard.press(key or right)
        self.page.wait_for_function(NEW_CARD, arg=before, timeout=30_000)

    def counts(self, text: str) -> None:
        self.page.wait_for_function(
            "text => document.getElementById('counts').textContent === text", arg=text, timeout=30_000
        )


def test_the_journey(browser: Browser, tmp_path: Path) -> None:
    pool, truth = pool_with_a_winner()
    write_predictions(pool, tmp_path / "pool.csv")
    words = (tmp_path / "pool.csv", "--method", "random", "--name", "ada")
    server = Server(*words)
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    desk = Desk(page, server.url, truth)
    for _ in range(10):
        desk.press()
    before = desk.name
    page.reload()
    assert desk.name == before
    desk.counts("10 labels")
    page.keyboard.press("u")
    page.wait_for_function("name => document.getElementById('card-name').textContent !== name", arg=before)
    desk.counts("9 labels")
    desk.press()
    page.wait_for_function("document.querySelector('#ranking tbody tr.first td.name').textContent === 'model 0'")
    desk.press("s")
    desk.counts("10 labels, 1 skipped")
    page.keyboard.press("m")
    page.wait_for_selector("#said li")
    server.kill()
    kept = desk.name
    page.keyboard.press(str(truth[int(kept)] + 1))  # nobody is there to take it
    page.wait_for_selector("#banner:not([hidden])")
    again = Server(*words, port=server.port)
    desk.counts("11 labels, 1 skipped")
    page.wait_for_selector("#banner", state="hidden")
    while not page.query_selector(".verdict.decided"):
        desk.press()
        assert int(page.inner_text("#card-place").split()[1]) < 80
        page.wait_for_timeout(60)
    assert page.inner_text("#headline") == "Stop: decided"
    assert page.title() == "pool · adjudge"
    exported = tmp_path / "labels.csv"
    exported.write_bytes(page.request.get(f"{again.url}export/labels.csv").body())
    again.stop()
    told = json.loads(
        adjudge("rank", tmp_path / "pool.csv", "--labels", exported, "--until", "separated", "--json").stdout
    )
    assert told["until"]["may_stop"]
    assert told["models"][0]["name"] == "model 0"
    assert {url.split("/")[2] for url in desk.requests} == {server.url.split("/")[2]}  # no external request of any kind
    assert desk.problems == []


def test_four_people_on_postgresql(browser: Browser, tmp_path: Path, server: str) -> None:
    pool, truth = pool_with_a_winner()
    write_predictions(pool, tmp_path / "pool.csv")
    words = (tmp_path / "pool.csv", "--method", "random", "--database", server, "--overlap", 2, "--overlap-share", 0.5)
    running = Server(*words)
    people = []
    for name in ("ada", "bob", "carl", "dora"):
        page = browser.new_context().new_page()
        page.goto(f"{running.url}login")
        page.fill("input[name=name]", name)
        page.click("button.main")
        people.append(Desk(page, running.url, truth))
    for turn in range(9):
        if turn == 5:
            running.kill()
            running = Server(*words, port=running.port)
        for person in people:
            person.press()
    person = people[0]
    person.page.wait_for_function("document.getElementById('facts').textContent.includes('kappa 1.00')", timeout=30_000)
    told: Any = person.page.request.get(f"{running.url}api/look").json()
    running.stop()
    assert told["progress"]["people"] == {"ada": 9, "bob": 9, "carl": 9, "dora": 9}
    assert told["people"]["samples"] > 3
    assert told["progress"]["labels"] + told["people"]["samples"] == 36  # each counts once, whoever labeled it


@pytest.mark.parametrize(("width", "height", "scheme"), [(360, 740, "dark"), (3840, 2160, "light")])
def test_the_page_fits_any_screen(browser: Browser, begin: Begin, width: int, height: int, scheme: Any) -> None:
    pool, truth = pool_with_a_winner()
    server = Server(begin(pool=pool, method="random").project.folder)
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    desk = Desk(page, server.url, truth)
    desk.press()
    page.wait_for_selector("#ranking tbody tr")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.evaluate(UNNAMED) == []
    page.keyboard.press("Tab")
    page.keyboard.press("?")
    assert page.is_visible("dialog")
    server.stop()
