"""Models in memory: fitted estimators and functions."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from adjudge import AdjudgeWarning, from_estimators, predict
from adjudge.core.index import all_ids
from adjudge.errors import InputError

linear_model = pytest.importorskip("sklearn.linear_model")
tree = pytest.importorskip("sklearn.tree")
ROWS = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "age": [4.0, 3.0, 2.0, 9.0]}, index=["p", "q", "r", "s"])
CLASSES = ["low", "low", "high", "high"]


def fitted() -> dict[str, Any]:
    models = {"line": linear_model.LogisticRegression(), "tree": tree.DecisionTreeClassifier(random_state=0)}
    return {name: model.fit(ROWS, CLASSES) for name, model in models.items()}


def by_size(rows: pd.DataFrame) -> Sequence[str]:
    return ["low" if size < 3 else "high" for size in rows["size"]]


def test_estimators_and_functions_become_a_pool() -> None:
    pool = from_estimators(fitted() | {"rule": by_size}, ROWS)
    assert pool.models == ("line", "tree", "rule")
    assert all_ids(pool.samples).to_pylist() == ["p", "q", "r", "s"]
    assert pool.classes == ("high", "low")
    assert pool.values.tolist()[1:] == [[1, 1, 0, 0]] * 2
    assert pool.probabilities is not None
    np.testing.assert_allclose(pool.probabilities[0], fitted()["line"].predict_proba(ROWS), atol=1e-6)
    assert np.isnan(pool.probabilities[2]).all()
    assert from_estimators(fitted(), ROWS, probabilities=False).probabilities is None


def test_names_come_from_the_models() -> None:
    line, other = fitted().values()
    assert from_estimators([line, ("grown", other), by_size], ROWS).models == ("LogisticRegression", "grown", "by_size")
    with pytest.raises(InputError, match="'LogisticRegression' is given more than once; give a dict of names"):
        from_estimators([line, line], ROWS)
    numbered: Any = {0: line, 1: line}
    assert from_estimators(numbered, ROWS).models == ("0", "1")


@pytest.mark.parametrize("kind", [pd.DataFrame.to_numpy, sparse.csr_matrix, pl.from_pandas])
def test_arrays_sparse_matrices_and_other_frames_do_too(kind: Any) -> None:
    bare = {name: model.fit(ROWS.to_numpy(), CLASSES) for name, model in fitted().items()}
    pool = from_estimators(bare, kind(ROWS))
    assert pool.samples == range(4)
    assert pool.values[1].tolist() == [1, 1, 0, 0]


def test_a_column_of_texts_goes_to_a_pipeline_as_it_is() -> None:
    pipeline = pytest.importorskip("sklearn.pipeline")
    words = pytest.importorskip("sklearn.feature_extraction.text").CountVectorizer()
    texts = pd.Series(["good one", "bad one", "good"], index=["p", "q", "r"], name="text")
    model = pipeline.make_pipeline(words, tree.DecisionTreeClassifier()).fit(texts, ["yes", "no", "yes"])
    pool = from_estimators(
        {"bag": model, "rule": lambda rows: ["no" if "bad" in each else "yes" for each in rows]}, texts
    )
    assert pool.values[0].tolist() == pool.values[1].tolist() == [1, 0, 1]
    assert all_ids(pool.samples).to_pylist() == ["p", "q", "r"]


def test_regressors_give_numbers() -> None:
    line = linear_model.LinearRegression().fit(ROWS, [0.5, 1.0, 1.5, 2.0])
    pool = from_estimators({"line": line, "half": lambda rows: rows["size"] / 2}, ROWS)
    assert pool.classes is None
    np.testing.assert_allclose(pool.values, [[0.5, 1.0, 1.5, 2.0]] * 2)


def test_predict_takes_models_in_memory_beside_files(tmp_path: Path) -> None:
    file = tmp_path / "rules.py"
    file.write_text("def small(rows):\n    return ['low'] * (len(rows) - 1) + ['high']\n")
    found = predict({"tree": fitted()["tree"], "file": f"{file}:small"}, ROWS, cache=tmp_path / "cache")
    assert found.predictions.models == ("tree", "file")
    again = predict({"tree": fitted()["tree"], "file": f"{file}:small"}, ROWS, cache=tmp_path / "cache")
    assert again.reused == ("file",)  # nothing says whether two models in memory are the same
    assert len(list((tmp_path / "cache").iterdir())) == 1  # so that keeping what they say would be of no use
    predict(fitted(), ROWS, cache=tmp_path / "empty")
    assert not (tmp_path / "empty").exists()


def test_frames_of_polars_go_in_batches_of_the_usual_size() -> None:
    assert predict({"rule": by_size}, pl.from_pandas(ROWS)).predictions.values.tolist() == [[1, 1, 0, 0]]


@pytest.mark.parametrize(
    ("models", "sentence"),
    [
        (
            {"a": tree.DecisionTreeClassifier},
            "the model of 'a' is the class DecisionTree",
        ),
        ({"a": 3}, "the model of 'a' is a int, which cannot predict; give a fitted estimator, a function, or a file"),
        ({"a": tree.DecisionTreeClassifier()}, "not fitted yet"),
        ([], "no model is given"),
    ],
)
def test_what_cannot_predict_is_named(models: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        from_estimators(models, ROWS)


def test_one_that_fails_is_left_out() -> None:
    with pytest.warns(AdjudgeWarning, match="left out: broken: it failed on inputs of a frame"):
        assert from_estimators(fitted() | {"broken": lambda rows: 1 / 0}, ROWS).models == ("line", "tree")


def test_a_model_that_is_not_fitted_is_named() -> None:
    inputs = np.array([[0.0], [1.0], [2.0], [3.0]])
    fitted = LogisticRegression().fit(inputs, [0, 0, 1, 1])
    with pytest.warns(AdjudgeWarning, match=r"^left out: a: it failed .* check that it is fitted"):
        assert from_estimators({"a": LogisticRegression(), "b": fitted}, inputs).models == ("b",)
