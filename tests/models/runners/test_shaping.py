"""Images, text and tables reach models of the kinds that take them."""

from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge.core.index import all_ids
from tests.support import tiny_models as tiny


def test_images_of_different_sizes_reach_a_model(tmp_path: Path) -> None:
    pillow = tiny.need("PIL.Image", "images")
    made = tiny.onnx_graph(tmp_path / "net.onnx")
    (tmp_path / "net.toml").write_text('size = [8, 8]\nclasses = ["a", "b", "c", "d"]\n')
    (tmp_path / "photos").mkdir()
    for at, image in enumerate(tiny.images(6)):
        big = np.kron(image[..., 0], np.ones((1 + at % 2, 1 + at % 2), np.uint8))
        pillow.fromarray(big).save(tmp_path / "photos" / f"{at}.png")
    pool = adjudge.predict(made.path, tmp_path / "photos").predictions
    assert all_ids(pool.samples).to_pylist() == [f"{at}.png" for at in range(6)]
    assert pool.classes == ("a", "b", "c", "d")
    np.testing.assert_array_equal(pool.values[0, ::2], made.probabilities.argmax(axis=1)[:6:2])


def test_text_reaches_a_pipeline_and_classes_have_names(tmp_path: Path) -> None:
    store = tiny.need("skops.io", "sklearn")
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    texts, labels = ["good film", "bad film", "good book", "bad book"], ["yes", "no", "yes", "no"]
    model = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, labels)
    store.dump(model, tmp_path / "words.skops")
    rows = "".join(f"{name},{text}\n" for name, text in zip("wxyz", texts, strict=True))
    (tmp_path / "texts.csv").write_text(f"id,text\n{rows}")
    pool = adjudge.predict(tmp_path / "words.skops", tmp_path / "texts.csv", probabilities=True).predictions
    assert (pool.classes, pool.values.tolist()) == (("no", "yes"), [[1, 0, 1, 0]])
    assert pool.probabilities is not None
    np.testing.assert_allclose(pool.probabilities[0], model.predict_proba(texts), atol=1e-6)


def test_a_table_reaches_a_regression(tmp_path: Path) -> None:
    store = tiny.need("skops.io", "sklearn")
    from sklearn.linear_model import LinearRegression
    from sklearn.neural_network import MLPRegressor

    inputs = np.random.default_rng(0).normal(size=(40, 3))
    lines = LinearRegression().fit(inputs, inputs @ [1.0, 2.0, 3.0])
    net = MLPRegressor(hidden_layer_sizes=(4,), max_iter=3000, tol=1e-2, random_state=0).fit(inputs, inputs[:, 0])
    store.dump(lines, tmp_path / "lines.skops")
    store.dump(net, tmp_path / "net.skops")
    rows = "\n".join(f"s{at},{a!r},{b!r},{c!r}" for at, (a, b, c) in enumerate(inputs.tolist()))
    (tmp_path / "table.csv").write_text(f"id,a,b,c\n{rows}\n")
    models = [tmp_path / "lines.skops", tmp_path / "net.skops"]
    with pytest.warns(adjudge.AdjudgeWarning, match="lines gives no features: it has no hidden layer"):
        found = adjudge.predict(models, tmp_path / "table.csv", features=True)
    assert found.predictions.classes is None
    np.testing.assert_allclose(found.predictions.values, [lines.predict(inputs), net.predict(inputs)], atol=1e-9)
    assert found.features["net"].shape == (40, 4)
