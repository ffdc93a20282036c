"""Many models: what fails is told and the others go on; what is done is kept."""

from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge.core.arrays import Array
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeWarning, InputError
from adjudge.models.datasets import Dataset, from_array, from_texts
from adjudge.models.prediction import Shift, predict_shifted, running
from tests.support.functions import CODE, pool_of


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


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ("{code}:broken", r"code.py:broken: it failed on inputs of float64 in the shape \(10, 1\) \(boom\); check"),
        ("{code}:three", r"three: it gives 3 classes but most models give 2; leave it out"),
        ("{code}:number", r"number: it gives numbers but most models give classes; run it separately"),
        ("{code}:hopeless", r"there is not enough memory for 1 sample at a time"),
        ("{code}:short", r"it gave 1 outputs for 10 samples; give one for each"),
        ("{code}:nobody", r"code.py has no function 'nobody'"),
        ("nowhere.module:name", r"the module 'nowhere.module' cannot be imported"),
        ("gone.onnx", r"gone.onnx does not exist"),
    ],
)
def test_one_model_fails_and_the_others_go_on(code: str, data: Dataset, bad: str, sentence: str) -> None:
    models = [f"{code}:halves", bad.format(code=code), f"{code}:parity"]
    with pytest.warns(AdjudgeWarning, match=sentence):
        found = adjudge.predict(models, data)
    assert found.predictions.models == ("halves", "parity")
    assert len(found.failures) == 1


def test_most_models_say_how_many_classes_there_are(code: str, data: Dataset, tmp_path: Path) -> None:
    """One model whose classes have names does not put out those that have other classes, and more of them."""
    (tmp_path / "odd.py").write_text(CODE)
    (tmp_path / "odd.toml").write_text('classes = ["a", "b", "c"]')
    models = [f"one={code}:halves", f"two={code}:halves", f"odd={tmp_path / 'odd.py'}:three"]
    with pytest.warns(AdjudgeWarning, match="odd: it gives 3 classes but most models give 2"):
        found = adjudge.predict(models, data)
    assert found.predictions.models == ("one", "two")


def test_if_all_fail_that_is_an_error(code: str, data: Dataset) -> None:
    with pytest.raises(InputError, match=r"\(boom\).*; .*has no function 'nobody'"):
        adjudge.predict([f"{code}:broken", f"{code}:nobody"], data)


def test_a_batch_that_is_too_large_is_halved(code: str, data: Dataset) -> None:
    with pytest.warns(AdjudgeWarning, match="not enough memory for 8 samples at a time; it went on with 2"):
        found = adjudge.predict(f"{code}:greedy", data, batch=8)
    assert found.predictions.values.tolist() == [list(range(10))]


def test_a_module_that_fails_is_told(data: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "fails_at_once.py").write_text("1 / 0")
    with pytest.raises(InputError, match=r"the module 'fails_at_once' cannot be imported \(division by zero\)"):
        adjudge.predict("fails_at_once:guess", data)


def test_a_transform_is_applied_to_raw_rows(code: str, data: Dataset) -> None:
    moved = data.transformed(lambda rows, first: rows + 1, "moved")
    assert pool_of(f"{code}:parity", data=moved).values.tolist() == [[1, 0] * 5]


def test_predictions_made_elsewhere_are_not_taken_for_those_under_shift(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.csv").write_text("sample_id,net\n0,a\n1,b\n")
    images = from_array(np.zeros((2, 28, 28), np.uint8))
    with pytest.raises(InputError, match=r"elsewhere\.csv holds stored predictions, which cannot be run"):
        list(predict_shifted([tmp_path / "elsewhere.csv"], images, [Shift("fog", 3)]))


def test_a_model_that_failed_is_told_once_and_not_run_again(code: str, tmp_path: Path) -> None:
    images = from_array(np.zeros((2, 28, 28), np.uint8))
    works = tmp_path / "other" / "code.py"  # two of one name: the one that is left keeps its longer name
    works.parent.mkdir()
    works.write_text("def broken_by_noise(rows):\n    return [int(row.max() > 0) for row in rows]\n")
    models = [f"{code}:counted_broken", f"{code}:broken_by_noise", f"{works}:broken_by_noise"]
    shifts = [Shift("gaussian-noise", severity) for severity in (1, 3, 5)]
    with pytest.warns(AdjudgeWarning) as told:
        found = dict(predict_shifted(models, images, shifts))
    first, second = (str(each.message) for each in told if "left out" in str(each.message))
    assert "never works" in first
    assert second.startswith("left out from gaussian-noise1 on: ")
    assert "too bright" in second
    assert found[None].predictions.models == tuple(models[1:])
    assert all(found[shift].predictions.models == (models[2],) for shift in shifts)
    assert found[shifts[2]].failures.keys() == {"counted_broken", models[1]}
    assert (tmp_path / "calls").read_text() == "xxx"  # one call each that failed, and one on clean data


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


def test_large_samples_come_in_small_batches(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "BATCH_BYTES", 100)
    adjudge.predict(f"{code}:parity", np.zeros((10, 12)))
    assert len((tmp_path / "calls").read_text()) == 5
