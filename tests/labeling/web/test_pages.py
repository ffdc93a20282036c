"""Beside the card, in a real browser: history, later, decisions, the project, the stop rule, many tabs."""

from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browser import (
    FADED,
    PATIENCE,
    SENT,
    VIOLATIONS,
    Desk,
    Host,
    answer_with,
    colored,
    exported,
    pool_with_a_winner,
    some_pool,
    visit,
)
from tests.support.labeling import Hosted

SIZES = [(1440, 900), (360, 740)]
PAGES = ("", "history", "decide", "project")
WIDE = "document.documentElement.scrollWidth <= window.innerWidth"
WAITING = "() => document.getElementById('undecided').textContent === '2'"


def text_is(page: Page, place: str, text: str) -> None:
    page.wait_for_function("([place, text]) => document.querySelector(place).textContent === text", arg=[place, text])


def two_who_disagree(
    browser: Browser, tmp_path: Path, host: Host, width: int, height: int
) -> tuple[Page, Page, Hosted]:
    """Two people who label the same images, and say different things about the first two."""
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
    return ada, bob, server


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_look_back_put_off_and_decide(browser: Browser, tmp_path: Path, host: Host, width: int, height: int) -> None:
    ada, _, server = two_who_disagree(browser, tmp_path, host, width, height)
    put_off = answer_with(ada, partial(ada.click, "#later"))
    assert put_off not in {each["sample_id"] for each in exported(ada)}
    ada.click("#guidelines-button")
    assert ada.inner_text("#guidelines li") == "A wren is small."
    ada.keyboard.press("Escape")
    for path in PAGES:
        ada.goto(f"{server.url}{path}")
        ada.wait_for_function(WAITING)
        assert ada.evaluate(WIDE), path
    ada.goto(f"{server.url}history")
    ada.click(".answer >> nth=1")
    ada.wait_for_selector("#opened .viewer img[data-state=ready]")
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


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_pages_are_accessible(browser: Browser, tmp_path: Path, host: Host, axe: str, width: int, height: int) -> None:
    ada, _, server = two_who_disagree(browser, tmp_path, host, width, height)

    def check(what: str) -> None:
        for scheme in ("light", "dark"):
            ada.emulate_media(color_scheme=scheme)
            ada.wait_for_function(FADED)
            ada.evaluate(axe)
            assert ada.evaluate(VIOLATIONS) == [], (what, scheme)

    for path in PAGES:
        ada.goto(f"{server.url}{path}")
        ada.wait_for_function(WAITING)
        if not path:
            ada.wait_for_selector("#ranking tbody tr")
        check(path)
        ada.click("#guidelines-button")
        check(f"the guidelines of {path}")
    ada.goto(f"{server.url}history")
    ada.click(".answer >> nth=1")
    ada.wait_for_selector("#opened .viewer img[data-state=ready]")
    check("an answer")
    ada.goto(server.url)
    ada.wait_for_selector(".viewer img[data-state=ready]")
    ada.keyboard.press("?")
    check("the keys")
    ada.evaluate("() => document.getElementById('verdict').classList.add('decided')")  # its other colors
    check("the verdict")
    ada.goto(f"{server.url}login")
    check("the door")


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_verdict_and_its_rule(browser: Browser, tmp_path: Path, host: Host, width: int, height: int) -> None:
    pool, truth = pool_with_a_winner()
    page = browser.new_page(viewport={"width": width, "height": height})
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


def test_a_page_that_nobody_uses_asks_for_nothing(browser: Browser, tmp_path: Path, host: Host) -> None:
    """So that others get its samples: the server gives back what a person holds who asks for nothing."""
    context = browser.new_context()
    context.clock.install()
    page = visit(context, host(tmp_path / "pool.adjudge", some_pool("x", "y")).url)
    answer_with(page, partial(page.keyboard.press, "1"))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    def still(seconds: int) -> int:
        before = len(asked)
        for _ in range(seconds // 10):
            page.clock.run_for(10_000)
            page.evaluate("() => fetch('static/icon.svg')")  # whatever was asked for before it is known by now
        return sum(url.endswith("api/cards") for url in asked[before:])

    assert still(90) == 3  # every half minute
    still(120)
    assert still(180) == 0
    with page.expect_request("**/api/cards"):
        page.mouse.move(50, 50)
    page.evaluate("() => Object.defineProperty(document, 'visibilityState', { value: 'hidden' })")
    assert still(90) == 0


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
