"""A round trip through a real Label Studio server: tasks out, annotations back, label by label the same.

    pip install label-studio && python benchmarks/label_studio.py

The first start of the server takes minutes. It is not among the tests, since it is large and slow.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from typing import Any

import numpy as np

from adjudge.api import select
from adjudge.core.index import ids_at
from adjudge.core.labels import SKIP
from adjudge.decisions.fill import fill
from adjudge.io.labels.label_studio import fetch_annotations, label_config, tasks
from adjudge.simulation.contract import example_pool

TOKEN = "0123456789abcdef0123456789abcdef01234567"
PATIENCE = 900  # seconds for the first start
LABELS = 12


def main() -> None:
    program = shutil.which("label-studio")
    if program is None:
        print("label-studio is not installed; `pip install label-studio` in an environment of its own")
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    with tempfile.TemporaryDirectory() as folder:
        words = ["start", "--no-browser", "--internal-host", "127.0.0.1", "--port", port, "--data-dir", folder]
        words += ["--username", "ada@label.example", "--password", "a password of ada", "--user-token", TOKEN]
        words.append("--enable-legacy-api-token")
        settings = {"COLLECT_ANALYTICS": "false"}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with subprocess.Popen([program, *words], env=os.environ | settings, **quiet) as server:  # type: ignore[call-overload]
            try:
                round_trip(Studio(f"http://127.0.0.1:{port}"))
            finally:
                server.terminate()


class Studio:
    """As much of the server's interface as the round trip needs."""

    def __init__(self, url: str) -> None:
        self.url = url
        end = time.monotonic() + PATIENCE
        while not self._is_up():
            if time.monotonic() > end:
                sys.exit("Label Studio did not start in time")
            time.sleep(2)

    def _is_up(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def ask(self, path: str, told: object | None = None) -> Any:
        headers = {"Authorization": f"Token {TOKEN}", "Content-Type": "application/json"}
        body = None if told is None else json.dumps(told).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.url}{path}", body, headers), timeout=60) as answer:
            return json.loads(answer.read())


def round_trip(studio: Studio) -> None:
    pool, truth = example_pool(models=4, samples=50, classes=3, seed=0)
    assert pool.classes is not None
    plan = select(pool, LABELS, "random")
    names = ids_at(pool.samples, plan.sample)
    shown = {int(sample): {"text": f"sample {name}"} for sample, name in zip(plan.sample, names, strict=True)}
    config = label_config(pool, "text")
    project = studio.ask("/api/projects", {"title": "round trip", "label_config": config})["id"]
    studio.ask(f"/api/projects/{project}/import", tasks(pool, plan.sample, shown))
    expected: dict[str, object] = {}
    for place, task in enumerate(studio.ask(f"/api/tasks?project={project}&fields=all&page_size=100")["tasks"]):
        name, skipped = task["data"]["sample_id"], place == 3
        label = pool.classes[truth[int(name)]]
        result = {"from_name": "label", "to_name": "sample", "type": "choices", "value": {"choices": [label]}}
        told = {"result": [] if skipped else [result], "was_cancelled": skipped}
        studio.ask(f"/api/tasks/{task['id']}/annotations", told)
        expected[name] = SKIP if skipped else label
    found = fetch_annotations(studio.url, TOKEN, project)
    assert found == expected, (found, expected)
    log = fill(plan, pool, found)
    assert log.answered.all()
    assert log.skipped == 1
    assert np.array_equal(log.weight, plan.weight)
    print(f"{len(found)} annotations came back as they went, one of them a skip, with the weights of the plan")


if __name__ == "__main__":
    main()
