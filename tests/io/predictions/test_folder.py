"""Several files, one for each model, work as a folder of them does."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.errors import AdjudgeNote, PredictionsError
from adjudge.io import read
from tests.support.commands import adjudge, refused

MESSY = {
    "resnet": "image,pred\ns1,cat\ns2,dog\ns3,cat\n",
    "vit": "\ufeffID;PRED;LABEL\ns3;cat;cat\ns1;dog;cat\ns2; dog ;dog\n",
    "swin": ",id,proba_cat,proba_dog,split\n0,s1,.9,.1,a\n1,s2,.2,.8,a\n2,s3,.7,.3,b\n",
    "alex": "filename,alex\ns1,dog\ns2,dog\ns3,dog\n",
}


def messy(folder: Path, **more: str) -> list[Path]:
    (folder / "candidates").mkdir(exist_ok=True)
    for name, text in {**MESSY, **more}.items():
        (folder / "candidates" / f"{name}.csv").write_text(text, encoding="utf-8")
    return sorted((folder / "candidates").iterdir())


def test_several_files_are_read_as_a_folder_is(tmp_path: Path) -> None:
    files = messy(tmp_path)
    with pytest.warns(AdjudgeNote) as said:
        several = read(files)
    with pytest.warns(AdjudgeNote):
        folder = read(tmp_path / "candidates")
    assert several.models == folder.models == ("alex", "resnet", "swin", "vit")
    assert several.values.tolist() == folder.values.tolist() == [[1, 1, 1], [0, 1, 0], [0, 1, 0], [1, 1, 0]]
    assert several.probabilities is not None
    assert np.isnan(several.probabilities).all(axis=(1, 2)).tolist() == [True, True, False, True]
    assert str(said[0].message) == (
        "4 files: ids from 'filename', 'image', 'id', 'ID'; predictions from 'alex', 'pred', 'PRED'; probabilities "
        "from 'proba_*'; the truth in 'LABEL', which is not ranked, and not used unless you ask (adjudge merge "
        "--with-truth FILE writes it); ignored 'split'"
    )


def test_a_file_of_the_truth_among_them_is_refused(tmp_path: Path) -> None:
    files = messy(tmp_path, truth="id,label\ns1,cat\ns2,dog\ns3,cat\n")
    sentence = refused("rank", *files)
    assert "truth.csv has no column that is known to hold predictions, and 'label' may be the truth" in sentence
    assert "--prediction-column label" in sentence


def test_all_that_is_wrong_with_files_is_told_at_once(tmp_path: Path) -> None:
    unclear, short = "id,label\ns1,cat\ns2,dog\ns3,cat\n", "id,pred\ns1,cat\ns2,dog\n"
    sentence = refused("check", *messy(tmp_path, unclear=unclear, other="id,says,likes\ns1,cat,1\n", short=short))
    first, second, third = sentence.split("also, ")
    assert "other.csv has no column that is known to hold predictions" in first
    assert "unclear.csv has no column that is known to hold predictions" in second
    assert "model 'short' has no prediction for 1 of 3 samples, 's3' among them: --join inner keeps 2 of 3" in third
    twice = refused("check", *messy(tmp_path, unclear="id,pred\ns1,a\ns1,b\n", other="id,pred\n", short=short))
    assert "occurs more than once in unclear.csv" in twice
    assert "other.csv has column names but no rows" in twice
    only = [path for path in messy(tmp_path, unclear=unclear, other=unclear) if path.stem in ("unclear", "other")]
    assert refused("check", *only).count("may be the truth") == 2


def test_told_columns_are_those_of_the_files_that_have_them(tmp_path: Path) -> None:
    files = messy(tmp_path, mine="id,says,likes\ns1,dog,1\ns2,dog,2\ns3,dog,3\n")
    with pytest.raises(PredictionsError, match=r"mine.csv has no column that is known to hold predictions, only 'id'"):
        read(files)
    with pytest.warns(AdjudgeNote, match="ignored 'likes', 'split'"):
        assert read(files, prediction_column="says").models == ("alex", "mine", "resnet", "swin", "vit")
    with pytest.raises(PredictionsError, match="none of the 5 files has a column 'said', which --prediction-column na"):
        read(files, prediction_column="said")


def test_files_that_name_models(tmp_path: Path) -> None:
    for folder, model in (("x", "a"), ("y", "a")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "preds.csv").write_text(f"id,model,prediction\n1,{model},cat\n2,{model},dog\n")
    files = [tmp_path / "x" / "preds.csv", tmp_path / "y" / "preds.csv"]
    assert read(files).models == ("x", "y")  # one model each: the name of a file, or of its folder
    with pytest.raises(PredictionsError, match=r"preds.csv and preds.csv name the same model, 'a'"):
        read(files, model_column="model")
    files[1].write_text("id,model,prediction\n1,b,cat\n2,b,dog\n1,c,dog\n2,c,dog\n")
    assert read(files).models == ("x", "b", "c")


def test_facts_and_prices_stand_beside_predictions(tmp_path: Path) -> None:
    files = messy(tmp_path, fast="id,pred,domain,latency\ns1,dog,zoo,5\ns2,dog,farm,6\ns3,dog,zoo,7\n")
    with pytest.warns(AdjudgeNote):
        pool = read(files, columns=["domain"])
    assert pool.columns is not None
    assert pool.columns.to_pydict() == {"domain": ["zoo", "farm", "zoo"]}
    assert np.nan_to_num(pool.auxiliary["latency"].values).tolist() == [[0, 0, 0], [5, 6, 7], *[[0, 0, 0]] * 3]


def test_every_command_takes_several_files(tmp_path: Path) -> None:
    files = messy(tmp_path)
    (tmp_path / "labels.csv").write_text("Image,Gold\n s1,CAT\ns2,dog \ns3,?\n")
    assert "of 1 of 4 models" in adjudge("check", *files).stdout
    compared = adjudge("compare", *files, "vit", "resnet", "--labels", tmp_path / "labels.csv")
    assert compared.returncode in (0, 1), compared.stderr
    assert "'CAT' as 'cat'" in compared.stderr
    assert "--truth FILE" in refused("simulate", *files)
    assert "is given among several" in refused("rank", files[0], tmp_path / "candidates")


def test_a_file_as_it_was_written_is_one_model_among_others(tmp_path: Path) -> None:
    files = [tmp_path / "net.csv", tmp_path / "tree.csv"]
    files[0].write_text("# layout: as written\n# column: domain\nsample_id,target,domain\ns1,cat,a\ns2,dog,b\n")
    files[1].write_text("sample_id,prediction\ns1,dog\ns2,dog\n")
    pool = read(files)
    assert (pool.models, pool.values.tolist()) == (("net", "tree"), [[0, 1], [1, 1]])
    files[0].write_text("# layout: as written\nsample_id,target,b\ns1,cat,dog\ns2,dog,dog\n")
    with pytest.raises(PredictionsError, match=r"net\.csv has no column that is known to hold predictions, only"):
        read(files)
    assert read(files, prediction_column="b").values.tolist() == [[0, 0], [0, 0]]


def test_a_class_that_is_always_the_most_probable_one_is_what_the_model_says(tmp_path: Path) -> None:
    rows = "id,class,proba_cat,proba_dog\ns1,cat,.9,.1\ns2,dog,.5,.5\ns3,dog,.3,.7\n"
    with pytest.warns(AdjudgeNote) as said:
        pool = read(messy(tmp_path, net=rows), normalize="none")
    assert "'class'" not in str(said[0].message).partition("the truth in")[2]
    assert pool.values[pool.models.index("net")].tolist() == [0, 1, 1]
    with pytest.warns(AdjudgeNote, match="the truth in 'class', 'LABEL'"):
        read(messy(tmp_path, net=rows.replace("s3,dog", "s3,cat")), normalize="none")


def test_a_blank_column_is_no_truth(tmp_path: Path) -> None:
    with pytest.warns(AdjudgeNote, match="the truth in 'LABEL', which .*; ignored 'target', 'split'"):
        read(messy(tmp_path, net="id,pred,target\ns1,cat,\ns2,dog, \ns3,dog,\n"))
