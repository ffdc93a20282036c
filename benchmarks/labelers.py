"""Fifty simulated people at human speed on one labeling page: no error, no label lost or doubled, memory flat.

python benchmarks/labelers.py [--people 50] [--seconds 120]
"""

import argparse
import http.client
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

from adjudge.io import write_predictions
from adjudge.simulation.contract import example_pool

THINK = 2.0  # seconds that a person looks at a sample, on average
MEMORY = re.compile(r"VmRSS:\s+(\d+) kB")


class Labeler(threading.Thread):
    """A person: looks, thinks, answers, over one connection that stays open."""

    def __init__(self, number: int, port: int, end: float) -> None:
        super().__init__(daemon=True)
        self.person, self.port, self.end = f"person {number}", port, end
        self.rng = np.random.default_rng(number)
        self.line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.headers: dict[str, str] = {}
        self.said: dict[str, str] = {}  # acknowledged, by sample
        self.times: list[float] = []
        self.problems: list[str] = []

    def ask(self, method: str, path: str, body: str | None = None, kind: str = "application/json") -> bytes:
        headers = self.headers | ({"content-type": kind} if body else {})
        try:
            self.line.request(method, path, body, headers)
            answer = self.line.getresponse()
        except (
            ConnectionError,
            http.client.HTTPException,
        ):  # an idle line was closed: browsers ask again
            self.line.close()
            self.line.request(method, path, body, headers)
            answer = self.line.getresponse()
        content = answer.read()
        if cookie := answer.headers.get("set-cookie"):
            self.headers["cookie"] = cookie.partition(";")[0]
        if answer.status >= 400:
            self.problems.append(f"{path}: {answer.status} {content[:200]!r}")
        return content

    def run(self) -> None:
        self.ask("POST", "/login", urlencode({"name": self.person}), "application/x-www-form-urlencoded")
        token = re.search(rb'adjudge-token" content="([^"]+)"', self.ask("GET", "/"))
        assert token is not None
        self.headers["x-adjudge-token"] = token[1].decode()
        threading.Thread(target=self.listen, daemon=True).start()
        cards = json.loads(self.ask("GET", "/api/cards"))["cards"]
        while time.monotonic() < self.end:
            time.sleep(self.rng.gamma(4.0, THINK / 4.0))
            if not cards:
                cards = json.loads(self.ask("GET", "/api/cards"))["cards"]
                continue
            card, label = cards[0], "abcd"[self.rng.integers(4)]
            began = time.perf_counter()
            told = json.loads(self.ask("POST", "/api/answers", json.dumps({"lease": card["lease"], "label": label})))
            self.times.append(time.perf_counter() - began)
            if "cards" in told:
                self.said[card["name"]] = label
                cards = told["cards"]

    def listen(self) -> None:
        """Keep the line of news open, as a page does."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        line.request("GET", "/api/events", headers=self.headers)
        answer = line.getresponse()
        while time.monotonic() < self.end and answer.readline():
            pass


def memory(process: int) -> int:
    """Megabytes that a process holds."""
    found = MEMORY.search(Path(f"/proc/{process}/status").read_text(encoding="utf-8"))
    return 0 if found is None else int(found[1]) // 1024


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--people", type=int, default=50)
    asked.add_argument("--seconds", type=float, default=120.0)
    told = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pool, _ = example_pool(models=20, samples=20_000, classes=4, seed=0)
        write_predictions(pool, Path(folder) / "pool.npz")
        call = [sys.executable, "-m", "adjudge", "label", f"{folder}/pool.npz", "--no-browser", "--port", "0"]
        with subprocess.Popen(call, stderr=subprocess.PIPE, text=True) as server:
            try:
                assert server.stderr is not None
                address = re.search(r"http://[^/]+:(\d+)/", server.stderr.readline())
                assert address is not None
                report(int(address[1]), server.pid, told.people, told.seconds)
            finally:
                server.terminate()


def report(port: int, process: int, count: int, seconds: float) -> None:
    end = time.monotonic() + seconds
    people = [Labeler(number, port, end) for number in range(count)]
    for person in people:
        person.start()
    held = []
    while time.monotonic() < end:
        time.sleep(min(5.0, seconds / 10))
        held.append(memory(process))
    for person in people:
        person.join(60)
    log = json.loads(people[0].ask("GET", "/export/labels.json"))
    stored = {row["sample_id"]: row["label"] for row in log["rows"] if row["label"] is not None}
    said = [item for person in people for item in person.said.items()]
    times = 1000 * np.concatenate([person.times for person in people])
    problems = [problem for person in people for problem in person.problems]
    doubled, lost = len(said) - len(dict(said)), sum(stored.get(name) != label for name, label in said)
    median, high = np.percentile(times, [50, 95])
    half = held[len(held) // 2]
    print(f"{count} people, {seconds:.0f} s: {len(said)} labels acknowledged, {len(stored)} stored")
    print(f"errors {len(problems)}, lost {lost}, doubled {doubled}; answer {median:.0f} ms median, {high:.0f} ms 95th")
    print(f"memory of the server: {held[0]} MB at first, {half} MB half way, {held[-1]} MB at the end")
    if problems or lost or doubled:
        sys.exit(f"something went wrong: {problems[:3]}")


if __name__ == "__main__":
    main()
