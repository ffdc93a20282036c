"""The whole journey in a real browser: label by keyboard, reload, undo, crash, decide, export."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Route

from adjudge.decisions.stopping import StoppingRule, stopping_status
from adjudge.io import read_labels, write_predictions
from tests.support.browser import PATIENCE, SENT, Desk, Host, Start, pool_with_a_winner

UNNAMED = """[...document.querySelectorAll("button, input, a")]
  .filter(each => !(each.textContent.trim() || each.labels?.length || each.getAttribute("aria-label")))
  .map(each => each.outerHTML)"""
WINNER = "() => document.querySelector('#ranking tr.first .name')?.textContent === 'model 0'"


def fits_any_screen(page: Page) -> None:
    """From a phone to the largest screen, light and dark, with a name on everything that can be pressed."""
    before = page.viewport_size
    assert before is not None
    assert page.evaluate(UNNAMED) == []
    for width, height, scheme in ((360, 740, "dark"), (3840, 2160, "light")):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), width
    page.set_viewport_size(before)
    page.keyboard.press("?")
    assert page.is_visible("dialog")
    page.keyboard.press("Escape")
    assert page.is_hidden("dialog")


def test_the_journey(browser: Browser, tmp_path: Path, start: Start) -> None:
    pool, truth = pool_with_a_winner()
    write_predictions(pool, tmp_path / "pool.csv")
    words = (tmp_path / "pool.csv", "--method", "random", "--name", "ada")
    server = start(*words)
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
    page.wait_for_function(WINNER)
    desk.press("s")
    desk.counts("10 labels, 1 skipped")
    page.keyboard.press("m")
    page.wait_for_selector("#said li")
    fits_any_screen(page)
    server.kill()
    kept = desk.name
    page.keyboard.press(str(truth[int(kept)] + 1))  # nobody is there to take it
    page.wait_for_selector("#banner:not([hidden])")
    again = start(*words, port=server.port)
    desk.counts("11 labels, 1 skipped")
    page.wait_for_selector("#banner", state="hidden")
    while not desk.may_stop():
        desk.press()
        assert int(page.inner_text("#card-place").split()[1]) < 80
    page.wait_for_selector(".verdict.decided")
    assert page.inner_text("#headline") == "Deploy model 0."
    assert page.inner_text("#next").startswith("You may stop here")
    assert page.evaluate("performance.getEntriesByName('key to card').length") > 10  # what benchmarks/page.py reads
    assert page.title() == "pool · adjudge"
    exported = tmp_path / "labels.csv"
    exported.write_bytes(page.request.get(f"{again.url}export/labels.csv").body())
    found = stopping_status(*read_labels(exported, pool), StoppingRule(0.01, likely=True))
    assert found.stopped
    assert found.ranking is not None
    assert found.ranking.rows()[0]["name"] == "model 0"
    assert {url.split("/")[2] for url in desk.requests} == {server.url.split("/")[2]}  # no external request of any kind
    assert desk.problems == []


class Wire:
    """Between a page and its server, for the whole test.

    Requests may hang in Chromium when one begins or ceases to listen in on them, so that is done once.
    """

    def __init__(self, page: Page) -> None:
        self.refusal: tuple[int, str] | None = None  # of answers
        self.slow = False  # whether answers are held
        self.held: list[Route] = []  # answers, and what was to be taken back
        page.route("**/api/answers", self._answer)
        page.route("**/api/undo", self._hold)

    def _answer(self, route: Route) -> None:
        if self.slow:
            self._hold(route)
        elif self.refusal is None:
            route.continue_()
        else:
            status, why = self.refusal
            route.fulfill(status=status, json={"detail": why})

    def _hold(self, route: Route) -> None:
        self.held.append(route)


def test_no_answer_is_dropped_or_goes_to_another_card(browser: Browser, tmp_path: Path, host: Host) -> None:
    pool, truth = pool_with_a_winner()
    page = browser.new_page()
    wire = Wire(page)
    desk = Desk(page, host(tmp_path / "pool.adjudge", pool).url, truth)
    desk.press()
    desk.counts("1 label")
    # somebody else came in with this browser; the database is away; its disk is full
    for labels, status, why in ((2, 403, "not now"), (3, 503, "not now"), (4, 507, "the disk is full")):
        wire.refusal = status, why
        desk.press()
        page.wait_for_selector("#banner:not([hidden])")
        assert why in page.inner_text("#banner")
        assert "does not answer" not in page.inner_text("#banner")  # it does
        wire.refusal = None
        page.reload()
        desk.counts(f"{labels} labels")
    wire.refusal = 422, "that is no class"
    before = desk.name
    page.keyboard.press("1")
    page.wait_for_function("name => document.getElementById('card-name').textContent !== name", arg=before)
    page.wait_for_function("name => document.getElementById('card-name').textContent === name", arg=before)
    page.wait_for_timeout(200)
    assert "that is no class" in page.inner_text("#banner")  # until one goes on
    wire.refusal = None
    with page.expect_request("**/api/undo"):
        page.keyboard.press("u")
    page.keyboard.press("1")  # for the card that comes back, which is not shown yet
    wire.held[0].continue_()
    page.wait_for_function("name => document.getElementById('card-name').textContent !== name", arg=before)
    desk.counts("3 labels")


def test_the_next_card_does_not_wait_for_the_server(browser: Browser, tmp_path: Path, host: Host) -> None:
    pool, truth = pool_with_a_winner()
    page = browser.new_page()
    wire = Wire(page)
    desk = Desk(page, host(tmp_path / "pool.adjudge", pool).url, truth)
    desk.press()
    desk.counts("1 label")
    wire.slow = True
    with page.expect_request("**/api/answers"):
        desk.press()  # the next card is shown, though nobody has taken the answer
    desk.press()
    wire.slow = False
    wire.held[0].continue_()
    desk.counts("3 labels")


def test_four_people_on_postgresql(browser: Browser, tmp_path: Path, server: str, start: Start) -> None:
    pool, truth = pool_with_a_winner()
    write_predictions(pool, tmp_path / "pool.csv")
    words = (tmp_path / "pool.csv", "--method", "random", "--database", server, "--overlap", 2, "--overlap-share", 0.5)
    running = start(*words)
    people = []
    for name in ("ada", "bob", "carl", "dora"):
        page = browser.new_context().new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{running.url}login")
        page.fill("input[name=name]", name)
        page.click("button.main")
        page.wait_for_selector("#card")
        people.append(Desk(page, running.url, truth))
    for _ in range(6):
        for person in people:
            person.press()
    for person in people:  # until the server has every answer
        person.page.wait_for_function(SENT)
    agreed = "() => document.getElementById('facts').textContent.includes('kappa 1.00')"
    person.page.wait_for_function(agreed)
    told: Any = person.page.request.get(f"{running.url}api/look").json()
    assert told["progress"]["people"] == {"ada": 6, "bob": 6, "carl": 6, "dora": 6}
    assert told["people"]["samples"] > 2
    assert told["progress"]["labels"] + told["people"]["samples"] == 24  # each counts once, whoever labeled it
    ada, bob, carl, _ = people
    before = bob.name
    bob.page.keyboard.press("u")
    bob.page.wait_for_function("name => document.getElementById('card-name').textContent !== name", arg=before)
    bob.press()
    carl.press("s")
    before = ada.name
    ada.page.reload()
    assert ada.name == before
    ada.page.wait_for_function(WINNER)
    running.kill()
    again = start(*words, port=running.port)
    while not all(person.may_stop() for person in people):
        for person in people:
            person.press()
        assert int(ada.page.inner_text("#card-place").split()[1]) < 200
    ada.page.wait_for_selector(".verdict.decided")
    exported = tmp_path / "labels.csv"
    exported.write_bytes(ada.page.request.get(f"{again.url}export/labels.csv").body())
    found = stopping_status(*read_labels(exported, pool), StoppingRule(0.01, likely=True))
    assert found.stopped
    assert found.ranking is not None
    assert found.ranking.rows()[0]["name"] == "model 0"
    assert [person.problems for person in people] == [[]] * 4
