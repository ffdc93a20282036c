"""Labels to and from other tools, from Python; the commands have their own tests."""

import json
from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge.core.arrays import FloatArray
from adjudge.core.index import all_ids
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError, PredictionsError
from adjudge.models.datasets.contents import open_data

Pool = tuple[Predictions, FloatArray]


def test_a_project_s_labels_are_written(small_pool: Pool, tmp_path: Path) -> None:
    pool, truth = small_pool
    labels = adjudge.select(pool, 5, "random").answer_all(truth)
    project = adjudge.label_project(tmp_path / "p", pool, labels=labels, method="random")
    assert adjudge.read_project(project.folder)[1].value.tolist() == labels.value.tolist()
    written, agreement = adjudge.export_log(project.folder, tmp_path / "labels.csv")
    assert (written.labeled, agreement.noise) == (5, None)
    _, read = adjudge.read_labels(tmp_path / "labels.csv", pool)
    assert read.sample.tolist() == labels.sample.tolist()
    assert read.weight.tolist() == labels.weight.tolist()
    (project.folder / "columns.parquet").touch()  # where there are facts about samples
    with pytest.raises(PredictionsError, match=r"p is a labeling project; `adjudge export log .*p --out labels.csv`"):
        adjudge.read(project.folder)
    (project.folder / "columns.parquet").unlink()
    for name in ("labels.csv", "labels.json", "labels.json"):  # which may hold the same labels already
        adjudge.export_log(project.folder, tmp_path / name)
    other = adjudge.select(pool, 7, "random", seed=1).answer_all(truth)
    adjudge.write_labels(other, pool, tmp_path / "labels.csv")
    with pytest.raises(InputError, match="would be lost; choose another name"):
        adjudge.export_log(project.folder, tmp_path / "labels.csv")
    assert adjudge.read_labels(tmp_path / "labels.csv", pool)[1].labeled == 7
    assert adjudge.export_folder(project.folder, tmp_path / "folder") == 5
    assert len((tmp_path / "folder" / "metadata.csv").read_text().splitlines()) == 6


def test_there_and_back(small_pool: Pool, tmp_path: Path) -> None:
    pool, _ = small_pool
    plan = adjudge.select(pool, 3, "random")
    assert adjudge.export_label_studio(pool, tmp_path / "tasks.json", plan=plan) == 3
    names = [task["data"]["sample_id"] for task in json.loads((tmp_path / "tasks.json").read_text())]
    wider, labels = adjudge.import_annotations(pool, {names[0]: "0", names[1]: "a new class"}, plan)
    assert wider.classes is not None
    assert wider.classes[-1] == "a new class"
    assert labels.weight.tolist() == plan.weight.tolist()
    assert labels.answered.tolist() == [True, True, False]
    without = adjudge.import_annotations(pool, {names[0]: "0"})[1]
    assert np.isnan(without.weight).all()


def test_a_folder_keeps_ids_that_a_spreadsheet_would_run(tmp_path: Path) -> None:
    pool = adjudge.from_frame(
        {"sample_id": ["=1+1", "-x", "c"], "net": [0, 1, 1], "tree": [0, 0, 1], "forest": [1, 0, 1]}
    )
    labels = adjudge.fill(adjudge.select(pool, 3, "random"), pool, {"=1+1": "0", "-x": "1", "c": "1"})
    project = adjudge.label_project(tmp_path / "p", pool, labels=labels, method="random")
    adjudge.export_folder(project.folder, tmp_path / "folder")
    assert "'=1+1" in (tmp_path / "folder" / "metadata.csv").read_text()
    assert sorted(all_ids(open_data(tmp_path / "folder").samples).to_pylist()) == ["-x", "=1+1", "c"]
