"""Beside the card, in a real browser: history, later, decisions, the project, the stop rule, many tabs."""

import os
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browser import (
    PATIENCE,
    SENT,
    Desk,
    Host,
    answer_with,
    colored,
    exported,
    pool_with_a_winner,
    some_pool,
    visit,
)

SIZES = [(1440, 900), (360, 740)]
PAGES = ("", "history", "decide", "project")
WIDE = "document.documentElement.scrollWidth <= window.innerWidth"
VIOLATIONS = "axe.run().then(found => found.violations.map(each => [each.help, each.nodes[0].html]))"


def text_is(page: Page, place: str, text: str) -> None:
    page.wait_for_function("([place, text]) => document.querySelector(place).textContent === text", arg=[place, text])


def accessible(page: Page) -> None:
    """No violation of the rules of axe-core, which is not ours to keep here."""
    script = os.environ.get("ADJUDGE_AXE")
    if script is None:
        return
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.evaluate(Path(script).read_text(encoding="utf-8"))
        page.wait_for_timeout(300)  # colors fade
        assert page.evaluate(VIOLATIONS) == []


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_look_back_put_off_and_decide(browser: Browser, tmp_path: Path, host: Host, width: int, height: int) -> None:
    (tmp_path / "guide.md").write_text("# Birds\n\n- A *wren* is small.")
    images = colored(tmp_path / "images", 60, (200, 90, 9))
    told = {"data": str(images), "overlap": 2, "share": 1.0, "guidelines": str(tmp_path / "guide.md")}
    server = host(tmp_path / "pool.adjudge", some_pool("wren", "robin", "kingfisher"), **told)
    size = {"width": width, "height": height}
    ada, bob = (
        visit(browser.new_context(viewport=size, bypass_csp=True), server.url, name)  # type: ignore[arg-type]
        for name in ("ada", "bob")
    )
    for page, label in ((ada, "wren"), (bob, "robin")):
        for _ in range(2):
            page.wait_for_selector(".viewer img[data-state=ready]")
            answer_with(page, partial(page.click, f".class[data-label={label}]"))
    put_off = answer_with(ada, partial(ada.click, "#later"))
    assert put_off not in {each["sample_id"] for each in exported(ada)}
    ada.click("#guidelines-button")
    assert ada.inner_text("#guidelines li") == "A wren is small."
    ada.keyboard.press("Escape")
    for path in PAGES:
        ada.goto(f"{server.url}{path}")
        ada.wait_for_function("() => document.getElementById('undecided').textContent === '2'")
        assert ada.evaluate(WIDE), path
        accessible(ada)
    ada.goto(f"{server.url}history")
    ada.click(".answer >> nth=1")
    ada.wait_for_selector("#opened .viewer img[data-state=ready]")
    accessible(ada)
    ada.fill("#note", "a beak like that")
    ada.click("#opened .class[data-label=kingfisher]")
    ada.wait_for_selector("#opened", state="hidden")
    ada.wait_for_selector(".answer:has-text('a beak like that') >> text=kingfisher")
    ada.goto(f"{server.url}decide")
    ada.wait_for_selector("#case-said li")
    assert "bob" not in ada.inner_text("#case-said")
    ada.check("#names")
    assert "bob" in ada.inner_text("#case-said")
    ada.click("#following")
    text_is(ada, "#lead", "Choose the right class: people disagree about this sample (2 of 2).")
    ada.wait_for_selector("#case-body .viewer img[data-state=ready]")
    ada.click(".class[data-label=kingfisher]")
    text_is(ada, "#lead", "Choose the right class: people disagree about this sample (1 of 1).")
    ada.goto(f"{server.url}project")
    ada.wait_for_selector("#people tr:has-text('bob')")
    ada.wait_for_selector("#distribution tr:has-text('kingfisher')")


def test_the_verdict_and_its_rule(browser: Browser, tmp_path: Path, host: Host) -> None:
    pool, truth = pool_with_a_winner()
    page = browser.new_page(viewport={"width": 360, "height": 740})
    desk = Desk(page, host(tmp_path / "pool.adjudge", pool).url, truth)
    for _ in range(3):
        desk.press()
    page.wait_for_function("() => document.getElementById('quantity').textContent === 'from 3 labels'")
    assert page.inner_text("#headline").startswith("Keep labeling; so far model 0 leads")
    assert page.inner_text("#next").endswith("until a loss of more than 1 point is unlikely.")
    assert page.is_visible("#bar")
    low, high = (
        page.evaluate(f"() => parseFloat(document.getElementById('{each}').style.width)")
        for each in ("bar-done", "bar-range")
    )
    assert 0 < low <= high < 100
    page.select_option("#rule", "separated")
    page.wait_for_function(
        "() => document.getElementById('next').textContent.endsWith('until only one model can still be the best.')"
    )
    page.click("#ranking [data-by=chance]")
    assert page.get_attribute("#ranking th:has([data-by=chance])", "aria-sort") == "descending"
    shown = page.locator("#ranking tbody td:nth-child(3)").all_inner_texts()
    assert shown[0] == max(shown, key=lambda text: float(text.strip("<> %")))


def test_many_tabs_share_one_line(browser: Browser, tmp_path: Path, host: Host) -> None:
    server = host(tmp_path / "pool.adjudge", some_pool("x", "y"))
    context = browser.new_context()
    pages = [visit(context, server.url)]
    for _ in range(7):
        pages.append(context.new_page())
        pages[-1].set_default_timeout(PATIENCE)
        pages[-1].goto(server.url)
    answer_with(pages[-1], partial(pages[-1].keyboard.press, "1"))
    for page in pages:  # all of them hear of it
        text_is(page, "#counts", "1 label")
        page.wait_for_function(SENT)
