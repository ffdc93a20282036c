"""Any predictions as one file, or as a folder of parts."""

import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest
from pyarrow import parquet

from adjudge.core.index import all_ids
from adjudge.errors import AdjudgeWarning, InputError, PredictionsError
from adjudge.io import merge, read, read_labels
from adjudge.io.predictions.parts import PredictionParts
from tests.support.commands import adjudge, refused
from tests.support.parts import SMALL, long, wide, write_folder, write_npz, write_pool


def pool_file(folder: Path, form: str) -> Path:
    if form in ("csv", "long.csv"):
        arrow_csv.write_csv(wide() if form == "csv" else long(), folder / "pool.csv")
        return folder / "pool.csv"
    if form == "stated":
        return write_npz(folder / "pool.npz", probabilities=True)
    return write_pool(folder, form)


@pytest.mark.parametrize("form", ["csv", "long.csv", "npy", "npz", "stated", "file", "wide", "long"])
@pytest.mark.parametrize("rows", [None, 70])
def test_the_pool_stays_the_same(tmp_path: Path, form: str, rows: int | None) -> None:
    path, out = pool_file(tmp_path, form), tmp_path / "parts"
    parts = merge(path, out, memory="40KB" if form == "stated" else SMALL, rows=rows)
    assert parts.parts == len(list(out.glob("*.parquet"))) > 1
    found, expected = read(out), read(path)
    assert (found.models, found.classes, found.declared) == (expected.models, expected.classes, expected.declared)
    assert (found.values == expected.values).all()
    assert all_ids(found.samples).equals(all_ids(expected.samples))
    if expected.probabilities is not None:
        assert found.probabilities == pytest.approx(expected.probabilities, nan_ok=True)
    assert isinstance(read(out, memory="40KB" if form == "stated" else SMALL), PredictionParts)


