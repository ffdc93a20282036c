"""The log of labels: exact through files, and safe in a spreadsheet."""

import csv
import io
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import fields, replace
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
from adjudge.errors import AdjudgeNote, AdjudgeWarning, InputError, LabelsError
from adjudge.io import read_labels, write_labels

FORMATS = ["csv", "tsv", "parquet", "json"]
POOL = Predictions(np.array([[0, 1, 0, 1, 2]]), ("a",), as_index(["s1", "s2", "s3", "s4", "s5"]), ("1", "3", "x, y"))
NUMBERS = Predictions(np.array([[0.5, 1.0, 2.0]]), ("a",), as_index(["s1", "s2", "s3"]), None)
HEADER = RunHeader(
    "css", {"features": "last layer, flat", "k": "3"}, 7, fingerprint(POOL.samples), "0.1.0", ("a", "b, c")
)
LOG = (
    Labels.empty(5, HEADER)
    .add(Pick(3, weight=0.1 + 0.2, seen=0, stratum=0), 1)
    .add(Pick(0, weight=1 / 3, seen=1, stratum=2), SKIP)
    .add(Pick(4, weight=nan), 2)
    .hand_out(Pick(1, weight=2.0, seen=3, stratum=2, max_weight=2.5))
)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)


def same_log(one: Labels, other: Labels) -> None:
    for each in fields(Labels):
        if each.name == "names":
            continue
        if each.name in ("pool", "header"):
            assert getattr(one, each.name) == getattr(other, each.name)
        else:
            np.testing.assert_array_equal(getattr(one, each.name), getattr(other, each.name))


def written(path: Path) -> str:
    write_labels(LOG, POOL, path)
    return path.read_text()


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


def as_spreadsheet(text: str, delimiter: str) -> str:
    """What a spreadsheet makes of it: all rows as wide as the widest, quotes where it likes."""
    rows = list(csv.reader(io.StringIO(text)))
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL if delimiter == ";" else csv.QUOTE_MINIMAL)
    writer.writerows([*row, *[""] * (8 - len(row))] for row in [*rows, [""]])
    return out.getvalue()


SPREADSHEETS: dict[str, Callable[[str], str]] = {
    "commas": lambda text: as_spreadsheet(text, ","),
    "semicolons": lambda text: as_spreadsheet(text, ";"),
    "tabs": lambda text: as_spreadsheet(text, "\t"),
    "mark of byte order": lambda text: "\ufeff" + text,
    "Windows": lambda text: text.replace("\n", "\r\n"),
    "quoted comments": lambda text: "".join(
        f'"{line}",,,\n' if line.startswith("#") else line + "\n" for line in text.splitlines()
    ),
    "comments padded": lambda text: text.replace("0.1.0\n", "0.1.0,,,,,\n"),
    "sorted": lambda text: text.split("s4,0")[0] + "\n".join(sorted(text.split("label\n")[1].splitlines())) + "\n",
    "floats": lambda text: text.replace(",0,0,,3\n", ",0.0,0,,3.0\n").replace(",1,0.33", ",1.0,0.33"),
    "decimal comma": lambda text: (
        as_spreadsheet(text, ";").replace("0.3", "0,3").replace("2.0", "2,0").replace("2.5", "2,5")
    ),
    "blank lines": lambda text: "\n" + text.replace("s2,", "\n,,,,,,\ns2,"),
}


@pytest.mark.parametrize("program", SPREADSHEETS)
def test_label_log_survives_a_spreadsheet(tmp_path: Path, program: str) -> None:
    path = tmp_path / "labels.csv"
    changed = SPREADSHEETS[program](text := written(path))
    assert changed != text
    path.write_bytes(changed.encode())
    same_log(read_labels(path, POOL)[1], LOG)


def test_ids_that_a_spreadsheet_took_for_numbers_are_found(tmp_path: Path) -> None:
    pool = replace(POOL, samples=as_index(["000", "0017", "020", "x1", "21"]))
    path = listed(tmp_path, "0,3\n17,1\n20,3\n21,1\n")
    with pytest.warns(AdjudgeWarning, match=r"3 of 4 ids in labels.csv have lost zeros .*'0' is '000' for one"):
        assert read_labels(path, pool)[1].sample.tolist() == [0, 1, 2, 4]
    for ids, unknown in ((["000", "017", "0017", "x1", "21"], "17"), (["000", "016", "017", "x1", "0x"], "x")):
        with pytest.raises(LabelsError, match=f"not in the pool, '{unknown}' among them"):
            read_labels(listed(tmp_path, f"{unknown},3\n"), replace(POOL, samples=as_index(ids)))


