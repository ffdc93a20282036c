"""Printing: results to standard output, everything else to standard error."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from adjudge.reports.plain import plain, schema_name

STDERR = Console(stderr=True, highlight=False)  # one for notes and bars, so that a note does not land inside a bar


def note(sentence: str, command: str | None = None) -> None:
    """A sentence for the person at the terminal, and a command that can be copied from a line of its own."""
    STDERR.print(sentence, markup=False, soft_wrap=not STDERR.is_terminal)
    if command is not None:
        STDERR.print(f"  {command}", markup=False, soft_wrap=True)


def print_json(command: str, result: Mapping[str, Any]) -> None:
    """The result of a command for machines, with the name of its schema, which `adjudge schema` shows."""
    told = {"schema": schema_name(command), **plain(dict(result))}
    sys.stdout.write(json.dumps(told, indent=2, allow_nan=False, ensure_ascii=False) + "\n")


class Screen(Console):
    """A console whose reader may go away."""

    def on_broken_pipe(self) -> None:
        end_quietly()


def screen() -> Console:
    return Screen(highlight=False)


def print_command(command: str) -> None:
    """A command on a line of its own, however long, so that it can be copied."""
    screen().print(f"  {command}", markup=False, soft_wrap=True)


def end_quietly() -> None:
    """The reader of a pipe, such as `head`, has seen enough: that is no failure."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)


@contextmanager
def answering(code: int) -> Iterator[None]:
    """What is printed inside goes with an answer, which the exit code gives even if the reader goes away."""
    with suppress(BrokenPipeError, SystemExit):
        yield
    raise typer.Exit(code)


@contextmanager
def resumable(folder: object) -> Iterator[None]:
    """Work that Ctrl-C stops and the same command goes on with; says so."""
    try:
        yield
    except KeyboardInterrupt:
        note(f"what is done is kept in {folder}; the same command goes on from there")
        raise


@contextmanager
def progress(what: str, total: int) -> Iterator[Any]:
    """A bar with the time left, on standard error; yields a function that takes how many are done."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=STDERR, transient=True, disable=not STDERR.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def busy(what: str) -> Iterator[None]:
    """What is being done, on standard error, for as long as it takes; nothing where nobody looks."""
    if not STDERR.is_terminal:
        yield
        return
    with STDERR.status(what):
        yield


class WholeSentences(TyperGroup):
    """Commands with the whole of their first sentence, however narrow the terminal."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        rows = [(name, self.commands[name].get_short_help_str(limit=200)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
