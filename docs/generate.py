"""Write the pages that come from the code: the table of methods and the command line."""

import os
import subprocess
import sys
from pathlib import Path

from adjudge import registry

HERE = Path(__file__).parent
COMMANDS = ("check", "plan", "rank", "estimate", "compare", "select", "simulate", "bench", "methods", "demo")
NOTICE = "<!-- Written by docs/generate.py; change the code instead, then run `make generate`. -->\n\n"


def methods_page() -> str:
    """The registry as a table."""
    head = "| name | what it is | reference | needs | draws | returns |\n|---|---|---|---|---|---|\n"
    rows = []
    for name in registry.BUILT_IN:
        row = registry.describe(name)
        needs, draws = ", ".join(row.needs) or "-", "yes" if row.draws else "-"
        cells = (f"`{name}`", row.summary, row.reference, needs, draws, row.returns)
        rows.append("| " + " | ".join(cells) + " |\n")
    return (
        f"{NOTICE}# Methods\n\n{head}{''.join(rows)}\n"
        "A method that *draws* records the chance of every pick, so that its labels give intervals for the whole "
        "pool.\n`select` and `simulate` use `random` when no method is named; `rank` uses `agreement` without labels, "
        "`drawn` with drawn ones, and `labeled` otherwise. [How it works](concepts.md) has the formulas, "
        "[writing a method](plugins.md) the contract.\n"
    )


def cli_page() -> str:
    """What `--help` says, for each command."""
    parts = [NOTICE, "# Command line\n"]
    for command in COMMANDS:
        parts.append(f"\n## adjudge {command}\n\n```text\n{_help(command)}\n```\n")
    return "".join(parts)


def _help(command: str) -> str:
    plain = os.environ | {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    call = [sys.executable, "-m", "adjudge", command, "--help"]
    shown = subprocess.run(call, capture_output=True, text=True, check=True, env=plain).stdout
    return "\n".join(line.rstrip() for line in shown.strip().splitlines())


PAGES = {"methods.md": methods_page, "cli.md": cli_page}

if __name__ == "__main__":
    for name, make in PAGES.items():
        (HERE / name).write_text(make(), encoding="utf-8")