def test_label_log_with_truth_values_of_a_spreadsheet(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("sample_id,label\n0,TRUE\n1,FALSE\n")
    pool = Predictions(np.array([[0, 1]]), ("a",), range(2), ("False", "True"))
    assert read_labels(path, pool)[1].value.tolist() == [1, 0]


def listed(folder: Path, rows: str) -> Path:
    path = folder / "labels.csv"
    path.write_text("sample_id,label\n" + rows)
    return path


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
    with pytest.warns(AdjudgeWarning, match="holds weights that differ, which --drawn uniform ignores"):
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


def test_the_same_label_twice_is_kept_once(tmp_path: Path) -> None:
    with pytest.warns(
        AdjudgeWarning, match=r"1 of 3 rows of labels.csv repeat a sample that has a row already, 's1' for one"
    ):
        log = read_labels(listed(tmp_path, "s1,3\ns2,1\ns1,3.0\n"), POOL)[1]
    assert (log.sample.tolist(), log.value.tolist()) == ([0, 1], [1, 0])


def test_a_row_added_by_hand_answers_a_pending_one(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(written(path) + "s2,4,,0,0,,1\n")
    with pytest.warns(AdjudgeWarning, match="repeat"):
        log = read_labels(path, POOL)[1]
    assert log.answered.all()
    assert (log.value[3], log.weight[3], log.seen[3]) == (0, 2.0, 3)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("s9,1\nt,3\n", r"2 of 2 labels in labels.csv are of samples that are not in the pool, 's9' among them"),
        (
            "s1,1\ns2,1\ns1,3\ns2,3\n",
            r"2 samples have different labels in labels.csv: 's1' \('1' and '3'\), 's2' \('1' and '3'\); keep",
        ),
        ("s1,SKIP\ns1,3\n", r"1 sample has different labels in labels.csv: 's1' \('SKIP' and '3'\)"),
        ("", r"labels.csv holds no label; add a row"),
        ("s1,\n", r"labels.csv holds no label; add a row"),
        (",1\n", r"a row of labels.csv has a label but no sample id"),
    ],
)
def test_bad_labels_give_one_sentence(tmp_path: Path, rows: str, sentence: str) -> None:
    with pytest.raises(LabelsError, match=sentence):
        read_labels(listed(tmp_path, rows), POOL)


def test_a_list_may_have_labels_of_other_samples(tmp_path: Path) -> None:
    with pytest.warns(
        AdjudgeWarning, match="2 of 3 labels in labels.csv are of samples that are not in the pool, 's9'"
    ):
        log = read_labels(listed(tmp_path, "s9,1\ns1,1\nt,3\n"), POOL)[1]
    assert (log.sample.tolist(), log.value.tolist()) == ([0], [0])


def test_words_of_people_who_cannot_tell_are_skips(tmp_path: Path) -> None:
    path = listed(tmp_path, "s1,?\ns2,N/A\ns3,unsure\ns4,1\n")
    with pytest.warns(AdjudgeWarning, match=r"taken for SKIP, .*: '\?', 'N/A', 'unsure'"):
        np.testing.assert_array_equal(read_labels(path, POOL)[1].value, [nan, nan, nan, 0])
    unsure = Predictions(POOL.values, POOL.models, POOL.samples, ("1", "unsure", "x"))
    assert read_labels(listed(tmp_path, "s1,unsure\n"), unsure)[1].value.tolist() == [1]


@pytest.mark.parametrize(
    "text", ["Sample ID;Label\n s2 ; 3 \n", "image,GOLD\ns2,3\n", ",id,truth\n0,s2,3\n", "id,mine,label\ns2,3,1\n"]
)
def test_lists_as_people_write_them(tmp_path: Path, text: str) -> None:
    (tmp_path / "labels.csv").write_text(text)
    log = read_labels(tmp_path / "labels.csv", POOL, label_column="mine")[1]
    assert (log.sample.tolist(), log.value.tolist()) == ([1], [1])


