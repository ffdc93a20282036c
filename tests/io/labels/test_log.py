"""The log of labels: exact through files, and safe in a spreadsheet."""

import tempfile
from dataclasses import replace
from math import nan
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from adjudge.core.index import all_ids, as_index, fingerprint
from adjudge.core.labels import SKIP, Labels, Pick, RunHeader
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeWarning, InputError, LabelsError
from adjudge.io import read_labels, write_labels, write_predictions
from adjudge.io.labels.replacing import refuse_labels
from adjudge.io.predictions.sources import open_source
from tests.support.label_files import LOG, NUMBERS, POOL, listed, same_log, written

FORMATS = ["csv", "tsv", "parquet", "json"]
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)


@st.composite
def runs(draw: st.DrawFn) -> tuple[Predictions, Labels]:
    ids = draw(st.lists(TEXT.filter(bool), min_size=1, max_size=6, unique=True))
    regression = draw(st.booleans())
    name = TEXT.filter(lambda text: text.strip().lower() not in ("", "nan", "skip"))
    classes = tuple(draw(st.lists(name, min_size=1, max_size=4, unique_by=lambda text: text.strip().rstrip(".0+"))))
    values = np.zeros((1, len(ids)))
    pool = Predictions(
        values if regression else values.astype(np.int8), ("m",), as_index(ids), None if regression else classes
    )
    header = RunHeader(
        draw(TEXT),
        draw(st.dictionaries(TEXT, TEXT, max_size=2)),
        draw(st.none() | st.integers(0)),
        fingerprint(pool.samples),
        draw(TEXT),
        tuple(draw(st.lists(TEXT.filter(bool), max_size=2, unique=True))),
    )
    log = Labels.empty(len(ids), header)
    for row, sample in enumerate(draw(st.permutations(range(len(ids))))):
        weight = draw(st.just(nan) | st.floats(min_value=0, exclude_min=True, allow_infinity=False))
        max_weight = draw(st.just(nan) | st.floats(min_value=0 if np.isnan(weight) else weight, allow_infinity=False))
        pick = Pick(sample, weight, draw(st.integers(0, row)), draw(st.integers(0, 3)), max_weight)
        value = st.floats(allow_nan=False, allow_infinity=False) if regression else st.integers(0, len(classes) - 1)
        answer = draw(st.none() | st.just(SKIP) | value)
        log = log.hand_out(pick) if answer is None else log.add(pick, answer)
    return pool, log.head(draw(st.integers(0, len(ids))))


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "json"])
def test_questions_stand_beside_the_rows_and_are_passed_over(tmp_path: Path, suffix: str) -> None:
    asked = ['Who said "no, never"?', "=1+1", "a\n# b\tc", "", "five, or six"]
    columns = pa.table({"question": asked, "options": ["A. x\nB. y"] * 5, "prompt": ["not this"] * 5})
    pool, file = replace(POOL, columns=columns), tmp_path / f"labels.{suffix}"
    write_labels(LOG, pool, file)
    same_log(read_labels(file, pool)[1], LOG)
    same_log(read_labels(file, POOL)[1], LOG)
    if suffix != "json":
        assert open_source(file).columns[-2:] == ("question", "options")
        said = open_source(file).column("question").to_pylist()
        assert [text.removeprefix("'") for text in said] == [asked[at] for at in LOG.sample]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", FORMATS)
@settings(max_examples=150, deadline=None)
@given(run=runs())
def test_label_log_round_trip(suffix: str, run: tuple[Predictions, Labels]) -> None:
    pool, log = run
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"labels.{suffix}"
        write_labels(log, pool, path)
        again, read_back = read_labels(path, pool)
    assert again is pool
    same_log(read_back, log)


def test_label_log_as_text(tmp_path: Path) -> None:
    assert written(tmp_path / "labels.csv") == (
        "# adjudge labels\n"
        "# method: css\n"
        "# parameter features: last layer%2C flat\n"
        "# parameter k: 3\n"
        "# seed: 7\n"
        f"# pool: {fingerprint(POOL.samples)}\n"
        "# version: 0.1.0\n"
        "# model: a\n"
        "# model: b%2C c\n"
        "sample_id,order,weight,seen,stratum,max_weight,label\n"
        "s4,0,0.30000000000000004,0,0,,3\n"
        "s1,1,0.3333333333333333,1,2,,SKIP\n"
        's5,2,,0,0,,"x, y"\n'
        "s2,3,2.0,3,2,2.5,\n"
    )