def test_fractions_in_a_late_row_make_numbers(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("sample_id,a,b\n" + "".join(f"s{each},{each},1\n" for each in range(200)) + "last,0.5,2\n")
    assert merge(path, tmp_path / "parts", rows=50).parts == 5
    found = read(tmp_path / "parts")
    assert found.classes is None
    assert np.array_equal(found.values, read(path).values)


def test_all_rows_are_read_as_the_whole_file_is(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"  # the first part alone could be the probabilities of one model
    path.write_text("sample_id,p_a,p_b\n" + "".join(f"s{at},1,{int(at >= 20)}\n" for at in range(60)))
    assert merge(path, tmp_path / "parts", rows=20).models == read(path).models == ("p_a", "p_b")


def test_a_refusal_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("sample_id,a,b\n" + "".join(f"s{each % 150},x,y\n" for each in range(200)))
    with pytest.raises(InputError, match="the sample 's0' occurs in more than one part"):
        merge(path, tmp_path / "parts", rows=90)
    path.write_text("sample_id,a,b\n" + "".join(f"s{each},x,y\n" for each in range(200)) + "s,x\n")
    assert "pool.csv cannot be read" in refused("merge", path, "--out", tmp_path / "parts", "--rows", 50)
    assert [each.name for each in tmp_path.iterdir()] == ["pool.csv"]
    assert "exists; name a folder" in refused("merge", path, "--out", tmp_path)


def test_the_command(tmp_path: Path) -> None:
    path = pool_file(tmp_path, "csv")
    done = adjudge("merge", path, "--out", tmp_path / "parts", "--rows", 200)
    assert (done.returncode, done.stdout) == (0, "")
    assert "in 3 parts; then:" in done.stderr


def test_prices_are_lost_with_one_warning_and_kept_in_memory(tmp_path: Path) -> None:
    rows = [{"sample_id": f"s{at}", "model": name, "prediction": "x", "cost": at} for at in range(20) for name in "ab"]
    file, folder = tmp_path / "long.parquet", tmp_path / "folder"
    parquet.write_table(pa.Table.from_pylist(rows), file)
    with pytest.warns(AdjudgeWarning, match="without cost; the prices of models") as told:
        merge(file, tmp_path / "parts", rows=7)
    assert len(told) == 1
    write_folder(folder, pa.Table.from_pylist(rows))
    assert read(folder).auxiliary["cost"].values.tolist() == [list(range(20))] * 2


def test_a_file_without_rows_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("sample_id,a,b\n")
    with pytest.raises(PredictionsError, match=r"empty\.csv: there are no rows"):
        merge(tmp_path / "empty.csv", tmp_path / "parts")
    with pytest.raises(InputError, match="parts of 0 samples are asked for"):
        merge(tmp_path / "empty.csv", tmp_path / "parts", rows=0)


MESSY = {
    "a.csv": "image,pred,gold\n1,cat,cat\n2,dog,cat\n3,(none),dog\n",
    "b.csv": "ID;Prediction;prob_cat;prob_dog\n3;dog;.1;.9\n1;cat;.8;.2\n",
}


def messy(folder: Path) -> list[Path]:
    for name, text in MESSY.items():
        (folder / name).write_text(text)
    return [folder / name for name in MESSY]


@pytest.mark.parametrize("name", ["pool.parquet", "pool.csv", "pool.npz"])
def test_a_merged_file_needs_no_options(tmp_path: Path, name: str) -> None:
    files, options = messy(tmp_path), ("--join", "outer", "--abstain", "(none)", "--classes", "cat,dog,bird")
    done = adjudge("merge", *files, *options, "--out", tmp_path / name, "--with-truth", tmp_path / "truth.csv")
    assert (done.returncode, done.stdout) == (0, "")
    assert f"2 models on 3 samples are in {tmp_path / name}; then:" in done.stderr
    assert "3 true labels of 3 samples" in done.stderr
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pool = read(tmp_path / name)
    assert (pool.models, pool.classes, pool.abstain) == (("a", "b"), ("cat", "dog", "bird"), ("(none)",))
    assert pool.values.tolist() == [[0, 1, -2], [0, -1, 1]]
    assert (pool.probabilities is None) == (name == "pool.csv")
    assert read_labels(tmp_path / "truth.csv", pool)[1].value.tolist() == [0, 0, 1]


def test_true_labels_that_differ_are_refused(tmp_path: Path) -> None:
    files = messy(tmp_path)
    out = ("--join", "inner", "--out", tmp_path / "pool.csv", "--with-truth", tmp_path / "truth.csv")
    files[1].write_text("id,pred,label\n1,cat,cat\n3,dog,cat\n")
    told = refused("merge", *files, *out)
    assert "a.csv and b.csv have different true labels for 1 sample, 'dog' and 'cat' for '3'" in told
    files[0].write_text("id,pred\n1,cat\n")
    assert "no file has a column that is known to hold true labels" in refused("merge", files[0], *out[2:])
    assert not (tmp_path / "truth.csv").exists()


@pytest.mark.parametrize("name", ["pool.parquet", "parts"])
def test_the_truth_beside_a_single_wide_file(tmp_path: Path, name: str) -> None:
    file, truth = tmp_path / "wide.csv", tmp_path / "truth.csv"
    file.write_text("sample_id,net,tree,label\ns1,x,y,x\ns2,y,y,y\n")
    assert merge(file, tmp_path / name, with_truth=truth).truth == 2
    pool = read(tmp_path / name)
    assert (pool.models, read_labels(truth, pool)[1].value.tolist()) == (("net", "tree"), [0, 1])
    file.write_text("sample_id,net,tree\ns1,x,y\ns2,y,y\n")
    with pytest.raises(PredictionsError, match="known to hold true labels"):
        merge(file, tmp_path / f"again-{name}", with_truth=truth)
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(["wide.csv", "truth.csv", name])


def test_the_truth_beside_parts(tmp_path: Path) -> None:
    (tmp_path / "pool").mkdir()
    for at in range(2):
        table = pa.table({"sample_id": [f"s{at}"], "net": ["x"], "tree": ["y"], "label": ["y"]})
        parquet.write_table(table, tmp_path / "pool" / f"{at}.parquet")
    assert merge(tmp_path / "pool", tmp_path / "out.csv", with_truth=tmp_path / "truth.csv").truth == 2


def test_the_truth_replaces_no_other_file(tmp_path: Path) -> None:
    files, out = messy(tmp_path), tmp_path / "pool.csv"
    with pytest.raises(InputError, match=r"a\.csv is among the files that are read; .* --with-truth"):
        merge(files, out, with_truth=files[0], join="outer")
    with pytest.raises(InputError, match=r"pool\.csv is named with --out and --with-truth"):
        merge(files, out, with_truth=tmp_path / "." / "pool.csv", join="outer")
    assert files[0].read_text() == MESSY["a.csv"]
    assert not out.exists()


def test_the_truth_replaces_no_labels_that_it_does_not_hold(tmp_path: Path) -> None:
    file, truth = tmp_path / "wide.csv", tmp_path / "truth.csv"
    file.write_text("sample_id,net,tree,label\ns1,x,y,x\ns2,y,y,y\n")
    for name in ("first.csv", "again.csv"):  # its own file may be written anew
        merge(file, tmp_path / name, with_truth=truth)
    drawn = "sample_id,order,weight,seen,stratum,label\ns1,0,1,0,0,x\n"
    for held in ("sample_id,label\ns1,x\ns2,x\n", "sample_id,label,note\ns1,x,unsure\n", drawn):
        truth.write_text(held)
        with pytest.raises(InputError, match=r"truth\.csv holds .*, which would be lost; .* --with-truth"):
            merge(file, tmp_path / "pool.csv", with_truth=truth)
        assert (truth.read_text(), (tmp_path / "pool.csv").exists()) == (held, False)


def test_targets_that_cannot_be_are_refused(tmp_path: Path) -> None:
    files = messy(tmp_path)
    assert "use .parquet, .csv, .tsv or .npz" in refused("merge", *files, "--out", tmp_path / "pool.xlsx")
    assert "choose another name" in refused("merge", *files, "--out", files[0], "--join", "outer")
    assert "--rows is for a folder" in refused("merge", *files, "--out", tmp_path / "pool.csv", "--rows", 2)
    assert files[0].read_text() == MESSY["a.csv"]
