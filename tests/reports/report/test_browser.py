"""The page in a real browser: on a phone, on a large screen and on paper, light and dark."""

import os
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

from adjudge import report
from adjudge.core.predictions import Predictions
from adjudge.registry import selector
from adjudge.reports.report.gather import ReportOptions
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought

LOOKS = [
    (width, media, scheme)
    for width, media in ((360, "screen"), (1280, "screen"), (794, "print"))
    for scheme in ("light", "dark")
]
WIDER = """[...document.querySelectorAll(".chart, .cards, header, dl, p, h1, h2")]
  .filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.outerHTML.slice(0, 200))"""
# headings that are not shown, or lie outside what a table that scrolls has
REACHED = """[...document.querySelectorAll(".table th")].filter(each => each.closest("details:not([open])") === null)
  .filter(each => !each.checkVisibility()
    || each.offsetLeft + each.offsetWidth > each.closest(".table").offsetLeft + each.closest(".table").scrollWidth + 1)
  .map(each => each.textContent)"""
TEXTS = """[...document.querySelectorAll("svg.marks text")].map(each => each.textContent)"""
# texts that stand on each other, of one axis or layer: marks may cross a name
OVERLAPS = """[...document.querySelectorAll("svg.marks .role-axis-label, svg.marks .mark-text")].map(group => {
  const shown = [...group.querySelectorAll("text")].filter(each => each.textContent && each.checkVisibility());
  const boxes = shown.filter(each => each.getAttribute("opacity") !== "0").map(each => each.getBoundingClientRect());
  const apart = (a, b) => a.left > b.right - 1 || b.left > a.right - 1 || a.top > b.bottom - 4 || b.top > a.bottom - 4;
  return boxes.some((one, place) => boxes.slice(place + 1).some(other => !apart(one, other))); })"""
CONTRAST = """() => {
  const linear = part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  const light = color => { const [r, g, b] = color.match(/[0-9.]+/g).map(each => linear(each / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const box = light(getComputedStyle(document.querySelector("section")).backgroundColor);
  const ratios = [...document.querySelectorAll("p, td, dt, dd, h2, svg.marks text")].map(each => {
    const style = getComputedStyle(each), ink = light(each.closest("svg") ? style.fill : style.color);
    return (Math.max(ink, box) + 0.05) / (Math.min(ink, box) + 0.05); });
  return Math.min(...ratios); }"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with everything in it: names of all lengths, tiers, images."""
    folder = tmp_path_factory.mktemp("report")
    pool, truth = example_pool(models=24, samples=400, seed=4)
    names = tuple(f"{'company/a-rather-long-name-of-a-model'[number:]}-{number}" for number in range(24))
    pool = Predictions(pool.values, names, pool.samples, pool.classes)
    np.save(folder / "images.npy", np.random.default_rng(0).integers(0, 255, (400, 28, 28), dtype=np.uint8))
    log = bought(selector("pooled"), pool, truth * 1.0, 150, seed=0)
    report(pool, log, folder / "report.html", options=ReportOptions(data=folder / "images.npy"))
    return folder / "report.html"


@pytest.mark.parametrize(("width", "media", "scheme"), LOOKS)
def test_it_reads_well(browser: Browser, written: Path, width: int, media: str, scheme: str) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    requests: list[str] = []
    problems: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda problem: problems.append(str(problem)))
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    page.emulate_media(media=media, color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(written.as_uri())
    page.wait_for_selector("body[data-drawn]")
    if (folder := os.environ.get("ADJUDGE_SCREENSHOTS")) is not None:
        page.screenshot(path=Path(folder) / f"report-{width}-{media}-{scheme}.png", full_page=True)
    assert problems == []
    assert [each for each in requests if not each.startswith(("file:", "data:", "blob:"))] == []
    assert page.locator("svg.marks").count() == 4
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.evaluate(WIDER) == []
    assert page.evaluate(REACHED) == []
    assert [text for text in page.evaluate(TEXTS) if "…" in text] == []
    assert not any(page.evaluate(OVERLAPS))
    assert page.evaluate(CONTRAST) >= 4.5  # as the guidelines for accessibility ask for
    page.close()


def test_it_prints(browser: Browser, written: Path, tmp_path: Path) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="dark")
    page.goto(written.as_uri())
    page.wait_for_selector("body[data-drawn]")
    page.pdf(path=tmp_path / "report.pdf", format="A4")
    assert (tmp_path / "report.pdf").read_bytes()[:4] == b"%PDF"
    page.emulate_media(media="print")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == "rgb(255, 255, 255)"
    page.close()


def test_charts_fit_again_when_the_screen_changes(browser: Browser, written: Path) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(written.as_uri())
    page.wait_for_selector("body[data-drawn]")
    wide = page.locator("svg.marks").first.bounding_box()
    page.set_viewport_size({"width": 360, "height": 700})
    page.wait_for_function("() => document.querySelector('svg.marks').getBoundingClientRect().width < 360")
    narrow = page.locator("svg.marks").first.bounding_box()
    assert wide is not None
    assert narrow is not None
    assert narrow["height"] > wide["height"]  # names stand above the marks now
    page.close()
