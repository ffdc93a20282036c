"""The card in a real browser: the right image, zoom, classes, numbers, notes, what waits, what is broken."""

import http.server
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Thread

import numpy as np
import pyarrow as pa
import pytest
from playwright.sync_api import Browser, Page, Route

from adjudge.core.predictions import Predictions
from tests.support.browser import NEW_CARD, SENT, Host, answer_with, colored, exported, some_pool, visit

SIZES = [(1440, 900), (360, 740)]
COLOR = """() => {
  const image = document.querySelector(".viewer img"), canvas = document.createElement("canvas");
  if (image?.dataset.state !== "ready") return null;
  canvas.getContext("2d").drawImage(image, 0, 0, 1, 1);
  return canvas.getContext("2d").getImageData(0, 0, 1, 1).data.slice(0, 3).join();
}"""
READY = "() => document.querySelector('.viewer img')?.dataset.state === 'ready'"
IN_VIEW = """() => {  // the part of the frame that the image covers, and how far it is enlarged
  const frame = document.querySelector(".viewer").getBoundingClientRect();
  const image = document.querySelector(".viewer img");
  const shown = image.getBoundingClientRect();
  const wide = Math.min(frame.right, shown.right) - Math.max(frame.left, shown.left);
  const high = Math.min(frame.bottom, shown.bottom) - Math.max(frame.top, shown.top);
  return [wide / frame.width, high / frame.height, shown.width / image.offsetWidth];
}"""
SPLIT = """() => [...document.querySelectorAll(".class[data-label] span")].filter((each) => {
  const range = document.createRange(), text = each.firstChild;
  return each.textContent.split(" ").some((word) => {
    const at = text.data.indexOf(word);
    range.setStart(text, at); range.setEnd(text, at + word.length);
    return range.getClientRects().length > 1;
  });
}).map((each) => each.textContent)"""
STYLE = """() => {
  const made = getComputedStyle(document.querySelector(".own").shadowRoot.querySelector("p"));
  return [made.color, made.fontSize];
}"""
WIDE = "document.documentElement.scrollWidth <= window.innerWidth"


def press_code(page: Page, key: str, code: str) -> None:
    """A key of a keyboard that has another sign there."""
    script = "([key, code]) => document.body.dispatchEvent(new KeyboardEvent('keydown', {key, code, bubbles: true}))"
    page.evaluate(script, [key, code])


def test_two_projects_on_one_port_show_their_own_images(browser: Browser, tmp_path: Path, host: Host) -> None:
    context, port = browser.new_context(), "0"
    for name, color in (("first", (200, 0, 0)), ("second", (0, 0, 200))):
        images = colored(tmp_path / name, 60, color)
        server = host(tmp_path / f"{name}.adjudge", some_pool("x", "y"), port, data=str(images))
        page, port = visit(context, server.url), server.port
        for _ in range(4):
            page.wait_for_function(READY)
            assert page.evaluate(COLOR) == ",".join(map(str, color))
            answer_with(page, partial(page.keyboard.press, "1"))
        server.kill()


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_zoom_keeps_the_image_in_view(browser: Browser, tmp_path: Path, host: Host, width: int, height: int) -> None:
    classes = ("cat", "golden retriever", "hippopotamus", "Schnabeltier", "tyrannosaurus", "eagle owl")
    images = colored(tmp_path / "images", 60, (9, 200, 9))
    server = host(tmp_path / "pool.adjudge", some_pool(*classes), data=str(images))
    page = visit(browser.new_context(viewport={"width": width, "height": height}), server.url)
    page.wait_for_function(READY)
    box = page.locator(".viewer").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert page.evaluate("() => getComputedStyle(document.querySelector('.viewer img')).transform") == "none"
    for _ in range(10):
        page.locator(".viewer").hover(position={"x": 20, "y": 20})
        page.mouse.wheel(0, -300)
    page.wait_for_function(f"() => ({IN_VIEW})()[2] > 10")
    for key in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown", "+"):
        page.keyboard.press(key)
        assert min(page.evaluate(IN_VIEW)[:2]) > 0.9
    page.keyboard.press("z")
    assert page.evaluate(IN_VIEW)[2] == pytest.approx(1, abs=0.01)
    page.keyboard.press("+")
    assert page.evaluate(IN_VIEW)[2] == pytest.approx(1.5, abs=0.01)
    page.click("text=Light")
    page.locator(".view-tools input").first.fill("200")
    filtered = "() => document.querySelector('.viewer img').style.filter"
    assert page.evaluate(filtered) == "brightness(200%) contrast(100%)"
    page.click("text=Reset")
    assert page.evaluate(filtered) == "brightness(100%) contrast(100%)"
    assert page.evaluate(IN_VIEW)[2] == pytest.approx(1, abs=0.01)
    assert page.evaluate(SPLIT) == []
    assert page.evaluate(WIDE)


