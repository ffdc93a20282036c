"""Run the commands of a page and write down what they print: `make generate` does so, and a test compares.

In a `console` block, a line `$ adjudge ...` is run, also with `| head -5` or `| tail -5` behind it. What a person does
in between stands in a comment: `<!-- labels.csv is filled in from digits-truth.csv -->`. Commands in blocks of another
kind are not run.
"""

import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from adjudge.cli.main import COMPILING

HERE = Path(__file__).resolve().parent
POOLS = HERE / "pools"
PAGES = (*sorted(HERE.glob("howto/*.md")), HERE / "start.md")
STEP = re.compile(r"^```console\n(.*?)^```$|<!-- (\S+) is filled in from (\S+) -->", re.M | re.S)
COLUMNS = "80"

Call = Callable[..., subprocess.CompletedProcess[str]]


def rewritten(page: Path, folder: Path, call: Call) -> str:
    """The page with what its commands print now; they are run in `folder`, which is the current one."""
    for pool in POOLS.glob("*.csv"):
        shutil.copy(pool, folder)

    def step(found: re.Match[str]) -> str:
        if found[1] is None:
            fill(folder / found[2], folder / found[3])
            return found[0]
        commands = re.findall(r"^\$ (.*(?:(?<=\\)\n.*)*)", found[1], re.M)
        return "```console\n" + "".join(f"$ {command}\n{printed(command, call)}" for command in commands) + "```"

    return STEP.sub(step, page.read_text(encoding="utf-8"))


def printed(command: str, call: Call) -> str:
    """What a command prints in a terminal: first its answer, then the notes that go to standard error."""
    command, _, cut = command.replace("\\\n", "").partition(" | ")
    program, *words = shlex.split(command)
    if program != "adjudge":
        raise RuntimeError(f"`{command}` is not run here; use another kind of block")
    done = call(*words)
    if done.returncode not in (0, 1):  # 1: a gate said no
        raise RuntimeError(f"`{command}` ended with {done.returncode}: {done.stderr}")
    lines = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
    if cut:
        end, count = cut.split(" -")
        lines = {"head": lines[: int(count)], "tail": lines[-int(count) :]}[end]
    return "".join(f"{line}\n" for line in lines)


def fill(log: Path, truth: Path) -> None:
    """Give the open rows of a plan their labels, as a person would."""
    with truth.open(encoding="utf-8", newline="") as file:
        known = {row["sample_id"]: row["label"] for row in csv.DictReader(file)}
    lines = log.read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    rows = list(csv.DictReader(lines[start:]))
    for row in rows:
        row["label"] = row["label"] or known[row["sample_id"]]
    with log.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"{line}\n" for line in lines[:start])
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def in_a_process(*words: str) -> subprocess.CompletedProcess[str]:
    """A command as a user calls it."""
    call = [sys.executable, "-m", "adjudge", *words]
    here = os.environ | {"COLUMNS": COLUMNS}
    done = subprocess.run(call, capture_output=True, text=True, env=here, check=False)
    done.stderr = done.stderr.replace(f"{COMPILING}\n", "")  # it depends on what was compiled before
    return done
