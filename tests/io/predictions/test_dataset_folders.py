"""Folders of Hugging Face datasets: as `save_to_disk` writes them, and as we do."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import adjudge
from adjudge.errors import AdjudgeNote, InputError, PredictionsError
from adjudge.simulation.contract import example_pool
from tests.support.commands import adjudge as run_command

PARTS = [
    {"id": ["p", "q"], "net": [0, 1], "tree": ["x", "y"]},
    {"id": ["r"], "net": [-1], "tree": ["x"]},
    {"id": ["s"], "net": [None], "tree": ["y"]},
]
FEATURES = {
    "id": {"dtype": "string", "_type": "Value"},
    "net": {"names": ["x", "y"], "_type": "ClassLabel"},
    "tree": {"dtype": "string", "_type": "Value"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Several files, with classes as numbers that the description names."""
    found = tmp_path / "pool"
    found.mkdir()
    names = [f"data-{number:05}-of-00003.arrow" for number in range(3)]
    for name, columns in zip(names, PARTS, strict=True):
        table = pa.table(columns, pa.schema({"id": pa.string(), "net": pa.int64(), "tree": pa.string()}))
        with pa.OSFile(str(found / name), "wb") as opened, pa.ipc.new_stream(opened, table.schema) as stream:
            stream.write_table(table)
    (found / "dataset_info.json").write_text(json.dumps({"features": FEATURES}))
    state = {"_data_files": [{"filename": name} for name in names], "_fingerprint": "0", "_split": "test"}
    (found / "state.json").write_text(json.dumps(state))
    return found


def test_a_saved_dataset_is_read(folder: Path) -> None:
    pool = adjudge.read(folder)
    assert (pool.models, pool.classes) == (("net", "tree"), ("x", "y"))
    assert pool.values.tolist() == [[0, 1, -1, -1], [0, 1, 0, 1]]


def test_what_was_guessed_is_said(folder: Path) -> None:
    columns = {"id": ["p", "q"], "net": ["x", "y"], "tree": ["x", "x"], "gold": ["x", "x"]}
    schema = pa.table(columns).schema
    with pa.OSFile(str(folder / "one.arrow"), "wb") as opened, pa.ipc.new_stream(opened, schema) as stream:
        stream.write_table(pa.table(columns))
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": "one.arrow"}]}))
    (folder / "dataset_info.json").unlink()
    with pytest.warns(AdjudgeNote, match="^pool: the truth in 'gold', which is not ranked, and not used$"):
        assert adjudge.read(folder).models == ("net", "tree")


@pytest.mark.parametrize("change", [{}, {"probabilities": None}])
def test_what_is_written_is_read_back(tmp_path: Path, change: dict[str, Any]) -> None:
    pool = replace(example_pool(models=3, samples=20)[0], **change)
    adjudge.write_dataset(pool, tmp_path / "pool")
    again = adjudge.read(tmp_path / "pool")
    assert (again.models, again.classes) == (pool.models, pool.classes)
    np.testing.assert_array_equal(again.values, pool.values)
    assert (again.probabilities is None) == (pool.probabilities is None)
    with pytest.raises(InputError, match="is there already; name a new folder"):
        adjudge.write_dataset(pool, tmp_path / "pool")


def test_the_command_writes_one(folder: Path, tmp_path: Path) -> None:
    done = run_command("export", "dataset", folder, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert run_command("rank", tmp_path / "out").returncode == 0


def test_what_cannot_be_read_says_why(folder: Path, tmp_path: Path) -> None:
    (folder / "data-00001-of-00003.arrow").unlink()
    with pytest.raises(PredictionsError, match=r"data-00001-of-00003\.arrow is missing in pool; copy the whole folder"):
        adjudge.read(folder)
    (tmp_path / "dataset_dict.json").write_text('{"splits": ["pool"]}')
    with pytest.raises(PredictionsError, match="holds several datasets; give the folder of one of them: pool"):
        adjudge.read(tmp_path)
    (folder / "state.json").write_text("{}")
    with pytest.raises(PredictionsError, match=r"state.json cannot be read"):
        adjudge.read(folder)
