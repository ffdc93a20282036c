"""From the key press to the next card, in a real browser, on a pool of 100 models and 50,000 samples.

python benchmarks/page.py [--labels 60] [--models 100] [--samples 50000]
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from adjudge.io import write_predictions
from adjudge.simulation.contract import example_pool

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
NEW_CARD = "old => { const now = document.getElementById('card-body').dataset.lease; return now && now !== old; }"
PAUSE = 700  # milliseconds between a card and the key: a quick person


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--labels", type=int, default=60)
    asked.add_argument("--models", type=int, default=100)
    asked.add_argument("--samples", type=int, default=50_000)
    asked.add_argument("--method", default="pooled")
    told = asked.parse_args()
    chromium = shutil.which("chromium")
    if chromium is None:
        print("there is no Chromium here; install the package chromium")
        return
    with tempfile.TemporaryDirectory() as folder:
        pool, truth = example_pool(models=told.models, samples=told.samples, classes=10, seed=1)
        write_predictions(pool, Path(folder) / "pool.npz")
        call = [sys.executable, "-m", "adjudge", "label", f"{folder}/pool.npz", "--method", told.method]
        with subprocess.Popen([*call, "--no-browser", "--port", "0"], stderr=subprocess.PIPE, text=True) as server:
            try:
                assert server.stderr is not None
                address = re.search(r"http://\S+", server.stderr.readline())
                assert address is not None
                times = measure(chromium, address[0], truth, told.labels)
            finally:
                server.terminate()
    median, high = np.percentile(times, [50, 95])
    size = f"{told.models} x {told.samples:,}"
    print(f"{size}, {told.method}: key to card {median:.0f} ms median, {high:.0f} ms 95th, {max(times):.0f} ms at most")


def measure(chromium: str, url: str, truth: np.ndarray, labels: int) -> list[float]:
    """Milliseconds for each label, as the page measures them, from the key to the frame that shows the card."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=chromium, args=FLAGS).new_page()
        began = time.monotonic()
        page.goto(url)
        page.wait_for_function(NEW_CARD, arg="", timeout=180_000)
        print(f"first card after {time.monotonic() - began:.1f} s")
        for _ in range(labels):
            page.wait_for_timeout(PAUSE)
            lease = page.get_attribute("#card-body", "data-lease")
            page.keyboard.press(str((truth[int(page.inner_text("#card-name"))] + 1) % 10))
            page.wait_for_function(NEW_CARD, arg=lease, timeout=60_000)
        found: list[float] = page.evaluate("performance.getEntriesByName('key to card').map(each => each.duration)")
    return found


if __name__ == "__main__":
    main()
