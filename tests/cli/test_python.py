"""Everything that the command line does is a function: each option of each command is a parameter of a public one."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import adjudge
from adjudge.cli.main import app
from adjudge.registry import DEFAULT_SELECTOR
from tests.support.options import DOOR

# the function behind a command, where its options alone do not name it
FUNCTIONS = {
    "check": ("screen", "missing_inputs"),
    "doctor": ("doctor",),
    "methods": ("list_methods",),
    "rank": ("rank", "vote_trust"),
    "select": ("outlook",),
}
# options that say how a command prints, or where: Python has the object itself
PRINTING = {"samples": {"--method", "--out"}, "label": {"--terminal"}}
WITHOUT_SEED = {
    "check",
    "merge",
    "plan",
    "prefer",
    "repeats",
    "rank",
    "report",
    "estimate",
    "compare",
    "doctor",
    "methods",
}  # they accept one, which has no effect


def commands() -> Iterator[tuple[str, set[str]]]:
    """Each command, with its arguments and the first name of each of its options."""
    main: Any = get_command(app)
    for name, command in main.commands.items():
        inner = getattr(command, "commands", None)
        for full, each in [(name, command)] if inner is None else [(f"{name} {n}", c) for n, c in inner.items()]:
            yield full, {option.opts[0] for option in each.params}


COMMANDS = dict(commands())


def test_every_command_is_there() -> None:
    assert set(COMMANDS) == set(DOOR)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_option_is_a_parameter(command: str) -> None:
    printing = {"--json", "--help"} | PRINTING.get(command, set())
    printing |= {"--seed"} if command in WITHOUT_SEED else set()
    assert COMMANDS[command] - printing == set(DOOR[command])


@pytest.mark.parametrize("command", sorted(DOOR))
def test_every_parameter_is_there(command: str) -> None:
    for target in DOOR[command].values():
        *names, parameter = target.split(".")
        assert names[0] in adjudge.__all__
        found: Any = adjudge
        for name in names:
            found = getattr(found, name)
        assert parameter in inspect.signature(found).parameters, target
    assert set(FUNCTIONS.get(command, ())) <= set(adjudge.__all__)
    assert DOOR[command] or FUNCTIONS[command]


def test_a_seed_without_effect_says_so() -> None:
    main: Any = get_command(app)
    told = {name for name, each in main.commands.items() for option in each.params if "no effect" in str(option.help)}
    assert told == WITHOUT_SEED


@pytest.mark.parametrize("command", ["select", "label", "simulate"])
def test_the_default_selector_is_the_one_that_is_told(command: str) -> None:
    main: Any = get_command(app)
    [method] = [option for option in main.commands[command].params if option.name == "method"]
    assert method.help.endswith(f"(default: {DEFAULT_SELECTOR})")


def test_type_checkers_see_every_public_name() -> None:
    tree = ast.parse(Path(adjudge.__file__).read_text(encoding="utf-8"))
    seen = {
        alias.name: each.module
        for node in tree.body
        if isinstance(node, ast.If)
        for each in node.body
        if isinstance(each, ast.ImportFrom)
        for alias in each.names
    }
    assert seen == adjudge._HOME_OF
