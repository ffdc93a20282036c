"""The command line as a user calls it: its exit code and its two streams, in this process or in one of its own."""

import csv
import json
import os
import subprocess
import sys
import warnings
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from functools import cache
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any
from unittest.mock import patch

from jsonschema import Draft202012Validator

from adjudge.__main__ import run
from adjudge.cli import main
from adjudge.reports.schemas import json_schema

WIDE = """sample_id,net,tree,rule
a,cat,cat,dog
b,dog,dog,dog
c,cat,dog,dog
d,cat,cat,cat
e,dog,cat,dog
f,cat,cat,dog
"""
TRUTH = dict(zip("abcdef", ("cat", "dog", "cat", "cat", "dog", "cat"), strict=True))
TERMINAL = {"COLUMNS": "80"}

Done = subprocess.CompletedProcess[str]


def adjudge(*words: object, said: str = "") -> Done:
    """The entry point in this process, which saves two seconds of imports for each call; `said` is typed in."""
    call = ["adjudge", *map(str, words)]
    out, told, typed = _stream(), _stream(), _stream(said)
    with ExitStack() as here:
        here.enter_context(warnings.catch_warnings())  # the command changes how they are shown
        here.enter_context(patch.dict(os.environ, TERMINAL))
        here.enter_context(patch.object(main, "when_compiling"))  # what is told must not depend on what was compiled
        here.enter_context(patch.multiple(sys, argv=call, stdin=typed))
        here.enter_context(redirect_stdout(out))
        here.enter_context(redirect_stderr(told))
        code = _exit_code()
    if "--json" in call and code != 2:
        check_schema(json.loads(_content(out)))
    return subprocess.CompletedProcess(call, code, _content(out), _content(told))


def check_schema(printed: dict[str, Any]) -> None:
    """Whether JSON is what the schema that it names promises: every test of a command with --json sees to it."""
    command = str(printed["schema"]).split(":")[2]
    validator(command).validate(printed)


@cache
def validator(command: str) -> Draft202012Validator:
    return Draft202012Validator(json_schema(command))


def adjudge_process(*words: object, folder: Path | None = None) -> Done:
    """A process of its own, where the test is about that, or about the folder it is called in."""
    call = [sys.executable, "-m", "adjudge", *map(str, words)]
    done = subprocess.run(call, capture_output=True, text=True, cwd=folder, env=os.environ | TERMINAL, check=False)
    done.stderr = done.stderr.replace(f"{main.COMPILING}\n", "")  # it depends on what was compiled before
    return done


def as_json(*words: object) -> Any:
    done = adjudge(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refused(*words: object) -> str:
    """The one sentence of a refusal: exit code 2, nothing on standard output; a traceback would end the test."""
    return sentence_of(adjudge(*words))


def sentence_of(done: Done) -> str:
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1, done.stderr
    return lines[0]


def _stream(content: str = "") -> TextIOWrapper:
    return TextIOWrapper(BytesIO(content.encode()), encoding="utf-8", newline="")


def _content(stream: TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _exit_code() -> int:
    try:
        run()
    except SystemExit as end:
        code = end.code
    else:
        code = None
    assert code is None or isinstance(code, int), code
    return code or 0


def fill(plan: Path, truth: dict[str, str]) -> None:
    """Fill the label column as a person with a spreadsheet would."""
    lines = plan.read_text().splitlines()
    start = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    rows = list(csv.DictReader(lines[start:]))
    with plan.open("w", newline="") as file:
        file.write("".join(f"{line}\n" for line in lines[:start]))
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(row | {"label": truth[row["sample_id"]]} for row in rows)


def label_here(*words: object, said: str) -> Done:
    return adjudge("label", *words, "--terminal", "--name", "ada", said=said)
