"""Photograph the labeling page and the report for the five-minute start (needs chromium and scikit-learn)."""

import contextlib
import csv
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copy
from tempfile import TemporaryDirectory

import numpy as np
from console import fill, in_a_process
from playwright.sync_api import Page, sync_playwright
from sklearn.datasets import load_digits

from adjudge.models.datasets.contents import png

HERE = Path(__file__).resolve().parent
POOLS, KEPT, ANSWERED = HERE / "pools", 600, 12
NEW_CARD = "old => { const now = document.getElementById('card-body').dataset.lease; return now && now !== old; }"
ZOOM = 24  # a scan has 8 x 8 pixels


def main() -> None:
    with TemporaryDirectory() as folder, sync_playwright() as play:
        here = Path(folder)
        copy(POOLS / "digits.csv", here)
        scans(here / "scans")
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1180, "height": 800})
        page.set_default_timeout(300_000)
        with served(here) as url:
            label(page, url)
            page.screenshot(path=HERE / "images" / "start-label.png")
        page.goto(report(here).as_uri())
        page.wait_for_timeout(2000)
        page.screenshot(path=HERE / "images" / "start-report.png")
        browser.close()


def scans(folder: Path) -> None:
    """The scans as images, named by their sample."""
    folder.mkdir()
    images = load_digits().images
    order = np.random.default_rng(0).permutation(len(images))  # as in pools.py
    for number, which in enumerate(order[:KEPT]):
        gray = (255 - images[which] * 255 / 16).astype(np.uint8)
        (folder / f"scan-{number:03d}.png").write_bytes(png(gray.repeat(ZOOM, 0).repeat(ZOOM, 1)[:, :, None]))


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    call = [sys.executable, "-m", "adjudge", "label", "digits.csv", "--data", "scans", "--no-browser", "--port", "0"]
    process = subprocess.Popen(call, stderr=subprocess.PIPE, text=True, cwd=folder, env=os.environ | {"LOGNAME": "ada"})
    assert process.stderr is not None
    found = None
    while found is None:
        found = re.search(r"http://\S+", process.stderr.readline())
    try:
        yield found[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def label(page: Page, url: str) -> None:
    """Answer a dozen samples by their keys, and wait until the ranking knows them."""
    truth = known()
    page.goto(url)
    for _ in range(ANSWERED):
        page.wait_for_function(NEW_CARD, arg="")
        before = page.get_attribute("#card-body", "data-lease")
        page.get_by_role("button", name=truth[page.inner_text("#card-name")], exact=False).first.click()
        page.wait_for_function(NEW_CARD, arg=before)
    page.get_by_text(f"from {ANSWERED} labels").first.wait_for()
    page.wait_for_timeout(3000)  # until it is drawn


def known() -> dict[str, str]:
    with (POOLS / "digits-truth.csv").open(encoding="utf-8", newline="") as file:
        return {row["sample_id"]: row["label"] for row in csv.DictReader(file)}


def report(folder: Path) -> Path:
    """The report after the 40 labels of the page."""
    with contextlib.chdir(folder):
        in_a_process("select", "digits.csv", "--budget", "40", "--out", "labels.csv")
        fill(folder / "labels.csv", POOLS / "digits-truth.csv")
        in_a_process("report", "digits.csv", "--labels", "labels.csv", "--out", "report.html")
    return folder / "report.html"


if __name__ == "__main__":
    main()