def test_the_column_of_ids_may_have_the_name_that_the_pool_s_has(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("image,label\ns2,3\n")
    assert read_labels(path, POOL, id="image")[1].sample.tolist() == [1]
    assert read_labels(listed(tmp_path, "s2,3\n"), POOL, id="image")[1].sample.tolist() == [1]  # as `select` writes it
    path.write_text("picture,label\ns2,3\n")
    with pytest.raises(LabelsError, match=r"named 'photo' or 'sample_id' or 'id' is in labels.csv"):
        read_labels(path, POOL, id="photo")


def test_a_log_has_an_order_of_its_own(tmp_path: Path) -> None:
    write_labels(LOG, POOL, path := tmp_path / "labels.csv")
    same_log(read_labels(path, POOL, id="order")[1], LOG)
    path.write_text("order,label\ns2,3\n")
    assert read_labels(path, POOL, id="order")[1].sample.tolist() == [1]


def test_a_list_of_labels_counts_as_known_unless_said_to_be_drawn(tmp_path: Path) -> None:
    path = listed(tmp_path, "s2,3\ns5,\ns1,SKIP\ns4,1\n")
    for drawn in (None, "unknown"):
        log = read_labels(path, POOL, drawn=drawn)[1]
        assert log.sample.tolist() == [1, 0, 3]
        assert np.isnan(log.weight).all()
        np.testing.assert_array_equal(log.value, [1, nan, 0])
    log = read_labels(path, POOL, drawn="uniform")[1]
    assert (log.weight.tolist(), log.seen.tolist(), log.stratum.tolist()) == ([1, 1, 1], [0, 1, 2], [0, 0, 0])
    with pytest.raises(LabelsError, match=r"labels.csv: drawn='random' is not known; use 'uniform'"):
        read_labels(path, POOL, drawn="random")


def test_drawn_replaces_the_weights_of_a_log(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    written(path)
    unknown = read_labels(path, POOL, drawn="unknown")[1]
    with pytest.warns(AdjudgeWarning, match="says how each sample was drawn, which --drawn uniform ignores"):
        uniform = read_labels(path, POOL, drawn="uniform")[1]
    assert (uniform.weight.tolist(), uniform.seen.tolist()) == ([1] * 4, [0, 1, 2, 3])
    assert np.isnan(unknown.weight).all()
    assert unknown.answered.tolist() == [True, True, True, False]


def test_labels_of_a_log_with_missing_rows_can_be_read_as_known(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("".join(line for line in written(path).splitlines(keepends=True) if not line.startswith("s1")))
    with pytest.raises(LabelsError, match=r"so rows are missing; .*--drawn unknown"):
        read_labels(path, POOL)
    assert len(read_labels(path, POOL, drawn="unknown")[1]) == 3


def test_labels_of_another_pool_lose_their_weights(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    written(path)
    ids = as_index([*all_ids(POOL.samples).to_pylist(), "s6"])
    larger = Predictions(np.array([[0, 1, 0, 1, 2, 0]]), ("a",), ids, POOL.classes)
    with pytest.warns(AdjudgeWarning, match=r"labels.csv was written for a pool of other samples, so the chances"):
        log = read_labels(path, larger)[1]
    assert log.sample.tolist() == LOG.sample.tolist()
    assert np.isnan(log.weight).all()
    assert (log.seen.tolist(), log.stratum.tolist()) == ([0] * 4, [0] * 4)


def test_a_label_of_a_new_class_is_added_unless_the_list_is_declared(tmp_path: Path) -> None:
    path = listed(tmp_path, "s1,9\ns2,new\ns3,9.0\n")
    with pytest.warns(
        AdjudgeWarning, match=r"labels.csv has labels of a class that no model predicted: '9', 'new'; every"
    ):
        pool, log = read_labels(path, POOL)
    assert pool.classes == (*POOL.classes, "9", "new")  # type: ignore[misc]
    assert log.value.tolist() == [3, 4, 3]
    declared = Predictions(POOL.values, POOL.models, POOL.samples, POOL.classes, declared=True)
    with pytest.raises(LabelsError, match=r"in 3 rows: '9' \('s1', 's3'\), 'new' \('s2'\); correct the label, declare"):
        read_labels(path, declared)


def test_a_class_in_another_spelling_is_taken_with_a_warning_unless_both_are_classes(tmp_path: Path) -> None:
    path = listed(tmp_path, "s1,cat\ns2,wolf\ns3, Big  Cat \n")
    pool = Predictions(POOL.values, POOL.models, POOL.samples, ("cat", "big cat", "dog"))
    with pytest.warns(AdjudgeWarning, match=r"another spelling: 'Big  Cat' as 'big cat'; .* declare all: --classes"):
        assert read_labels(path, pool)[1].value.tolist() == [0, 3, 1]
    path = listed(tmp_path, "s1,Frog\ns2,cat\ns3,frog\ns3,FROG\n")
    with pytest.warns(AdjudgeWarning, match=r"'frog' as 'Frog', 'FROG' as 'Frog'"):
        again, log = read_labels(path, pool)
    assert (again.classes, log.value.tolist()) == (("cat", "big cat", "dog", "Frog"), [3, 0, 3])
    twins = Predictions(POOL.values, POOL.models, POOL.samples, ("cat", "dog", "Cat"))
    with pytest.raises(LabelsError, match=r"the label 'CAT' of sample 's1' .* one of several classes in another spell"):
        read_labels(listed(tmp_path, "s1,CAT\n"), twins)
    path = listed(tmp_path, "s1,cat\ns2,Cat\n")
    both = Predictions(POOL.values, POOL.models, POOL.samples, ("cat", "dog", "Cat"))
    assert read_labels(path, both)[1].value.tolist() == [0, 2]


def test_labels_from_parquet_of_others(tmp_path: Path) -> None:
    path = tmp_path / "labels.parquet"
    parquet.write_table(pa.table({"id": ["s1", "s2"], "label": [3.0, None]}), path)
    assert read_labels(path, POOL)[1].value.tolist() == [1]
    parquet.write_table(pa.table({"id": ["s1", "s2"], "label": pa.array([0.1, 2], pa.float32())}), path)
    assert read_labels(path, NUMBERS)[1].value.tolist() == [float(np.float32(0.1)), 2]


def test_samples_that_are_numbered(tmp_path: Path) -> None:
    pool = Predictions(np.array([[0, 1, 0]]), ("a",), range(3), ("x", "y"))
    write_labels(Labels.known(3, [2], [1]), pool, tmp_path / "labels.csv")
    log = read_labels(tmp_path / "labels.csv", pool)[1]
    assert (log.sample.tolist(), log.value.tolist(), log.header.pool) == ([2], [1], fingerprint(range(3)))


def test_labels_are_not_replaced_by_something_else(tmp_path: Path) -> None:
    labels, others = tmp_path / "labels.csv", tmp_path / "others.csv"
    labels.write_text("sample_id,label\ns1,cat\ns2,\n", encoding="utf-8")
    others.write_text("sample_id,a,b\ns1,cat,dog\n", encoding="utf-8")
    for free in (others, tmp_path / "none.csv", tmp_path / "pool.parquet"):
        refuse_labels(free, "choose another name")
    with pytest.raises(InputError, match="holds 1 label, which would be lost; choose another name"):
        refuse_labels(labels, "choose another name")
    facts = Predictions(
        np.zeros((2, 2), dtype=int), ("a", "b"), range(2), ("x",), columns=pa.table({"target": ["x"] * 2})
    )
    for _ in range(2):  # a fact of a pool is no label, so the pool may be written anew
        refuse_labels(tmp_path / "facts.csv", "choose another name")
        write_predictions(facts, tmp_path / "facts.csv")
