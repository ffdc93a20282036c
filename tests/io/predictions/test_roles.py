"""Columns are found by the names that people give them, and what was guessed is said."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from adjudge.core.index import all_ids
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeNote, PredictionsError
from adjudge.io import from_frame, merge, read, write_predictions


def saved(folder: Path, text: str, name: str = "net.csv") -> Path:
    (folder / name).write_text(text)
    return folder / name


def told(path: Path | list[Path], **options: str) -> tuple[Predictions, str]:
    """The predictions, and the note about them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pool = read(path, **options)  # type: ignore[arg-type]
    return pool, " ".join(str(each.message) for each in caught)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("id,prediction\ns1,cat\ns2,dog\n", ""),
        ("image,y_pred\ns1,cat\ns2,dog\n", "net.csv: ids from 'image'; predictions from 'y_pred'"),
        ("Sample ID;Pred\ns1; cat\ns2 ;dog\n", "net.csv: ids from 'Sample ID'; predictions from 'Pred'"),
        (",id,pred\n0,s1,cat\n1,s2,dog\n", "net.csv: predictions from 'pred'"),
        ("index,id,prediction,split\n7,s1,cat,a\n8,s2,dog,b\n", "net.csv: ignored 'index', 'split'"),
        (
            "id,pred,Label\ns1,cat,cat\ns2,dog,cat\n",
            "net.csv: predictions from 'pred'; the truth in 'Label', which is not ranked, and not used unless you ask "
            "(--labels takes this file too)",
        ),
    ],
)
def test_a_file_of_one_model(tmp_path: Path, text: str, note: str) -> None:
    pool, sentence = told(saved(tmp_path, text))
    assert (pool.models, pool.classes, pool.values.tolist()) == (("net",), ("cat", "dog"), [[0, 1]])
    assert all_ids(pool.samples).to_pylist() == ["s1", "s2"]
    assert sentence == note


def test_the_truth_is_never_a_model(tmp_path: Path) -> None:
    for name in ("label", "TRUTH", "target", "gold", "class", "y_true"):
        pool, note = told(saved(tmp_path, f"id,{name},a,b\n1,x,x,y\n2,y,x,x\n"))
        assert pool.models == ("a", "b")
        assert f"the truth in {name!r}" in note
    pool, note = told(saved(tmp_path, "id,mine,a,b\n1,x,x,y\n2,y,x,x\n"), label_column="mine")
    assert pool.models == ("a", "b")


def test_an_index_of_pandas_holds_ids_only_if_nothing_else_does(tmp_path: Path) -> None:
    pool, note = told(saved(tmp_path, ",a,b\n0,x,y\n1,x,x\n"))
    assert (pool.models, all_ids(pool.samples).to_pylist()) == (("a", "b"), ["0", "1"])
    assert "ids from '(no name)'" in note


def test_long_tables_under_other_names(tmp_path: Path) -> None:
    pool, note = told(saved(tmp_path, "Image,Classifier,Predicted\n1,a,x\n2,a,y\n1,b,y\n2,b,y\n"))
    assert (pool.models, pool.values.tolist()) == (("a", "b"), [[0, 1], [1, 1]])
    assert note == "net.csv: ids from 'Image'; models from 'Classifier'; predictions from 'Predicted'"
    text = "id,who,says,why\n1,a,x,?\n1,b,y,!\n"
    pool, note = told(saved(tmp_path, text), model_column="who", prediction_column="says")
    assert (pool.models, note) == (("a", "b"), "net.csv: ignored 'why'")
    with pytest.raises(PredictionsError, match=r"the column 'say' is missing in net.csv, .* --prediction-column"):
        read(tmp_path / "net.csv", prediction_column="say")


@pytest.mark.parametrize("prefix", ["p_", "prob_", "Proba_", "score_"])
def test_probabilities_sum_to_one(tmp_path: Path, prefix: str) -> None:
    pool, _ = told(saved(tmp_path, f"id,pred,{prefix}dog,{prefix}Cat\n1,cat,.2,.8\n2,dog,.9,.1\n"))
    assert pool.classes == ("cat", "dog")
    assert pool.probabilities is not None
    np.testing.assert_allclose(pool.probabilities, [[[0.8, 0.2], [0.1, 0.9]]], rtol=1e-6)
    pool, note = told(saved(tmp_path, f"id,pred,{prefix}dog,{prefix}cat\n1,cat,2,8\n2,dog,9,1\n"))
    assert pool.probabilities is None
    assert f"ignored '{prefix}dog', '{prefix}cat'" in note


def test_the_class_of_the_highest_probability_is_predicted(tmp_path: Path) -> None:
    pool, note = told(saved(tmp_path, "id,prob_cat,prob_dog\n1,.2,.8\n2,.5,.5\n3,,\n"))
    assert (pool.classes, pool.values.tolist()) == (("cat", "dog"), [[1, 0, -1]])
    assert note == "net.csv: predictions of a single model from 'prob_*'; probabilities from 'prob_*'"
    pool, note = told(saved(tmp_path, "id,prob_cat,prob_dog,split,mine\n1,.2,.8,a,cat\n2,.5,.5,b,cat\n"))
    assert (pool.models, pool.values.tolist()) == (("net",), [[0, 0]])
    assert note == "net.csv: predictions from 'mine'; probabilities from 'prob_*'; ignored 'split'"
    long = "id,model,p_cat,p_dog\n1,a,.9,.1\n1,b,.2,.8\n"
    assert told(saved(tmp_path, long))[0].values.tolist() == [[0], [1]]


