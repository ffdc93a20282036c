"""Models on a real Dask cluster, whose workers are processes of their own."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge.engine.cluster import Dask
from adjudge.errors import AdjudgeWarning
from adjudge.io import read
from adjudge.models.datasets import from_array
from adjudge.models.prediction import on_cluster
from adjudge.models.prediction.running import Job, Wanted, job_for
from adjudge.models.runners.protocol import Request
from adjudge.models.runners.references import Reference, references
from adjudge.models.runners.settings import ModelSettings
from tests.support.cluster import cluster
from tests.support.commands import as_json

CODE = """
import os
import pathlib
import numpy as np

(pathlib.Path(__file__).parent / "opened" / f"{os.getpid()}-{os.urandom(4).hex()}").touch()

def names(rows):
    return np.array(["even", "odd", "large"])[np.where(rows[:, 0] > 4000, 2, rows[:, 0].astype(int) // 2 % 2)]

def first(rows):
    return [each[:1] for each in rows]

def broken(rows):
    if rows[0, 0] > 6000:
        raise RuntimeError("boom")
    return ["even"] * len(rows)
"""


def test_models_and_parts_are_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same predictions as here; a file is opened once for each worker; what fails is told, and the others go on."""
    monkeypatch.chdir(tmp_path)
    opened = tmp_path / "opened"
    opened.mkdir()
    (tmp_path / "code.py").write_text(CODE)
    np.save("data.npy", np.arange(5 * on_cluster.SAMPLES, dtype=np.float32).reshape(-1, 2))
    Path("texts.csv").write_text("id,text\na,what a nice day it is\nb,we had some rain yesterday\n")
    models, data = ["code.py:names", "code.py:broken", "code.py:first"], ("--data", "data.npy")
    moved = ("predict", models[2], "--data", "texts.csv", "--corrupt", "typos", "--severity", 5)
    as_json(*moved, "--out", "here.csv")
    whole = adjudge.predict([models[0]], "data.npy")
    with cluster(tmp_path, workers=2) as there:
        for mark in opened.iterdir():
            mark.unlink()
        engine = Dask(there.address)
        with pytest.warns(AdjudgeWarning, match=r"left out: code.py:broken: it failed on inputs .*boom"):
            found = adjudge.predict(models[:2], "data.npy", workers=engine)
        engine.close()
        assert found.predictions.models == ("names",)
        assert found.predictions.classes == whole.predictions.classes == ("even", "large", "odd")
        assert (found.predictions.values == whole.predictions.values).all()
        processes = Counter(mark.name.split("-")[0] for mark in opened.iterdir())
        assert set(processes.values()) == {2}  # once for each model
        on_it = ("--engine", "dask", "--scheduler", there.address)
        told = as_json("predict", models[0], *data, "--out", "there.parquet", *on_it)
        again = as_json("predict", models[0], *data, "--out", "there.parquet", *on_it)
        as_json(*moved, "--out", "texts_there.csv", *on_it)
    assert [each["reused"] for each in (told["models"][0], again["models"][0])] == [False, True]
    assert (read("there.parquet").values == whole.predictions.values).all()
    assert read("texts_there_typos5.csv").classes == read("here_typos5.csv").classes == ("e", "w")


def answer_of(model: Reference) -> list[str]:
    """What a worker says of three samples; this process is the worker."""
    data, wanted = from_array(np.arange(3.0)), Wanted()
    job = job_for(model, Request(ModelSettings(), model.path, model.entry), data, wanted)
    assert isinstance(job, Job)
    [task] = on_cluster._tasks(job, data, wanted)
    raw = on_cluster._run_task(data, wanted, task).raw
    assert raw is not None
    assert raw.outputs is not None
    return list(raw.outputs)


def test_a_model_that_changed_is_opened_again(tmp_path: Path) -> None:
    (file := tmp_path / "rules.py").write_text("def rule(rows):\n    return ['old'] * len(rows)\n")
    [model] = references([f"{file}:rule"])
    assert answer_of(model) == ["old"] * 3
    file.write_text("def rule(rows):\n    return ['newer'] * len(rows)\n")
    assert answer_of(model) == ["newer"] * 3
    for said in ("one", "other"):  # two in memory by the same name
        [model] = references({"net": lambda rows, said=said: [said] * len(rows)})
        assert answer_of(model) == [said] * 3