@contextmanager
def another_site(html: str) -> Iterator[str]:
    """A page at another host name than ours."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=site.serve_forever, daemon=True).start()
    yield f"http://localhost:{site.server_address[1]}/"
    site.shutdown()
    site.server_close()


def test_a_link_leads_in_and_two_projects_live_side_by_side(browser: Browser, tmp_path: Path, host: Host) -> None:
    one, other = (host(tmp_path / f"{name}.adjudge", some_pool("x", "y")) for name in ("one", "other"))
    context = browser.new_context()
    page = context.new_page()
    with another_site(f"<a href='{one.url}'>label</a>") as site:
        for _ in range(2):  # with and without a cookie
            page.goto(site)
            page.click("a")
            page.wait_for_selector("#card")
            page.wait_for_function(NEW_CARD, arg="")
    beside = visit(context, other.url)
    for each in (page, beside, page):
        answer_with(each, partial(each.keyboard.press, "1"))
        assert each.is_hidden("#banner")


def test_new_classes(browser: Browser, tmp_path: Path, host: Host) -> None:
    server = host(tmp_path / "pool.adjudge", some_pool("catfish", "wolf"))
    page = visit(browser.new_context(viewport={"width": 360, "height": 740}), server.url)

    def typed(text: str, *then: str) -> str:
        page.keyboard.press("/")
        page.fill("#search", text)
        for key in then[:-1]:
            page.keyboard.press(key)
        return answer_with(page, partial(page.keyboard.press, then[-1]))

    page.keyboard.press("/")
    page.fill("#search", "zzz")
    assert page.is_hidden(".class[data-label=wolf]")
    page.keyboard.press("Escape")
    assert page.is_visible(".class[data-label=wolf]")
    assert page.is_hidden("#search-row")
    said = {typed("fish", "Enter", "Enter"): "fish"}  # the first asks: it may be catfish
    assert page.get_attribute(".class[data-label=fish]", "aria-keyshortcuts") == "3"
    said |= {typed("Wolf", "Enter"): "wolf", typed("catf", "ArrowDown", "Enter"): "catfish"}
    said |= {typed("owl", "Enter"): "owl", answer_with(page, partial(page.keyboard.press, "3")): "fish"}
    said[answer_with(page, partial(press_code, page, "&", "Digit1"))] = "catfish"  # as on a French keyboard
    press_code(page, "ы", "KeyS")  # skip, on a Russian one
    page.wait_for_function("() => document.getElementById('counts').textContent.includes('1 skipped')")
    assert {each["sample_id"]: each["label"] for each in exported(page) if each["label"]} == said
    page.reload()
    assert page.get_attribute(".class[data-label=fish]", "aria-keyshortcuts") == "3"
    assert page.get_attribute(".class[data-label=owl]", "aria-keyshortcuts") == "4"


def test_numbers(browser: Browser, tmp_path: Path, host: Host) -> None:
    values = np.random.default_rng(0).random((3, 40)) * 10
    pool = Predictions(values, ("a", "b", "c"), range(40), None)
    page = visit(browser.new_context(), host(tmp_path / "pool.adjudge", pool, range=(0.0, 10.0)).url)
    assert page.evaluate("() => document.activeElement.id") == "number-value"
    page.wait_for_function("() => document.getElementById('headline').textContent.endsWith('there is no ranking yet.')")
    page.wait_for_function("() => document.getElementById('facts').textContent.includes('there is no label yet')")
    page.keyboard.type("1e")
    page.keyboard.press("Enter")
    assert page.inner_text("#number-hint") == "“1e” is not a number; type one such as 3.5."
    page.fill("#number-value", "11")
    page.keyboard.press("Enter")
    assert page.inner_text("#number-hint") == "11 is outside 0.0 to 10.0."
    page.fill("#number-value", "2,5")
    answer_with(page, partial(page.keyboard.press, "Enter"))
    answer_with(page, partial(page.keyboard.press, "s"))
    page.keyboard.press("m")
    page.wait_for_selector("#said li")
    page.keyboard.press("n")
    page.keyboard.type("sum")
    page.keyboard.press("Enter")
    page.keyboard.type("7")
    answer_with(page, partial(page.keyboard.press, "Enter"))
    assert [(each["label"], each["note"]) for each in exported(page)] == [("2.5", ""), (None, ""), ("7.0", "sum")]
    assert page.input_value("#number-value") == ""


def test_notes_bad_items_and_a_server_that_is_away(browser: Browser, tmp_path: Path, host: Host) -> None:
    server = host(tmp_path / "pool.adjudge", some_pool("x", "y"))
    page = visit(browser.new_context(), server.url)
    page.fill("#note", "blurred")
    page.keyboard.press("Escape")
    name = answer_with(page, partial(page.keyboard.press, "1"))
    page.keyboard.press("u")
    page.wait_for_function("name => document.getElementById('card-name').textContent === name", arg=name)
    assert page.input_value("#note") == "blurred"
    answer_with(page, partial(page.keyboard.press, "2"))
    assert [(each["label"], each["note"]) for each in exported(page)][-1] == ("y", "blurred")
    poison: list[str] = []

    def fails(route: Route) -> None:
        """The server fails at the first sample that it is told about."""
        sample = (route.request.post_data_json or {})["sample"]
        poison[:] = poison or [sample]
        route.fulfill(status=500) if sample == poison[0] else route.continue_()

    page.route("**/api/answers", fails)
    page.wait_for_function(NEW_CARD, arg="")
    page.keyboard.press("1")
    page.wait_for_selector("#banner:not([hidden])")
    assert page.inner_text("#banner").startswith(f"The answer to {poison[0]} was not taken: the server failed at it")
    page.unroute("**/api/answers")
    page.wait_for_function(SENT)  # those behind it go on
    page.wait_for_function(NEW_CARD, arg="")
    page.context.set_offline(True)
    for _ in range(3):
        page.keyboard.press("1")
    page.wait_for_function("() => document.getElementById('card-name').textContent === 'Waiting for the server'")
    assert page.inner_text("#card-state") == "waiting: 3 answers are kept here"
    page.keyboard.press("1")  # there is nothing to answer
    page.keyboard.press("u")  # the last one was not sent yet
    page.wait_for_function("() => document.getElementById('card-state').textContent.startsWith('waiting: 2')")
    page.context.set_offline(False)
    page.wait_for_function(SENT)
    page.wait_for_function("() => document.getElementById('counts').textContent === '3 labels'")
    assert page.is_hidden("#banner")


def test_templates_have_their_style_and_no_script(browser: Browser, tmp_path: Path, host: Host) -> None:
    columns = pa.table({"text": ["<b>hello</b>"] * 40})
    values = np.random.default_rng(0).integers(0, 2, (3, 40)).astype(np.int8)
    pool = Predictions(values, ("a", "b", "c"), range(40), ("x", "y"), columns=columns)
    (tmp_path / "card.html").write_text(
        "<style>p { color: rgb(1, 2, 3) } .class { display: none }</style><script>document.title = 'evil'</script>"
        "<p style='font-size: 33px' onclick='document.title = 1'>{{ text }}</p>"
    )
    template = str(tmp_path / "card.html")
    page = visit(browser.new_context(), host(tmp_path / "pool.adjudge", pool, template=template).url)
    page.wait_for_selector(".own")
    shown = page.evaluate(STYLE)
    assert page.is_visible(".class[data-label=x]")  # the style is the template's own
    assert page.title() == "pool · adjudge"
    assert shown == ["rgb(1, 2, 3)", "33px"]


def test_what_cannot_be_seen_cannot_be_labeled(browser: Browser, tmp_path: Path, host: Host) -> None:
    images = colored(tmp_path / "images", 60, (9, 9, 9))
    for image in images.iterdir():
        image.write_bytes(b"no image")
    for number in range(0, 60, 2):
        (images / f"{number}.png").unlink()
    server = host(tmp_path / "pool.adjudge", some_pool("x", "y"), data=str(images))
    page = visit(browser.new_context(), server.url)
    for _ in range(4):
        missing = int(page.inner_text("#card-name")) % 2 == 0
        page.wait_for_selector("#card-body .problem")
        assert ("its file is missing" in page.inner_text("#card-body")) == missing
        lease = page.get_attribute("#card-body", "data-lease")
        page.keyboard.press("1")
        page.wait_for_selector("#banner:not([hidden])")
        assert page.get_attribute("#card-body", "data-lease") == lease
        answer_with(page, partial(page.keyboard.press, "s"))
    assert {each["kind"] for each in exported(page)} == {"skip"}
