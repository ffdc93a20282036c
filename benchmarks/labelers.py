"""Many simulated people at human speed on one labeling page: no error, no label lost or doubled, and what it costs.

python benchmarks/labelers.py [--people 200] [--seconds 60] [--databases sqlite postgresql] [--methods pooled random]
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.io import write_predictions
from adjudge.simulation.contract import example_pool

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.support import postgres

THINK = 2.0  # seconds that a person looks at a sample, on average
PATIENCE = 60.0  # seconds for one request
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


class Line:
    """One connection that stays open; just enough of HTTP for the page."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookie, self.token = "", ""
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: str = "", kind: str = JSON) -> tuple[int, bytes]:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        writer.write(
            f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{self.port}\r\ncookie: {self.cookie}\r\n"
            f"x-adjudge-token: {self.token}\r\ncontent-type: {kind}\r\n"
            f"content-length: {len(body)}\r\n\r\n{body}".encode()
        )
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
        if cookies := re.findall(rb"set-cookie: *([^;\r]+)", head, re.IGNORECASE):
            self.cookie = b"; ".join(cookies).decode()
        size = LENGTH.search(head)
        content = b"" if size is None else await asyncio.wait_for(reader.readexactly(int(size[1])), PATIENCE)
        return int(head[9:12]), content

    async def listen(self) -> None:
        """Keep the line of news open, as a page does."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=2**24)
        writer.write(f"GET /api/events HTTP/1.1\r\nhost: 127.0.0.1\r\ncookie: {self.cookie}\r\n\r\n".encode())
        while await reader.read(2**16):
            pass


@dataclass
class Labeler:
    """A person: looks, thinks, answers."""

    number: int
    port: int
    said: dict[str, str] = field(default_factory=dict)  # acknowledged, by sample
    times: list[float] = field(default_factory=list)  # seconds
    problems: list[str] = field(default_factory=list)
    empty: int = 0  # how often there was no sample

    async def work(self, seconds: float) -> None:
        rng, self.line = np.random.default_rng(self.number), Line(self.port)
        await asyncio.sleep(float(rng.random()) * THINK)
        await self.line.ask("POST", "/login", urlencode({"name": f"person {self.number}"}), FORM)
        token = re.search(rb'adjudge-token" content="([^"]+)"', (await self.line.ask("GET", "/"))[1])
        assert token is not None
        self.line.token = token[1].decode()
        listening = asyncio.create_task(self.line.listen())
        cards = await self.ask("GET", "/api/cards")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await asyncio.sleep(float(rng.gamma(4.0, THINK / 4.0)))
            if not cards:
                self.empty += 1
                cards = await self.ask("GET", "/api/cards")
                continue
            card, label = cards[0], "abcd"[rng.integers(4)]
            began = time.perf_counter()
            cards = await self.ask("POST", "/api/answers", json.dumps({"lease": card["lease"], "label": label}))
            self.times.append(time.perf_counter() - began)
            self.said[card["name"]] = label
        listening.cancel()

    async def ask(self, method: str, path: str, body: str = "") -> list[dict[str, str]]:
        status, content = await self.line.ask(method, path, body)
        if status >= 400:
            self.problems.append(f"{path}: {status} {content[:200]!r}")
            return []
        found: list[dict[str, str]] = json.loads(content)["cards"]
        return found


def cpu_seconds(process: int) -> float:
    """Of a process, in all its threads."""
    parts = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def children(process: int) -> list[int]:
    return list(map(int, Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8").split()))


def cpu_by_part(server: int, postmaster: int | None) -> FloatArray:
    """(parts,): seconds of the web processes, of the one that picks, of the one that ranks, of the database, of us."""
    helpers = [each for each in children(server) if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()]
    database = [] if postmaster is None else [postmaster, *children(postmaster)]
    parts = ([server, *helpers[2:]], helpers[:1], helpers[1:2], database, [os.getpid()])
    return np.array([sum(map(cpu_seconds, part)) for part in parts])


async def play(
    port: int, server: int, postmaster: int | None, told: argparse.Namespace
) -> tuple[list[Labeler], FloatArray]:
    people = [Labeler(number, port) for number in range(told.people)]
    before = cpu_by_part(server, postmaster)
    await asyncio.gather(*(person.work(told.seconds) for person in people))
    return people, cpu_by_part(server, postmaster) - before


def report(name: str, people: list[Labeler], cpu: FloatArray, log: bytes) -> bool:
    stored = {row["sample_id"]: row["label"] for row in json.loads(log)["rows"] if row["label"] is not None}
    said = [item for person in people for item in person.said.items()]
    problems = [problem for person in people for problem in person.problems]
    doubled = sum(times > 1 for times in Counter(sample for sample, _ in said).values())
    lost = sum(stored.get(sample) != label for sample, label in said)
    p50, p95 = 1000 * np.percentile(np.concatenate([person.times for person in people]), [50, 95])
    empty = sum(person.empty for person in people)
    print(
        f"{name:<20} {len(said):>7} {p50:>7.0f} {p95:>7.0f} {len(problems):>7} {lost:>5} {doubled:>8} {empty:>6}   "
        + "".join(f"{each:>9.1f}" for each in 1000 * cpu / len(said)),
        flush=True,
    )
    for problem in problems[:3]:
        print(f"  {problem}")
    return not (problems or lost or doubled)


def run(server_of_database: postgres.Postgres | None, method: str, told: argparse.Namespace) -> bool:
    database = None if server_of_database is None else server_of_database.url
    postmaster = None if server_of_database is None else server_of_database.process
    with tempfile.TemporaryDirectory() as folder:
        pool, _ = example_pool(models=20, samples=20_000, classes=4, seed=0)
        write_predictions(pool, Path(folder) / "pool.npz")
        call = [sys.executable, "-m", "adjudge", "label", f"{folder}/pool.npz", "--no-browser", "--port", "0"]
        call += ["--method", method, *(["--workers", str(told.workers)] if database and told.workers > 1 else [])]
        environment = os.environ | ({} if database is None else {"ADJUDGE_DATABASE": database})
        with subprocess.Popen(call, stderr=subprocess.PIPE, text=True, env=environment) as server:
            try:
                assert server.stderr is not None
                lines = iter(server.stderr.readline, "")
                address = next(found for line in lines if (found := re.search(r"http://[^/]+:(\d+)/", line)))
                people, cpu = asyncio.run(play(int(address[1]), server.pid, postmaster, told))
            finally:
                server.terminate()
        file = Path(folder) / "labels.json"
        export = [sys.executable, "-m", "adjudge", "export", "log", f"{folder}/pool.adjudge", "--out", str(file)]
        subprocess.run(export, check=True, stderr=subprocess.DEVNULL, env=environment)
        name = f"{'sqlite' if database is None else 'postgresql'} {method}"
        return report(name, people, cpu, file.read_bytes())


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--people", type=int, default=200)
    asked.add_argument("--seconds", type=float, default=60.0)
    asked.add_argument("--databases", nargs="*", default=["sqlite", "postgresql"])
    asked.add_argument("--methods", nargs="*", default=["pooled", "random"])
    asked.add_argument("--workers", type=int, default=1)
    told = asked.parse_args()
    print(f"{told.people} people, {told.seconds:.0f} s, an answer every {THINK:g} s each; times in milliseconds")
    print("CPU for each answer; `us` is this program, `empty` counts asks that found no card ready")
    print(
        f"{'':<20} answers     p50     p95  errors  lost  doubled  empty         web    picks  ranking database     us"
    )
    fine = True
    for database in told.databases:
        for method in told.methods:
            with nullcontext(None) if database == "sqlite" else postgres.started() as server:
                fine &= run(server, method, told)
    sys.exit(0 if fine else "something went wrong")


if __name__ == "__main__":
    main()
