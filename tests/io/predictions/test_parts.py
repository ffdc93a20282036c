"""Pools that are larger than memory: read in parts, with the same answers."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from adjudge import api, registry
from adjudge.core.index import all_ids
from adjudge.core.labels import Labels
from adjudge.decisions.screening import screen
from adjudge.engine import Local
from adjudge.errors import MethodError, PredictionsError
from adjudge.io import read
from adjudge.io.predictions import table_parts
from adjudge.io.predictions.align import Options
from adjudge.io.predictions.parts import PredictionParts
from adjudge.io.predictions.read import read_within
from adjudge.methods.peers import confusions
from adjudge.methods.pooled import candidates
from adjudge.methods.pooled.patterns import MIN_MODELS
from adjudge.reports.tables import ranking_facts
from tests.support.commands import refused
from tests.support.parts import MODELS, SAMPLES, SMALL, flat, in_parts, names, wide, write_folder, write_npz, write_pool

FORMS = ["npy", "npz", "file", "wide", "long"]
IN_PARTS = [name for name in registry.BUILT_IN if registry.works_in_parts(name)]


@pytest.mark.parametrize("form", FORMS)
def test_what_is_known_is_the_same(tmp_path: Path, form: str) -> None:
    path = write_pool(tmp_path, form)
    pool, whole = in_parts(path), read(path)
    assert not whole.in_parts
    assert pool.values.shape == whole.values.shape == (MODELS, SAMPLES)
    assert (pool.models, pool.classes, pool.declared) == (whole.models, whole.classes, whole.declared)
    assert all_ids(pool.samples).equals(all_ids(whole.samples))
    assert pool.n_predicted.tolist() == whole.n_predicted.tolist()
    places = np.array([7, 599, 0, 300])
    assert (pool.values[:, places] == whole.values[:, places]).all()
    found, expected = vars(screen(pool)), vars(screen(whole))
    for counts in ("missing", "abstained"):
        assert found.pop(counts).tolist() == expected.pop(counts).tolist()
    assert found.pop("agreement") == pytest.approx(expected.pop("agreement"), abs=1e-12)
    assert found == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_PARTS)
def test_every_method_that_claims_it_gives_the_same(tmp_path: Path, name: str) -> None:
    path = write_npz(tmp_path / "pool.npz", probabilities=True)
    pool, whole = in_parts(path), read(path)
    log = Labels.known(SAMPLES, np.arange(5, 300, 10), whole.values[-1, 5:300:10].clip(0))
    if name in ("drawn", "assisted"):
        log = replace(log, weight=np.ones(len(log)), seen=np.arange(len(log)))
    if registry.can_select(name):
        ours, theirs = (api.select(each, 40, name, seed=3) for each in (pool, whole))
        assert ours.sample.tolist() == theirs.sample.tolist()
        assert ours.weight == pytest.approx(theirs.weight, abs=1e-12, nan_ok=True)
        assert ours.header == theirs.header
    if registry.can_rank(name):
        without = [] if name in ("labeled", "drawn", "assisted") else [Labels.empty(SAMPLES)]
        for labels in (log, *without):
            ranks = [api.rank(each, labels, name) for each in (pool, whole)]
            assert ranks[0].rank.tolist() == ranks[1].rank.tolist()
            assert ranks[0].estimate.value == pytest.approx(ranks[1].estimate.value, abs=1e-12)


@pytest.mark.parametrize(("goal", "probabilities"), [("best", False), ("best", True), ("estimate", False)])
def test_the_default_method_goes_on_from_labels(
    tmp_path: Path, goal: str, probabilities: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With more patterns than candidates, so that only some of them are looked at, closely or at all."""
    monkeypatch.setattr(candidates, "CANDIDATES", 50)
    monkeypatch.setattr(candidates, "LOOKED_AT", 100 * MIN_MODELS)
    path = write_npz(tmp_path / "pool.npz", probabilities=True) if probabilities else write_pool(tmp_path, "wide")
    pool, whole = in_parts(path), read(path)
    truth = np.maximum(whole.values[-1], 0).astype(np.float64)
    logs = []
    for each in (pool, whole):
        log = api.select(each, 25, seed=3, options={"goal": goal}).answer_all(truth)
        logs.append(api.select(each, 15, labels=log).answer_all(truth))
    ours, theirs = logs
    assert ours.sample.tolist() == theirs.sample.tolist()
    assert ours.weight == pytest.approx(theirs.weight, abs=1e-12, nan_ok=True)
    assert ours.max_weight == pytest.approx(theirs.max_weight, abs=1e-12, nan_ok=True)
    one, other = (ranking_facts(api.rank(each, theirs, label_noise=0.01)) for each in (pool, whole))
    assert flat(one) == pytest.approx(flat(other), abs=1e-12, nan_ok=True)
    with pytest.raises(MethodError, match="samples are chosen for f1 with all predictions in memory"):
        api.select(pool, 5, metric="f1", positive="x")


