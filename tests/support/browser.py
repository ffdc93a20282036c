"""A person at the labeling page, in a real browser."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from playwright.sync_api import BrowserContext, Page

from adjudge.core.arrays import IntArray
from adjudge.core.predictions import Predictions
from adjudge.models.datasets.contents import png
from tests.support.labeling import Hosted, Server

Start = Callable[..., Server]
Host = Callable[..., Hosted]
CLASSES = ("bird", "cat", "dog", "fish")
NEW_CARD = "old => { const now = document.getElementById('card-body').dataset.lease; return now && now !== old; }"
SENT = "() => Object.values(localStorage).every(waiting => waiting === '[]')"
LOOKED = """async () => {
  const told = await (await fetch("api/look")).json();
  const usable = told.progress.labels - told.progress.waiting;
  return told.look && told.look.labels === usable ? told.look.standing.may_stop : null;
}"""
VIOLATIONS = "axe.run().then(found => found.violations.map(each => [each.help, each.nodes[0].html]))"
FADED = "() => document.getAnimations().every(each => each.playState === 'finished')"
PATIENCE = 300_000  # milliseconds; on a busy machine the ranking, which stands back behind everything else, takes long


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
        page.set_default_timeout(PATIENCE)
        self.requests: list[str] = []
        self.problems: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda problem: self.problems.append(str(problem)))
        page.on("console", lambda said: self.problems.append(said.text) if "Content Security" in said.text else None)
        page.goto(url)

    @property
    def lease(self) -> str:
        self.page.wait_for_function(NEW_CARD, arg="")
        return self.page.get_attribute("#card-body", "data-lease") or ""

    @property
    def name(self) -> str:
        assert self.lease
        return self.page.inner_text("#card-name")

    def press(self, key: str | None = None) -> None:
        """Answer the card by its key, and wait for the next one."""
        before, right = self.lease, str(self.truth[int(self.name)] + 1)
        self.page.keyboard.press(key or right)
        self.page.wait_for_function(NEW_CARD, arg=before)

    def counts(self, text: str) -> None:
        self.page.wait_for_function("text => document.getElementById('counts').textContent === text", arg=text)

    def may_stop(self) -> bool:
        """Whether the rule holds for the labels that were given up to now, however long the ranking takes."""
        self.page.wait_for_function(SENT)
        end = time.monotonic() + PATIENCE / 1000
        while (found := self.page.evaluate(LOOKED)) is None:
            assert time.monotonic() < end
            self.page.wait_for_timeout(20)
        return bool(found)


def colored(folder: Path, samples: int, color: tuple[int, int, int]) -> Path:
    """A folder with an image of one color for each sample."""
    folder.mkdir()
    image = np.broadcast_to(np.array(color, np.uint8), (300, 400, 3))
    for number in range(samples):
        (folder / f"{number}.png").write_bytes(png(image))
    return folder


def some_pool(*classes: str) -> Predictions:
    """Predictions of four models for samples of these classes."""
    values = np.random.default_rng(0).integers(0, len(classes), (4, 60)).astype(np.int16)
    return Predictions(values, tuple(f"model {number}" for number in range(4)), range(60), classes)


def visit(context: BrowserContext, url: str, name: str = "ada") -> Page:
    """A person who has come in and sees a card."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{url}login")
    page.fill("input[name=name]", name)
    page.click("button.main")
    page.wait_for_selector("#card")
    page.wait_for_function(NEW_CARD, arg="")
    return page


def answer_with(page: Page, act: Callable[[], object]) -> str:
    """Do something that answers the card; the name of its sample, once the next one is there and the answer is sent."""
    lease, name = page.get_attribute("#card-body", "data-lease"), page.inner_text("#card-name")
    act()
    page.wait_for_function(NEW_CARD, arg=lease)
    page.wait_for_function(SENT)
    return name


def exported(page: Page) -> list[dict[str, Any]]:
    """Every answer that the server has, also those taken back."""
    found: list[dict[str, Any]] = page.request.get(page.url.rpartition("/")[0] + "/export/labels.json").json()[
        "answers"
    ]
    return found
