"""The card on a phone, by touch: pinch, drag, swipe, and texts that are longer than the screen."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from playwright.sync_api import Browser, Page

from adjudge.core.predictions import Predictions
from tests.support.browser import NEW_CARD, Host, colored, exported, some_pool, visit
from tests.support.labeling import Hosted

LEFT_AND_SCALE = """() => {
  const image = document.querySelector(".viewer img"), shown = image.getBoundingClientRect();
  return [shown.left, shown.width / image.offsetWidth];
}"""
REACHABLE = """() => [...document.querySelectorAll("button.class")].every((each) => {
  each.scrollIntoView({ block: "center" });
  const box = each.getBoundingClientRect();
  return each.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2));
})"""
Place = tuple[float, float]


def on_a_phone(browser: Browser, server: Hosted) -> Page:
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    return visit(context, server.url)


def touch(page: Page, *steps: list[Place]) -> None:
    """Put fingers down, move them from step to step, and take them away."""
    line = page.context.new_cdp_session(page)
    for kind, step in zip(["touchStart", *["touchMove"] * (len(steps) - 1)], steps, strict=True):
        points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(step)]
        line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    line.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_pinch_drag_and_swipe(browser: Browser, tmp_path: Path, host: Host) -> None:
    images = colored(tmp_path / "images", 60, (9, 200, 9))
    page = on_a_phone(browser, host(tmp_path / "pool.adjudge", some_pool("x", "y"), data=str(images)))
    page.wait_for_selector(".viewer img[data-state=ready]")
    box = page.locator(".viewer").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch(page, *([(x - apart, y), (x + apart, y)] for apart in (20, 40, 60, 80)))
    left, scale = page.evaluate(LEFT_AND_SCALE)
    assert scale == pytest.approx(4, rel=0.1)
    touch(page, [(x, y)], [(x + 30, y)], [(x + 60, y)])
    assert page.evaluate(LEFT_AND_SCALE) == pytest.approx([left + 60, scale], rel=0.05)
    lease = page.get_attribute("#card-body", "data-lease")
    touch(page, [(x + 60, y)], [(x, y)], [(x - 60, y)])
    assert page.get_attribute("#card-body", "data-lease") == lease  # who moves a zoomed image does not go on
    page.click("text=Reset")
    touch(page, [(x + 60, y)], [(x, y)], [(x - 60, y)])
    page.wait_for_function(NEW_CARD, arg=lease)
    assert exported(page) == []  # the sample was put off


def test_a_long_text_and_many_classes(browser: Browser, tmp_path: Path, host: Host) -> None:
    classes = tuple(f"class {number} of a long name" for number in range(30))
    values = np.random.default_rng(0).integers(0, 30, (3, 40)).astype(np.int8)
    columns = pa.table({"text": ["many words " * 300] * 40})
    pool = Predictions(values, ("a", "b", "c"), range(40), classes, columns=columns, declared=True)
    page = on_a_phone(browser, host(tmp_path / "pool.adjudge", pool))
    assert page.is_visible("#more")
    page.evaluate("() => { const body = document.getElementById('card-body'); body.scrollTop = body.scrollHeight; }")
    page.wait_for_selector("#more", state="hidden")
    assert page.evaluate(REACHABLE)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