def test_a_told_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.warns(AdjudgeNote, match=r"labels from 'label', since it has no column 'mien' \(--label-column"):
        log = read_labels(listed(tmp_path, "s1,3\n"), POOL, label_column="mien")[1]
    write_labels(log, POOL, tmp_path / "log.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a log has names of its own
        read_labels(tmp_path / "log.csv", POOL, label_column="mien")


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("s1,cat\ns2,dog\n", r"is not a number in 2 rows: 'cat' \('s1'\), 'dog' \('s2'\); correct it"),
        ("s1,cat\n", r"the label 'cat' of sample 's1' in labels.csv is not a number; correct it"),
        ("s1,inf\n", r"the label 'inf' of sample 's1' in labels.csv is infinite"),
    ],
)
def test_bad_numbers_give_one_sentence(tmp_path: Path, rows: str, sentence: str) -> None:
    with pytest.raises(LabelsError, match=sentence):
        read_labels(listed(tmp_path, rows), NUMBERS)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "stratum,max_weight",
            "set,max_weight",
            r"the column 'stratum' is missing in labels.csv, which has 'sample_id'",
        ),
        ("label\n", "answer\n", r"the column 'label' is missing in labels.csv"),
        ("sample_id,", "name,", r"no column of sample ids .* in labels.csv"),
        (
            "s2,3,2.0",
            "s2,3,0.0",
            r"the weight of sample 's2' in labels.csv is 0, which is not above zero; restore the row",
        ),
        ("s2,3,2.0", "s2,3,-1", r"the weight of sample 's2' in labels.csv is -1, which is not above zero"),
        ("s2,3,2.0", "s2,3,heavy", r"the weight 'heavy' of sample 's2' in labels.csv is not a number"),
        ("s2,3,2.0", "s2,3,inf", r"the weight 'inf' of sample 's2' in labels.csv is infinite"),
        ("s2,3,2.0", "s2,2,2.0", r"the order of sample 's2' in labels.csv is 2, which stands in another row too"),
        ("s2,3,2.0", "s2,,2.0", r"the order of sample 's2' in labels.csv is blank"),
        (
            "s2,3,2.0,3",
            "s2,3,2.0,4",
            r"the seen of sample 's2' in labels.csv is 4, which is larger than the number of rows before",
        ),
        (
            "s2,3,2.0,3,2",
            "s2,3,2.0,3,0.5",
            r"the stratum of sample 's2' in labels.csv is 0.5, which is not a whole number",
        ),
        (
            "2,2.5,",
            "2,1.5,",
            r"the max_weight of sample 's2' in labels.csv is 1.5, which is below the weight",
        ),
        ("seed: 7", "seed: seven", r"the seed 'seven' in labels.csv is not a whole number"),
    ],
)
def test_a_damaged_log_gives_one_sentence(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(written(path).replace(old, new))
    with pytest.raises(LabelsError, match=sentence):
        read_labels(path, POOL)


def test_files_that_are_no_labels(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_bytes(b"")
    with pytest.raises(LabelsError, match=r"labels.csv is empty"):
        read_labels(path, POOL)
    path.write_bytes(b"sample_id,label\ns1,\xff\n")
    with pytest.raises(LabelsError, match=r"labels.csv is not UTF-8 text"):
        read_labels(path, POOL)
    with pytest.raises(LabelsError, match="does not exist"):
        read_labels(tmp_path / "nowhere.csv", POOL)
    with pytest.raises(InputError, match=r"labels.npz ends in '.npz'; use .csv, .tsv, .parquet or .json"):
        write_labels(LOG, POOL, tmp_path / "labels.npz")
    with pytest.raises(LabelsError, match=r"labels.csv cannot be written"):
        write_labels(LOG, POOL, tmp_path / "nowhere" / "labels.csv")


def test_a_class_named_skip_is_refused(tmp_path: Path) -> None:
    pool = Predictions(np.array([[0]]), ("a",), range(1), ("SKIP",))
    with pytest.raises(LabelsError, match=r"labels.csv: a class is named SKIP, which in a file of labels means"):
        write_labels(Labels.empty(1), pool, tmp_path / "labels.csv")
    with pytest.raises(LabelsError, match="rename the class"):
        read_labels(listed(tmp_path, "0,SKIP\n"), pool)


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