@pytest.mark.parametrize("name", ["coda", "model-selector"])
def test_other_methods_say_so_before_anything_is_read(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_pool(tmp_path, "wide")
    pool = in_parts(path)
    monkeypatch.setattr(table_parts.TablePart, "as_it_is", None)  # which reads
    with pytest.raises(MethodError, match=f"{name!r} needs all predictions in memory.*agreement"):
        api.rank(pool, method=name)
    assert "in memory" in refused("rank", path, "--memory", SMALL, "--method", name)
    assert "in memory" in refused("plan", path, "--memory", SMALL)


def test_an_array_of_all_predictions_is_refused(tmp_path: Path) -> None:
    pool = in_parts(write_pool(tmp_path, "npy"))
    with pytest.raises(MethodError, match="4,200 predictions do not fit into 4 KB; give more"):
        np.asarray(pool.values)
    with pytest.raises(MethodError, match="needs all predictions in memory"):
        list(pool.values)


@pytest.mark.parametrize("workers", [1, 3])
def test_parts_and_workers_do_not_matter(tmp_path: Path, workers: int) -> None:
    path = write_pool(tmp_path, "npy")
    pool, other = in_parts(path), read(path, memory="2KB")
    assert isinstance(other, PredictionParts)
    other.engine = Local(workers)
    assert len(other.parts) != len(pool.parts)
    assert api.rank(other).estimate.value == pytest.approx(api.rank(pool).estimate.value, abs=1e-12)
    assert api.select(other, 30, "sds").sample.tolist() == api.select(pool, 30, "sds").sample.tolist()


def test_some_models_and_more_classes(tmp_path: Path) -> None:
    path = write_pool(tmp_path, "wide")
    pool, whole = (each.only(["m5", "m1"]).with_classes(["w"]) for each in (in_parts(path), read(path)))
    assert pool.models == ("m5", "m1")
    assert pool.classes == whole.classes
    assert api.rank(pool).estimate.value == pytest.approx(api.rank(whole).estimate.value)


def test_numbers_in_one_part_make_all_numbers(tmp_path: Path) -> None:
    table = wide()
    for name in names():
        place = table.column_names.index(name)
        table = table.set_column(place, name, [np.r_[np.zeros(300), np.linspace(0, 1, 300)]])
    path = write_folder(tmp_path / "pool", table, row_group=25)
    pool = in_parts(path)
    assert pool.classes is None
    assert pool.span == (0.0, 1.0)


def test_too_many_confusion_matrices_for_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confusions, "TABLES", 10)
    with pytest.raises(MethodError, match="7 confusion matrices of 3 classes are too large to hold"):
        api.rank(in_parts(write_pool(tmp_path, "npz")), method="dawid-skene")


def test_dawid_skene_does_not_depend_on_parts(tmp_path: Path) -> None:
    path = write_pool(tmp_path, "npz")
    values = [api.rank(read(path, memory=size), method="dawid-skene").estimate.value for size in ("2KB", "3KB", None)]
    assert values[0] == pytest.approx(values[2], abs=1e-12)
    assert values[1] == pytest.approx(values[2], abs=1e-12)


def test_a_folder_of_models_is_no_work_for_a_cluster(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("sample_id,prediction\ns,x\nt,y\n")
    with pytest.raises(PredictionsError, match=r"a cluster works on parts, and .* has none; make some"):
        read_within([tmp_path], Options(), 10**9, Local())


def test_the_page_about_large_pools_names_the_methods_that_work_in_parts() -> None:
    page = (Path(__file__).parents[3] / "docs" / "scale.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith("| `check`; `rank` and `select` with"))
    assert sorted(re.findall(r"`([\w-]+)`", row)) == sorted([*IN_PARTS, "check", "rank", "select"])
