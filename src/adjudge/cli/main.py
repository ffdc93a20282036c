"""The app, and how it ends: 0 done, 1 a gate said no, 2 bad input."""

import sys
import warnings
from importlib import import_module
from io import TextIOWrapper
from typing import Any, TextIO

import typer

from adjudge._version import __version__
from adjudge.cli.output import WholeSentences, end_quietly, note
from adjudge.core.kernels import when_compiling
from adjudge.errors import AdjudgeError, AdjudgeNote, AdjudgeWarning

INTERRUPTED = 130  # what typer makes of Ctrl-C

START = """Of these many models, which is best on my data, and how sure am I?
Start with a file of predictions, samples as rows, models as columns.

  adjudge check predictions.csv
      what is in it, and what looks odd
  adjudge select predictions.csv --budget 40 --out labels.csv
      which samples to label
  adjudge rank predictions.csv --labels labels.csv
      what to deploy, and how sure that is

No file at hand? adjudge demo. All commands: adjudge --help."""
COMPILING = "the first commands after an installation take some seconds longer, since parts of them are compiled once"
app = typer.Typer(
    name="adjudge",
    cls=WholeSentences,
    help="Of these many models, which is best on my data, and how sure am I? With few labels, or none.",
    epilog="Install: pip install . in a checkout; adjudge doctor says what else can be installed.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # its table has five columns, which leaves none enough room
)
COMMANDS = (
    "predict",
    "merge",
    "check",
    "samples",
    "plan",
    "rank",
    "report",
    "estimate",
    "compare",
    "prefer",
    "repeats",
    "select",
    "label",
    "simulate",
    "bench",
    "corrupt",
    "shift",
    "zoo",
    "methods",
    "demo",
    "doctor",
    "schema",
)
for name in COMMANDS:
    app.command(name)(getattr(import_module(f"adjudge.cli.{name}"), name))
for name, home in (("export", "export"), ("import", "imports"), ("users", "users")):
    app.add_typer(import_module(f"adjudge.cli.{home}").app, name=name)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"adjudge {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show it and stop."),
) -> None:
    """Take the options that belong to no command; without a command, show how to start."""
    if context.invoked_subcommand is None:
        typer.echo(START)


def run() -> None:
    """The entry point of the `adjudge` command."""
    warnings.showwarning = _show_warning
    warnings.simplefilter("always", AdjudgeWarning)
    when_compiling(lambda: note(COMPILING))
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
        told, context = problem.format_message(), getattr(problem, "ctx", None)
        if context is not None and told == context.get_help():  # a command that needs more was called alone
            typer.echo(told)
        elif told:
            command = context.command_path if context else "adjudge"
            note(f"error: {_slip(told, command)}; see `{command} --help`")
        sys.exit(2)


def _slip(told: str, command: str) -> str:
    """What the parser of the command line says, as the beginning of a sentence of ours."""
    if command == "adjudge compare" and told.startswith("Missing argument"):  # any of the three may be the one
        return "compare takes predictions and then two models, the new one first"
    sentence = told.replace("Value error, ", "")
    told, asked, guess = sentence.rstrip(".?").partition(" Did you mean ")
    return f"{told.rstrip('.')} (did you mean {guess}?)" if asked else told


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> Any:
    if issubclass(category, AdjudgeWarning):
        note(str(message) if issubclass(category, AdjudgeNote) else f"warning: {message}")
