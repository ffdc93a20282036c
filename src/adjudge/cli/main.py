"""The app, and how it ends: 0 done, 1 a gate said no, 2 bad input."""

import sys
import warnings
from importlib import import_module
from io import TextIOWrapper
from typing import Any, TextIO

import typer

from adjudge._version import __version__
from adjudge.cli.output import end_quietly, note
from adjudge.errors import AdjudgeError, AdjudgeWarning

INTERRUPTED = 130  # what typer makes of Ctrl-C

app = typer.Typer(
    name="adjudge",
    help="Of these many models, which is best on my data, and how sure am I? With few labels, or none.",
    epilog="Start with: adjudge demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode="rich",
)
COMMANDS = (
    "predict",
    "check",
    "plan",
    "rank",
    "estimate",
    "compare",
    "select",
    "label",
    "simulate",
    "bench",
    "corrupt",
    "shift",
    "zoo",
    "methods",
    "demo",
)
for name in COMMANDS:
    app.command(name)(getattr(import_module(f"adjudge.cli.{name}"), name))
for name, home in (("export", "export"), ("import", "imports")):
    app.add_typer(import_module(f"adjudge.cli.{home}").app, name=name)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"adjudge {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show it and stop."),
) -> None:
    """Take the options that belong to no command."""


def run() -> None:
    """The entry point of the `adjudge` command."""
    warnings.showwarning = _show_warning
    warnings.simplefilter("always", AdjudgeWarning)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows another
    try:
        sys.exit(app(prog_name="adjudge", standalone_mode=False))
    except AdjudgeError as problem:
        note(f"error: {problem}")
        sys.exit(2)
    except SystemExit as end:
        if end.code == INTERRUPTED:
            note("stopped")
        raise
    except BrokenPipeError:
        end_quietly()
    except Exception as problem:
        if not hasattr(problem, "format_message"):
            raise
        if told := problem.format_message():  # a slip in an option; without options the help was shown
            note(f"error: {told.rstrip('.')}; see `adjudge --help`")
        sys.exit(2)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> Any:
    if issubclass(category, AdjudgeWarning):
        note(f"warning: {message}")