def test_models_that_often_disagree_are_no_probabilities(tmp_path: Path) -> None:
    rows = "".join(f"{each},{each % 2},{(each + (each % 5 > 0)) % 2}\n" for each in range(40))  # differ in 4 of 5
    assert told(saved(tmp_path, f"id,p_a,p_b\n{rows}"))[0].models == ("p_a", "p_b")
    pool, note = told(saved(tmp_path, "id,p_a,p_b\n1,0,1\n2,1,0\n"))
    assert (pool.models, note) == (("net",), "net.csv: predictions of a single model from 'p_*'")


def test_a_told_column_of_true_labels_that_is_not_there_is_named(tmp_path: Path) -> None:
    file = saved(tmp_path, "id,a,b,mine\n1,x,x,x\n2,y,x,y\n")
    _, note = told(file, label_column="mien")
    assert note == "net.csv: no column 'mien', which --label-column names (label_column= in Python)"
    files = [saved(tmp_path, f"id,prediction,{name}\n1,x,x\n", f"{name}.csv") for name in ("mine", "other")]
    assert "no column" not in told(files, label_column="mine")[1]
    assert "2 files: no column 'mien'" in told(files, label_column="mien")[1].replace("ignored 'mine', 'other'; ", "")
    with pytest.raises(PredictionsError, match="no file has a column 'mien', which --label-column names"):
        merge(files, tmp_path / "pool.csv", with_truth=tmp_path / "truth.csv", label_column="mien")


def test_probabilities_of_other_classes_are_ignored(tmp_path: Path) -> None:
    pool, note = told(saved(tmp_path, "id,pred,prob_0,prob_1\n1,cat,.2,.8\n2,dog,.9,.1\n"))
    assert pool.probabilities is None
    assert "are for '0', '1', and no model predicts any of these; they are ignored" in note


def test_names_that_could_be_guessed_are_read_back_as_they_were(tmp_path: Path) -> None:
    models = ("target", "pred", "id", "p_a", " net")
    pool = Predictions(np.arange(10).reshape(5, 2) % 2, models, range(2), ("x", "y"))
    for suffix in ("csv", "parquet"):
        write_predictions(pool, tmp_path / f"pool.{suffix}")
        again, note = told(tmp_path / f"pool.{suffix}")
        assert (again.models, again.values.tolist(), note) == (models, pool.values.tolist(), "")


def test_frames_are_read_by_the_same_names() -> None:
    with pytest.warns(
        AdjudgeNote, match=r"the frame: ids from 'IMAGE'; the truth in 'gold'.*\(read_labels takes this frame too\)"
    ):
        pool = from_frame({"IMAGE": ["1", "2"], "a": ["x", "y"], "b": ["y", "y"], "gold": ["x", "x"]})
    assert pool.models == ("a", "b")


def test_a_blank_column_of_labels_is_neither_the_truth_nor_what_a_model_says(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("id,label,answer\nx,,cat\ny,,dog\n")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        pool = read(tmp_path)
    assert pool.classes == ("cat", "dog")
    assert "truth" not in str(told[0].message)
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("id,label\nx,\ny,\n")
    with pytest.raises(PredictionsError, match="no column that is known to hold predictions"):
        read(tmp_path)


def test_the_truth_of_a_model_that_is_always_right_stays_the_truth(tmp_path: Path) -> None:
    for name, column in (("a", "ground_truth"), ("b", "class")):
        (tmp_path / f"{name}.csv").write_text(f"id,{column},p_x,p_y\n1,x,0.9,0.1\n2,y,0.2,0.8\n")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        pool = read(tmp_path)
    assert pool.values.tolist() == [[0, 1], [0, 1]]
    said = str(told[0].message)
    assert "predictions from 'class'" in said
    assert "the truth in 'ground_truth'" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "# class: cat\n# class: dog\nid,p_cat,p_dog\ns1,.9,.1\ns2,oops,.8\n",
            "probabilities 'p_cat' of net.csv has 'oops'",
        ),
        (
            "# class: cat\n# class: dog\nid,model,prediction,p_cat,p_dog\ns1,a,cat,.9,.1\ns2,a,dog,oops,.8\n",
            "model 'a' at sample 's2' gives 'cat' the probability 'oops'",
        ),
    ],
)
def test_a_probability_that_is_not_a_number_is_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "net.csv").write_text(text)
    with pytest.raises(PredictionsError, match=f"{said}, which is not a number; correct it, or leave it blank"):
        read(tmp_path / "net.csv")


@pytest.mark.parametrize("said", [("prediction", "cat", "dog", "cat"), ()])
def test_probabilities_may_have_decimal_commas(said: tuple[str, ...], tmp_path: Path) -> None:
    for name in ("a", "b"):
        rows = zip(("id;p_cat;p_dog", "1;0,7;0,3", "2;0,250;0,750", "3;1,000;0,000"), said or [""] * 4, strict=True)
        text = "\n".join(";".join(filter(None, row)) for row in rows)
        (tmp_path / f"{name}.csv").write_text(text)
    pool = read(tmp_path)
    assert pool.values.tolist() == [[0, 1, 0]] * 2
    assert pool.probabilities is not None
    np.testing.assert_allclose(pool.probabilities[1], [[0.7, 0.3], [0.25, 0.75], [1.0, 0.0]], rtol=1e-6)


def test_standard_names_are_told_where_files_differ(tmp_path: Path) -> None:
    for name, column in (("a", "image"), ("b", "sample_id"), ("c", "sample_id")):
        (tmp_path / f"{name}.csv").write_text(f"{column},prediction\ns1,cat\ns2,dog\n")
    with pytest.warns(AdjudgeNote, match=r"3 files: ids from 'image', 'sample_id' \(2 files\)$"):
        read(sorted(tmp_path.iterdir()))
