"""Open answers on the page, without a browser and in one."""

import csv
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from adjudge.core.labels import NONE_RIGHT
from adjudge.labeling.session.project import open_project
from adjudge.labeling.session.session import Session
from tests.support.answers import UNIT, open_pool, right_answer
from tests.support.browser import FADED, NEW_CARD, SENT, VIOLATIONS, Host, answer_with, exported, visit
from tests.support.labeling import Visit, page
from tests.support.pools import Begin

SIZES = ((1440, 900), (360, 740))
FITS = "document.documentElement.scrollWidth <= window.innerWidth"
TEXTS = "() => [...document.querySelectorAll('#given-list .text')].map(each => each.textContent)"


def right_on(card: dict[str, Any]) -> str:
    return right_answer(int(card["name"].removeprefix("q")))


def said_twice(cards: list[dict[str, Any]]) -> tuple[dict[str, Any], str, str]:
    """A card with the right answer both with its unit and without, and the two."""
    for card in cards:
        one, other = right_on(card), f"{right_on(card)} {UNIT}"
        if {one, other} <= {each["text"] for each in card["answers"]}:
            return card, one, other
    raise AssertionError


def test_a_card_has_its_answers_and_no_model(begin: Begin) -> None:
    with page(begin(pool=open_pool(), method="random")) as client:
        card = Visit(client).get("/api/cards").json()["cards"][0]
        assert card["text"] == f"How many apples are in basket {card['name'].removeprefix('q')}?"
        assert [each["models"] for each in card["answers"]] == sorted(
            (each["models"] for each in card["answers"]), reverse=True
        )
        assert sum(each["models"] for each in card["answers"]) == 5
        assert not set(card) & {"said"}
        assert not any(name in json.dumps(card["answers"]) for name in ("ada", "bob", "eve"))


def test_a_pool_of_classes_has_the_ordinary_card(begin: Begin) -> None:
    with page(begin()) as client:
        ada = Visit(client)
        assert ada.get("/api/cards").json()["cards"][0]["answers"] is None
        assert 'id="given"' not in ada.html
        assert "answers.js" not in ada.html


def test_two_answers_are_merged_and_taken_back(begin: Begin) -> None:
    with page(begin(pool=open_pool(), method="random")) as client:
        ada = Visit(client)
        card, one, other = said_twice(ada.get("/api/cards").json()["cards"])
        merged = ada.post("/api/merges", {"one": one, "other": other}).json()
        again = next(each for each in merged["cards"] if each["lease"] == card["lease"])
        assert len(again["answers"]) == len(card["answers"]) - 1
        told = ada.post("/api/answers", {"lease": card["lease"], "label": other})  # a page that was not told yet
        assert told.status_code == 200
        assert ada.get("/api/history").json()["answers"][0]["label"] == one
        assert ada.get("/api/project").json()["merges"][0]["meant"] == one
        rows = list(csv.reader(ada.get("/export/same.csv").text.splitlines()))
        assert rows == [["answer", "canonical"], [other, one]]
        undone = ada.post("/api/merges/undo", {"merge": merged["merge"]})
        assert undone.status_code == 200
        assert ada.get("/api/project").json()["merges"] == []
        assert ada.post("/api/merges/undo", {"merge": merged["merge"]}).status_code == 409
        assert ada.post("/api/merges", {"one": one, "other": "nobody said this"}).status_code == 409


def test_grades_on_the_page_of_history(begin: Begin) -> None:
    with page(begin(pool=open_pool(), method="random", grade=(1.0, 5.0))) as client:
        ada = Visit(client)
        card = ada.get("/api/cards").json()["cards"][0]
        grades = [float(5 - place % 5) for place in range(len(card["answers"]))]
        told = {"lease": card["lease"], "label": json.dumps(grades), "sample": card["name"]}
        assert ada.post("/api/answers", told | {"label": json.dumps([9.0] * len(grades))}).status_code == 422
        assert ada.post("/api/answers", told).status_code == 200
        said = ada.get("/api/history").json()["answers"][0]
        in_order = sorted(card["answers"], key=lambda each: each["number"])
        assert said["told"] == "; ".join(
            f"{each['text']}: {grade:g}" for each, grade in zip(in_order, grades, strict=True)
        )
        back = ada.post("/api/undo").json()["cards"][0]
        assert (back["lease"], json.loads(back["grades"])) == (card["lease"], grades)


