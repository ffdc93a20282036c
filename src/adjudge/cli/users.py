"""`adjudge users`: who may open the labeling page, and as what."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.output import WholeSentences, note

app = typer.Typer(cls=WholeSentences, no_args_is_help=True, help="Who may open the labeling page, and as what.")


@app.callback()
def _several() -> None:
    """Keep the name of the only command."""


@app.command("add")
def add(
    file: Annotated[Path, typer.Argument(help="The file for `adjudge label --users`.", show_default=False)],
    name: Annotated[str, typer.Argument(help="Who it is.", show_default=False)],
    role: Annotated[str, typer.Option("--role", help="labeler, adjudicator or owner.")] = "labeler",
) -> None:
    """Add a person with a password and a role, or give one another password; only a hash of it is kept.

    The password is asked for; where nobody can be asked, it is the first line of standard input.

    Example: adjudge users add users.txt ada --role owner
    """
    from adjudge.labeling.web.users import add_user

    if sys.stdin.isatty():
        password = typer.prompt(f"Password of {name}", hide_input=True, confirmation_prompt=True)
    else:
        password = sys.stdin.readline().rstrip("\n")
    new = add_user(file, name, password, role)
    note(f"{name} is {'in' if new else 'changed in'} {file} as {role}")


def secret_from(told: str | None, file: Path | None, what: str) -> str | None:
    """A secret from the command line or the environment, or from a file that only its owner may read."""
    if file is None:
        return told
    from adjudge.errors import InputError
    from adjudge.labeling.web.users import private_text

    if told is not None:
        raise InputError(f"--{what} (or its environment variable) and --{what}-file are both given; leave one out")
    found = private_text(file, f"the file of the {what}").strip()
    if not found:
        raise InputError(f"the file of the {what} {file} is empty; write the {what} into it")
    return found
