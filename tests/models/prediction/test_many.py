"""Many models: what fails is told and the others go on; what is done is kept."""

from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge.core.arrays import Array
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeWarning, InputError
from adjudge.models.datasets import Dataset, from_array, from_texts
from tests.support.functions import pool_of


def test_labels_probabilities_and_numbers(code: str, data: Dataset) -> None:
    pool = pool_of(f"{code}:parity", f"{code}:halves", data=data, probabilities=True)
    assert (pool.models, pool.classes, pool.declared) == (("parity", "halves"), ("0", "1"), True)
    assert pool.values.tolist() == [[0, 1] * 5, [0] * 5 + [1] * 5]
    assert pool.probabilities is not None
    assert np.isnan(pool.probabilities[0]).all()
    np.testing.assert_allclose(pool.probabilities[1, [0, 9]], [[0.9, 0.1], [0.1, 0.9]], atol=1e-6)
    numbers = pool_of(f"{code}:number", data=data)
    assert (numbers.classes, numbers.values.tolist()) == (None, [(np.arange(10) * 1.5).tolist()])


def test_settings_name_the_classes_and_the_output(code: str, data: Dataset, tmp_path: Path) -> None:
    (tmp_path / "code.toml").write_text('classes = ["low", "high"]\noutput = "binary"\n')
    found = adjudge.predict(f"{code}:certain", data, probabilities=True).predictions
    assert found.classes == ("low", "high")
    assert found.values.tolist() == [[0] * 6 + [1] * 4]


def test_names_of_labels_are_collected(code: str, data: Dataset) -> None:
    pool = adjudge.predict(f"{code}:names", data, batch=1).predictions
    assert (pool.classes, pool.declared) == (("even", "odd"), False)
    assert pool.values.tolist() == [[0, 1] * 5]


def test_a_transform_is_applied_to_raw_rows(code: str, data: Dataset) -> None:
    moved = data.transformed(lambda rows, first: rows + 1, "moved")
    assert pool_of(f"{code}:parity", data=moved).values.tolist() == [[1, 0] * 5]


def test_what_is_written_is_read_by_every_command(data: Dataset, tmp_path: Path) -> None:
    rows = np.arange(20.0).reshape(10, 2)
    pool = Predictions(np.array([[0, 1] * 5, [0] * 10]), ("a", "b"), data.samples, ("x", "y"), declared=True)
    found = adjudge.Predicted(pool, {"b": rows})
    for suffix in ("npz", "parquet", "csv"):
        files = adjudge.write_predicted(found, tmp_path / f"pool.{suffix}")
        assert adjudge.read(files[0]).values.tolist() == pool.values.tolist()
        from adjudge.io.predictions.features import beside, read_features

        np.testing.assert_array_equal(read_features(beside(files[0]), pool, "b"), rows)


def test_labels_are_written_as_codes_or_numbers(code: str, data: Dataset, tmp_path: Path) -> None:
    path = tmp_path / "pool.npz"
    named = adjudge.predict(f"{code}:names", data)
    for labels in (np.array(["odd", "even"] * 5), np.array([1, 0] * 5)):  # names, or positions in the list of classes
        adjudge.write_predicted(named, path, labels)
        assert adjudge.read_truth(path, adjudge.read(path))[1].tolist() == [1, 0] * 5
    with pytest.warns(AdjudgeWarning, match="the array has labels of a class that no model predicted: 'none'"):
        adjudge.write_predicted(named, path, np.array(["odd", "none"] * 5))
    assert adjudge.read(path).classes == ("even", "odd", "none")
    adjudge.write_predicted(adjudge.predict(f"{code}:number", data), path, np.append(np.arange(9) / 2, np.nan))
    np.testing.assert_array_equal(
        adjudge.read_truth(path, adjudge.read(path))[1], [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, np.nan]
    )
    with pytest.raises(InputError, match="9 labels without ids do not fit 10 samples"):
        adjudge.write_predicted(named, path, np.arange(9))
    with pytest.raises(InputError, match=r"pool.csv cannot hold labels"):
        adjudge.write_predicted(named, tmp_path / "pool.csv", np.arange(10))


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        ("lambda rows: np.zeros(len(rows), int)", "says '0' for every sample; check scale"),
        ("lambda rows: np.tile([0.5, 0.5 - 1e-9], (len(rows), 1))", "the same probabilities for every sample"),
        (
            "lambda rows: np.stack([0.5 + rows[:, 0] / 1e5, 0.5 - rows[:, 0] / 1e5], axis=1)",
            "nearly the same probability to all classes",
        ),
        ("lambda rows: np.full(len(rows), 2.5)", r"gives 2.5 for every sample"),
        ("lambda rows: rows[:, 0] / 100", r'say output = "binary"'),
        ("lambda rows: np.where(rows[:, 0] < 3, np.inf, rows[:, 0])", "gives no number for 3 samples"),
    ],
)
def test_signs_of_wrong_inputs_are_told(tmp_path: Path, function: str, sentence: str) -> None:
    (tmp_path / "odd.py").write_text(f"import numpy as np\nguess = {function}\n")
    many = from_array(np.arange(40.0)[:, np.newaxis])
    with pytest.warns(AdjudgeWarning, match=sentence):
        adjudge.predict(f"{tmp_path / 'odd.py'}:guess", many, probabilities=True)


def test_names_differ_or_are_given(code: str, data: Dataset) -> None:
    with pytest.raises(InputError, match="is given more than once"):
        adjudge.predict([f"{code}:parity", f"{code}:parity"], data)
    assert pool_of(f"one={code}:parity", f"two={code}:parity", data=data).models == ("one", "two")
    with pytest.raises(InputError, match=r"'net.exe' is not a model that can be run"):
        adjudge.predict("net.exe", data)


def test_text_for_a_model_of_numbers_is_refused(tmp_path: Path, data: Dataset) -> None:
    torch = pytest.importorskip("torch", reason="needs the extra 'torch'")
    torch.export.save(torch.export.export(torch.nn.Linear(1, 2), (torch.zeros(1, 1),)), tmp_path / "net.pt2")
    with pytest.raises(InputError, match=r"net.pt2: the model takes numbers but the data is text"):
        adjudge.predict(tmp_path / "net.pt2", from_texts(["one"]), trust=True)
    wide: Array = np.zeros((3, 7))
    with pytest.raises(InputError, match=r"net.pt2: the model takes samples of 1 but the data has 7"):
        adjudge.predict(tmp_path / "net.pt2", wide, trust=True)
