"""Write the pages that come from the code, and what the commands of how-to pages print."""

import contextlib
import json
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import console
import decision
from typer.testing import CliRunner

from adjudge import registry
from adjudge.cli.main import COMMANDS, app
from adjudge.reports.schemas import json_schema

HERE = Path(__file__).resolve().parent
EXCHANGE = (
    *(f"export {name}" for name in ("log", "folder", "dataset", "label-studio")),
    *(
        f"import {name}"
        for name in ("inspect", "lm-eval", "every-eval-ever", "promptfoo", "table", "mlflow", "label-studio")
    ),
)
DETAILS = "    options:\n      members: []\n      show_root_heading: false\n      show_root_toc_entry: false\n"
AS_SHOWN: Any = {"prog_name": "adjudge", "terminal_width": 78}  # as in a terminal of 80 columns or more
NOTICE = "<!-- Written by docs/generate.py; change the code instead, then run `make generate`. -->\n\n"


def methods_page() -> str:
    """The registry as a table, and what each method's own docstring says."""
    head = "| name | what it is | reference | needs | draws | returns |\n|---|---|---|---|---|---|\n"
    rows, about = [], []
    for name in registry.BUILT_IN:
        row = registry.describe(name)
        needs, draws = ", ".join(row.needs) or "-", "yes" if row.draws else "-"
        cells = (f"`{name}`", row.summary, row.reference, needs, draws, row.returns)
        rows.append("| " + " | ".join(cells) + " |\n")
        kind = registry.BUILT_IN[name]
        about.append(f"\n## {name}\n\n::: {kind.__module__}.{kind.__name__}\n{DETAILS}")
    return (
        f"{NOTICE}# Methods\n\n{head}{''.join(rows)}\n"
        "A method that *draws* records the chance of every pick, so that its labels give intervals for the whole "
        "pool.\n`select` and `simulate` use `pooled` when no method is named; `rank` uses `agreement` without labels, "
        "`pooled` with its labels, `drawn` with other drawn ones, and `labeled` otherwise. [How it works](concepts.md) "
        "has the formulas, [writing a method](plugins.md) the contract.\n"
        f"{''.join(about)}"
    )


def cli_page() -> str:
    """What `--help` says, for each command."""
    parts = [NOTICE, "# Command line\n"]
    for command in (*COMMANDS, *EXCHANGE):
        parts.append(f"\n## adjudge {command}\n\n```text\n{_help(command)}\n```\n")
    return "".join(parts)


def _help(command: str) -> str:
    runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
    shown = runner.invoke(app, [*command.split(), "--help"], catch_exceptions=False, **AS_SHOWN).stdout
    return "\n".join(line.rstrip() for line in shown.strip().splitlines())


def layers_picture() -> str:
    """The layers that imports go down, as lint-imports checks them."""
    contract = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    layers = [row.split(" | ") for row in contract["tool"]["importlinter"]["contracts"][0]["layers"]]
    layers = [names for names in layers if not names[0].startswith("_")]
    height = 42 * len(layers) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 {height}" width="880" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="14" role="img" '
        'aria-label="Layers of adjudge, from cli at the top to errors at the bottom">'
        '<rect width="100%" height="100%" fill="#f6f7f9" rx="10"/>\n'
    ]
    for row, names in enumerate(layers):
        width = 846 / len(names) - 6
        for column, name in enumerate(names):
            left, top = 20 + column * (width + 6), 14 + 42 * row
            fill = "#e8f2f8" if name in ("core", "api") else "#fff"
            parts.append(
                f'<rect x="{left:.0f}" y="{top}" width="{width:.0f}" height="32" rx="6" fill="{fill}" stroke="#0072B2" '
                f'stroke-width="1.5"/><text x="{left + width / 2:.0f}" y="{top + 21}" text-anchor="middle" '
                f'font-weight="600">{name}</text>\n'
            )
    return "".join(parts) + "</svg>\n"


def schema_file() -> str:
    """What `adjudge schema` shows."""
    return json.dumps(json_schema(), indent=1) + "\n"


PAGES = {
    "methods.md": methods_page,
    "cli.md": cli_page,
    "images/layers.svg": layers_picture,
    "images/which.svg": decision.picture,
    "schema.json": schema_file,
}


def main() -> None:
    for name, make in PAGES.items():
        (HERE / name).write_text(make(), encoding="utf-8")
    for page in console.PAGES:
        with TemporaryDirectory() as folder, contextlib.chdir(folder):
            page.write_text(console.rewritten(page, Path(folder), console.in_a_process), encoding="utf-8")


if __name__ == "__main__":
    main()
