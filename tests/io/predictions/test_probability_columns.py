"""Columns of probabilities."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.errors import PredictionsError
from adjudge.io import read
from tests.support.one_model import saved, told


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


def test_probabilities_of_other_classes_are_ignored(tmp_path: Path) -> None:
    pool, note = told(saved(tmp_path, "id,pred,prob_0,prob_1\n1,cat,.2,.8\n2,dog,.9,.1\n"))
    assert pool.probabilities is None
    assert "are for '0', '1', and no model predicts any of these; they are ignored" in note


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