def begin_to_mark(browser: Browser, url: str, width: int, height: int) -> tuple[Page, list[str]]:
    opened = visit(browser.new_context(viewport={"width": width, "height": height}), url)
    problems: list[str] = []
    opened.on("pageerror", lambda problem: problems.append(str(problem)))
    assert opened.evaluate(FITS)
    return opened, problems


def press(opened: Page, keys: str) -> None:
    for key in keys:
        opened.keyboard.press(key)


def to_a_pair(opened: Page) -> str:
    """Skip until the right answer is there both with its unit and without; the bare one."""
    while True:
        right = right_answer(int(opened.inner_text("#card-name").removeprefix("q")))
        if {right, f"{right} {UNIT}"} <= set(opened.evaluate(TEXTS)):
            return right
        answer_with(opened, partial(opened.keyboard.press, "s"))


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_marking_the_right_answer(browser: Browser, tmp_path: Path, host: Host, width: int, height: int) -> None:
    server = host(tmp_path / "pool.adjudge", open_pool())
    opened, problems = begin_to_mark(browser, server.url, width, height)
    assert "How many apples" in opened.inner_text("#card-body")
    texts = opened.evaluate(TEXTS)
    answer_with(opened, partial(opened.keyboard.press, "1"))
    answer_with(opened, partial(opened.keyboard.press, "0"))
    second = opened.evaluate(TEXTS)[1]
    answer_with(opened, lambda: opened.locator("#given-list .class").nth(1).click())
    opened.keyboard.press("/")
    opened.keyboard.type("31,000.0")
    answer_with(opened, partial(opened.keyboard.press, "Enter"))
    said = [each["label"] for each in exported(opened)]
    assert said == [texts[0], NONE_RIGHT, second, "31000"]
    opened.keyboard.press("?")
    assert "none is right: all models are wrong" in opened.inner_text("#keys")
    assert problems == []


def test_two_are_the_same(browser: Browser, tmp_path: Path, host: Host) -> None:
    server = host(tmp_path / "pool.adjudge", open_pool())
    opened, problems = begin_to_mark(browser, server.url, *SIZES[0])
    right = to_a_pair(opened)
    before = opened.evaluate(TEXTS)
    keys = [str(before.index(text) + 1) for text in (right, f"{right} {UNIT}")]
    opened.keyboard.press("e")
    opened.keyboard.press("0")  # which is not one of the two
    opened.keyboard.press("Escape")
    opened.keyboard.press("e")
    for key in keys:
        opened.keyboard.press(key)
    opened.wait_for_selector("#given-hint button")
    assert sorted(opened.evaluate(TEXTS)) == sorted(set(before) - {f"{right} {UNIT}"})
    opened.keyboard.press("u")
    opened.wait_for_function(f"count => ({TEXTS})().length === count", arg=len(before))
    opened.click("#merge")
    for text in (right, f"{right} {UNIT}"):
        opened.locator("#given-list .class", has=opened.get_by_text(text, exact=True)).click()
    opened.wait_for_function(f"count => ({TEXTS})().length === count", arg=len(before) - 1)
    answer_with(opened, partial(opened.keyboard.press, str(opened.evaluate(TEXTS).index(right) + 1)))
    assert exported(opened)[-1]["label"] == right
    opened.goto(f"{server.url}project")
    opened.click("#merges button")
    opened.wait_for_selector("#merges-panel", state="hidden")
    assert problems == []


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_grading_with_keys(browser: Browser, tmp_path: Path, host: Host, width: int, height: int) -> None:
    server = host(tmp_path / "pool.adjudge", open_pool(), grade=(0, 1))
    opened, problems = begin_to_mark(browser, server.url, width, height)
    rows = opened.locator(".grade-row").count()
    answer_with(opened, partial(press, opened, "1" * rows))
    answer_with(opened, partial(press, opened, "1x"))
    texts = opened.evaluate(TEXTS)
    lease = opened.get_attribute("#card-body", "data-lease")
    opened.keyboard.press("u")
    opened.wait_for_function(NEW_CARD, arg=lease)
    pressed = opened.locator(".grade[aria-pressed=true]").all_inner_texts()
    assert pressed == ["1", *["0"] * (len(pressed) - 1)]
    opened.keyboard.press("0")
    assert opened.get_attribute("#card-body", "data-lease") != lease  # a change is not saved by itself
    answer_with(opened, partial(opened.keyboard.press, "Enter"))
    assert opened.evaluate(TEXTS) == texts
    said = exported(opened)
    assert set(said[0]["label"].values()) == {1.0}
    assert sum(said[1]["label"].values()) == 1.0
    assert [each["kind"] for each in said[1:]] == ["label", "undo", "label"]
    assert set(said[3]["label"].values()) == {0.0}
    opened.wait_for_function("() => document.querySelector('#ranking tbody tr')")
    assert opened.evaluate(FITS)
    assert problems == []


