"""The published schema: every command that prints JSON has one, and it tells right from wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from typer.main import get_command

from adjudge.cli.main import app
from adjudge.reports.schemas import PRINTED, json_schema
from tests.support.commands import WIDE, adjudge, as_json, refused


def test_every_command_with_json_has_a_schema() -> None:
    main: Any = get_command(app)
    printing = {
        name
        for name, command in main.commands.items()
        for each in (command, *getattr(command, "commands", {}).values())
        if any("--json" in option.opts for option in each.params)
    }
    assert printing == set(PRINTED)


@pytest.mark.parametrize("command", [*PRINTED, None])
def test_schemas_are_valid_and_described(command: str | None) -> None:
    schema = json_schema(command)
    Draft202012Validator.check_schema(schema)
    assert all(each["description"] for each in schema.get("$defs", {}).values())


def test_the_command_prints_what_python_returns(tmp_path: Path) -> None:
    assert json.loads(adjudge("schema", "rank").stdout) == json_schema("rank")
    everything = json.loads(adjudge("schema").stdout)
    file = tmp_path / "predictions.csv"
    file.write_text(WIDE)
    for command in ("rank", "check"):
        Draft202012Validator(everything).validate(as_json(command, file))
    assert "prints no JSON; those that do are bench, check" in refused("schema", "label")
