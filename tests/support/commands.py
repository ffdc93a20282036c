"""The command line as a user calls it: a process of its own, its exit code, its two streams."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

WIDE = """sample_id,net,tree,rule
a,cat,cat,dog
b,dog,dog,dog
c,cat,dog,dog
d,cat,cat,cat
e,dog,cat,dog
f,cat,cat,dog
"""


def adjudge(*words: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    call = [sys.executable, "-m", "adjudge", *map(str, words)]
    plain = os.environ | {"COLUMNS": "80"}
    return subprocess.run(call, capture_output=True, text=True, cwd=folder, env=plain, check=False)


def as_json(*words: object) -> Any:
    done = adjudge(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refused(*words: object) -> str:
    """The one sentence of a refusal: exit code 2, nothing on standard output, no traceback."""
    done = adjudge(*words)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1, done.stderr
    return lines[0]
