"""Work on a real Dask cluster: a scheduler and workers as processes of their own."""

import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from adjudge.engine import cluster as engine_module
from adjudge.engine import engine_named
from adjudge.engine.cluster import Dask
from adjudge.engine.kept import Kept
from adjudge.errors import InputError
from adjudge.io import read
from adjudge.methods.papers.sds import SDS
from tests.support.cluster import cluster, end
from tests.support.commands import as_json, refused
from tests.support.parts import SMALL, write_npz, write_pool
from tests.support.tasks import counted_square

ITEMS = list(range(12))


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def squares(engine: Dask, marks: Path, victim: int = 0) -> list[int]:
    return [int(each[0]) for (each,) in engine.map(partial(counted_square, str(marks), victim), ITEMS, keep=True)]


def stored(folder: Path) -> int:
    return len(list((folder / "cache" / "adjudge" / "parts").glob("*.npys")))


def test_a_worker_that_ends_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    """And a pool in parts gives the same numbers there as here."""
    path, marks = write_pool(tmp_path, "npz"), tmp_path / "marks"
    marks.mkdir()
    with cluster(tmp_path, workers=2) as there:
        engine = Dask(there.address)
        assert squares(engine, marks) == [item**2 for item in ITEMS]
        assert len(list(marks.glob("5-*"))) == 2  # once on the worker that ended, once on the other
        engine.close()
        assert stored(tmp_path) == 0  # all is done, so nothing is left
        pool, whole = read(path, memory=SMALL, engine="dask", scheduler=there.address), read(path)
        assert pool.in_parts
        ours, theirs = (SDS().discrimination(each) for each in (pool, whole))
        assert (ours == theirs).all()
        pool.engine.close()  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.honesty
def test_a_lost_scheduler_is_said_and_the_next_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "SECONDS", 2)
    marks = tmp_path / "marks"
    marks.mkdir()
    with cluster(tmp_path, workers=1) as first:
        engine = Dask(first.address)
        with pytest.raises(InputError, match=r"the Dask scheduler tcp://.* is lost \(.*\); start it again"):
            squares(engine, marks, first.scheduler.pid)
        engine.close()
        before = stored(tmp_path)
        assert before
    for mark in marks.iterdir():
        if not mark.name.startswith("5-"):
            mark.unlink()
    with cluster(tmp_path, workers=1) as second:
        engine = Dask(second.address)
        assert squares(engine, marks, first.scheduler.pid) == [item**2 for item in ITEMS]
        assert len({mark.name.split("-")[0] for mark in marks.iterdir()} - {"5"}) <= len(ITEMS) - before
        engine.close()
    assert stored(tmp_path) == 0


@pytest.mark.slow
@pytest.mark.honesty
@pytest.mark.parametrize("form", ["wide", "long"])
def test_commands_on_a_cluster(tmp_path: Path, form: str) -> None:
    path = write_pool(tmp_path, form)
    with cluster(tmp_path, workers=2) as there:
        on_it = ("--engine", "dask", "--scheduler", there.address)
        for words in (("rank",), ("rank", "--method", "dawid-skene"), ("check",)):
            ours, theirs = as_json(words[0], path, *words[1:], *on_it), as_json(words[0], path, *words[1:])
            assert ours.get("models") == theirs.get("models")
        end(there.scheduler)
        assert "no Dask scheduler answers at tcp://127.0.0.1" in refused("check", path, *on_it)


def test_what_is_stored_is_found_again(tmp_path: Path) -> None:
    kept, key = Kept(), Kept.key(np.sum, (1, 2))
    assert kept.get(key) is None
    kept.put(key, (np.arange(3), np.array(0.5)))
    found = Kept().get(key)
    assert found is not None
    assert [each.tolist() for each in found] == [[0, 1, 2], 0.5]
    (kept.folder / f"{key}.npys").write_bytes(b"PK half")
    assert kept.get(key) is None  # a damaged one is computed again
    kept.close()
    assert stored(tmp_path) == 0


def test_an_engine_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="there is no engine 'spark'; give local or dask"):
        engine_named("spark")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        InputError, match=r'needs distributed, which is not installed; run: pip install "adjudge\[dask\]"'
    ):
        engine_named("dask")


def test_runs_on_a_cluster(tmp_path: Path) -> None:
    """Simulations and experiments give the same numbers there as here."""
    path = write_npz(tmp_path / "pool.npz", probabilities=False, truth=True)
    words = ("simulate", path, "--method", "random", "--budget", 8, "--seeds", 3)
    spec = tmp_path / "small.toml"
    spec.write_text('budgets = [5]\nrepetitions = 2\nindicators = ["spearman"]\n[[methods]]\nmethod = "random"\n')
    with cluster(tmp_path, workers=2) as there:
        on_it = ("--engine", "dask", "--scheduler", there.address)
        assert as_json(*words, *on_it) == as_json(*words)
        stops = (*words, "--until", "within 0.1")
        assert as_json(*stops, *on_it) == as_json(*stops)
        tables = [
            as_json("bench", spec, "--task", path, "--out", tmp_path / name, *more) | {"times": None}  # measured anew
            for name, more in (("there", on_it), ("here", ()))
        ]
        assert tables[0] == tables[1]
    assert "add --engine dask" in refused(*words, "--scheduler", "tcp://127.0.0.1:1")
