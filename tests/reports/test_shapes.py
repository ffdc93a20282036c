"""What commands print as JSON."""

from pathlib import Path

import pytest
from jsonschema import ValidationError

from adjudge.reports.schemas import json_schema
from tests.support.commands import WIDE, as_json, validator


def test_what_is_missing_or_unknown_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "predictions.csv"
    file.write_text(WIDE)
    printed = as_json("rank", file)
    assert printed["schema"] == json_schema("rank")["$id"]
    first, *others = printed["models"]
    for wrong in (
        {name: value for name, value in printed.items() if name != "models"},
        printed | {"more": 1},
        printed | {"schema": "urn:adjudge:rank:2"},
        printed | {"models": [first | {"rank": "first"}, *others]},
    ):
        with pytest.raises(ValidationError):
            validator("rank").validate(wrong)