def test_grades_that_are_no_whole_numbers_have_a_field(browser: Browser, tmp_path: Path, host: Host) -> None:
    server = host(tmp_path / "pool.adjudge", open_pool(), grade=(0, 100))
    opened, problems = begin_to_mark(browser, server.url, *SIZES[0])
    fields = opened.locator(".grade-row input")
    fields.first.fill("101")
    fields.first.press("Tab")
    assert "outside 0 to 100" in opened.inner_text("#given-hint")

    def fill() -> None:
        for place in range(fields.count()):
            fields.nth(place).fill("62,5")
        fields.last.blur()

    answer_with(opened, fill)
    assert set(exported(opened)[0]["label"].values()) == {62.5}
    assert problems == []


def test_history_and_decisions_have_the_answers_too(browser: Browser, tmp_path: Path, host: Host) -> None:
    server = host(tmp_path / "pool.adjudge", open_pool(), overlap=2, share=1.0)
    ada = visit(browser.new_context(), server.url, "ada")
    name = answer_with(ada, partial(ada.keyboard.press, "1"))
    ada.goto(f"{server.url}history")
    ada.click(".answer")
    changed = ada.locator("#given-list .text").last.inner_text()
    ada.locator("#given-list .class").last.click()
    ada.wait_for_selector("#opened", state="hidden")
    bob = visit(browser.new_context(), server.url, "bob")
    assert answer_with(bob, partial(bob.keyboard.press, "0")) == name
    bob.goto(f"{server.url}decide")
    bob.wait_for_selector("#case:not([hidden])")
    assert changed in bob.inner_text("#case-said")
    bob.locator("#given-list .class").first.click()
    bob.wait_for_function("() => document.getElementById('lead').textContent.startsWith('There is nothing')")
    bob.wait_for_function(SENT)
    session = Session.open(open_project(tmp_path / "pool.adjudge"))
    assert session.ledger.disputes() == []
    session.close()


def test_grades_are_changed_and_decided(browser: Browser, tmp_path: Path, host: Host) -> None:
    server = host(tmp_path / "pool.adjudge", open_pool(), overlap=2, share=1.0, grade=(0, 1))
    ada, bob = (visit(browser.new_context(), server.url, name) for name in ("ada", "bob"))
    name = answer_with(ada, partial(ada.keyboard.press, "x"))
    assert answer_with(bob, partial(press, bob, "1x")) == name
    ada.goto(f"{server.url}history")
    ada.click(".answer")
    ada.wait_for_selector(".grade[aria-pressed=true]")
    assert set(ada.locator(".grade[aria-pressed=true]").all_inner_texts()) == {"0"}
    ada.locator(".grade[data-grade='1']").first.click()
    ada.locator(".grade[data-grade='1']").last.click()
    ada.click("#save-grades")
    ada.wait_for_selector("#opened", state="hidden")
    bob.goto(f"{server.url}decide")
    bob.wait_for_selector("#case:not([hidden])")
    assert ": 1" in bob.inner_text("#case-said")
    assert bob.is_disabled("#save-grades")
    bob.click("#rest")
    bob.click("#save-grades")
    bob.wait_for_function("() => document.getElementById('lead').textContent.startsWith('There is nothing')")
    log = exported(bob)
    assert set(log[-1]["label"].values()) == {0.0}
    assert log[-1]["seat"] == -1


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("grade", [None, (0, 1), (0, 100)])
def test_answers_are_accessible(
    browser: Browser,
    tmp_path: Path,
    host: Host,
    axe: str,
    width: int,
    height: int,
    grade: tuple[int, int] | None,
) -> None:
    server = host(tmp_path / "pool.adjudge", open_pool(), grade=grade)
    context = browser.new_context(viewport={"width": width, "height": height}, bypass_csp=True)
    opened = visit(context, server.url)
    if grade is None:
        opened.keyboard.press("e")
        opened.keyboard.press("1")
    for scheme in ("light", "dark"):
        opened.emulate_media(color_scheme=scheme)
        opened.wait_for_function(FADED)
        opened.evaluate(axe)
        assert opened.evaluate(VIOLATIONS) == []
