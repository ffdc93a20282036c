"""`adjudge schema`: what `--json` prints."""

import json
import sys
from typing import Annotated

import typer


def schema(
    command: Annotated[
        str | None, typer.Argument(help="Whose output: rank, compare or another. (default: all commands)")
    ] = None,
) -> None:
    """Show the JSON Schema of what commands print with --json; each output names its schema and version.

    Example: adjudge schema rank
    """
    from adjudge.reports.schemas import json_schema

    sys.stdout.write(json.dumps(json_schema(command), indent=2) + "\n")
