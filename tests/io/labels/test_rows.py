"""Label files with mistakes: what is taken, what is refused, and in which sentence."""

import warnings
from math import nan
from pathlib import Path

import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeNote, AdjudgeWarning, InputError, LabelsError
from adjudge.io import read_labels, write_labels
from tests.support.label_files import LOG, NUMBERS, POOL, listed, written


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
