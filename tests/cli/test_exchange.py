"""Labels to and from other tools: Label Studio, folders of files."""

import json
from pathlib import Path

import pytest

from adjudge.errors import AdjudgeWarning
from tests.support.commands import WIDE
from tests.support.label_studio import annotated
from tests.support.runner import run


def test_a_class_in_another_spelling_is_taken_with_a_warning(tmp_path: Path) -> None:
    pool, export = tmp_path / "pool.csv", tmp_path / "export.json"
    pool.write_text(WIDE)
    export.write_text(json.dumps([annotated({"data": {"sample_id": "b"}}, "Cat")]))
    words = ["import", "label-studio", pool, "--export", export, "--out", tmp_path / "labels.csv"]
    with pytest.warns(AdjudgeWarning, match="taken for classes in another spelling: 'Cat' as 'cat'"):
        run(*words)
    run(*words, "--classes", "cat,dog,Cat")
