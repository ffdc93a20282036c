"""Many models: what fails is told and the others go on; what is done is kept."""

import json
from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge.core.arrays import Array
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeWarning, InputError
from adjudge.models.datasets import Dataset, from_array, from_texts
from adjudge.models.prediction import Shift, predict_shifted, running

CODE = """
import os
import numpy as np

def count():
    with open(os.environ["COUNTED"], "a") as file:
        file.write("x")

def parity(rows):
    count()
    return (np.asarray(rows)[:, 0] % 2).astype(int)

def halves(rows):
    high = (rows[:, 0] >= 5).astype(float)
    return np.stack([0.9 - 0.8 * high, 0.1 + 0.8 * high], axis=1)

def three(rows):
    return np.tile([0.2, 0.3, 0.5], (len(rows), 1))

def names(rows):
    return ["odd" if each % 2 else "even" for each in rows[:, 0]]

def number(rows):
    return rows[:, 0] * 1.5

def certain(rows):
    return rows[:, 0] / 10

def broken(rows):
    raise RuntimeError("boom\\nand more")

def broken_by_noise(rows):
    count()
    if rows.max() > 0:
        raise RuntimeError("too bright")
    return [0] * len(rows)

def counted_broken(rows):
    count()
    raise RuntimeError("never works")

def greedy(rows):
    if len(rows) > 3:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 99 bytes")
    return rows[:, 0].astype(int)

def hopeless(rows):
    raise MemoryError

def short(rows):
    return [0]

def stop_at_six(rows):
    count()
    if rows[0, 0] >= 6 and not os.path.exists(os.environ["COUNTED"] + ".go"):
        raise KeyboardInterrupt
    return rows[:, 0].astype(int)
"""


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The path of a file of functions; `$COUNTED` names the file in which they count their calls."""
    monkeypatch.setenv("COUNTED", str(tmp_path / "calls"))
    (tmp_path / "calls").touch()
    (tmp_path / "code.py").write_text(CODE)
    return str(tmp_path / "code.py")


@pytest.fixture
def data() -> Dataset:
    return from_array(np.arange(10.0)[:, np.newaxis], list("abcdefghij"))


def pool_of(*models: str, data: Dataset, probabilities: bool = False) -> Predictions:
    return adjudge.predict(models, data, probabilities=probabilities).predictions


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


def test_an_interrupted_run_goes_on_where_it_was(code: str, data: Dataset, tmp_path: Path) -> None:
    calls, runs = tmp_path / "calls", tmp_path / "runs"
    with pytest.raises(KeyboardInterrupt):
        adjudge.predict(f"{code}:stop_at_six", data, batch=2, cache=runs)
    assert len(calls.read_text()) == 4
    assert [folder.suffix for folder in runs.iterdir()] == [".part"]
    (tmp_path / "calls.go").touch()
    found = adjudge.predict(f"{code}:stop_at_six", data, batch=2, cache=runs)
    assert len(calls.read_text()) == 6
    assert found.predictions.values.tolist() == [list(range(10))]


def test_a_second_run_uses_what_has_not_changed(code: str, data: Dataset, tmp_path: Path) -> None:
    calls, runs = tmp_path / "calls", tmp_path / "runs"

    def run(pool: Dataset = data, fresh: bool = False) -> tuple[int, tuple[str, ...]]:
        before = len(calls.read_text())
        reused = adjudge.predict(f"{code}:parity", pool, cache=runs, fresh=fresh).reused
        return len(calls.read_text()) - before, reused

    assert run() == (1, ())
    assert run() == (0, ("parity",))
    assert run(fresh=True) == (1, ())
    changed = data.transformed(lambda rows, first: rows + first, "moved")
    assert run(changed) == (1, ())
    (tmp_path / "code.toml").write_text("scale = 2\n")
    assert run() == (1, ())
    (tmp_path / "code.toml").write_text("scale = 2\ntimeout = 9\n")
    assert run() == (0, ("parity",))
    Path(code).write_text(CODE + "\n")
    assert run() == (1, ())


@pytest.mark.parametrize("file", ["values.npy", "about.json"])
def test_a_kept_result_that_was_damaged_is_made_anew(code: str, data: Dataset, tmp_path: Path, file: str) -> None:
    before = adjudge.predict(f"{code}:parity", data, cache=tmp_path / "runs").predictions
    kept = next((tmp_path / "runs").glob(f"*/{file}"))
    kept.write_bytes(kept.read_bytes()[:40])
    again = adjudge.predict(f"{code}:parity", data, cache=tmp_path / "runs")
    assert not again.reused
    np.testing.assert_array_equal(again.predictions.values, before.values)
    assert adjudge.predict(f"{code}:parity", data, cache=tmp_path / "runs").reused


def test_a_module_that_fails_is_told(data: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "fails_at_once.py").write_text("1 / 0")
    with pytest.raises(InputError, match=r"the module 'fails_at_once' cannot be imported \(division by zero\)"):
        adjudge.predict("fails_at_once:guess", data)


def test_a_folder_that_cannot_be_made_is_told(code: str, data: Dataset) -> None:
    with pytest.raises(InputError, match=r"results cannot be kept in .*code\.py.runs"):
        adjudge.predict(f"{code}:parity", data, cache=f"{code}/runs")


def test_only_an_empty_folder_of_our_own_is_taken_away(code: str, data: Dataset, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    for name, stays in (("theirs", True), ("ours", False)):
        with pytest.raises(InputError, match="no_such"):
            adjudge.predict(f"{code}:no_such", data, cache=tmp_path / name)
        assert (tmp_path / name).exists() == stays


def test_results_carry_where_they_come_from(code: str, data: Dataset, tmp_path: Path) -> None:
    found = adjudge.predict(f"{code}:parity", data, cache=tmp_path / "runs")
    adjudge.write_predicted(found, tmp_path / "pool.npz")
    with np.load(tmp_path / "pool.npz") as stored:
        origins = json.loads(str(stored["origins"]))
    assert origins["parity"]["data"] == data.digest
    assert {"adjudge", "numpy"} <= set(origins["parity"]["versions"])
    assert len(origins["parity"]["model"]) == 64


def test_a_transform_is_applied_to_raw_rows(code: str, data: Dataset) -> None:
    moved = data.transformed(lambda rows, first: rows + 1, "moved")
    assert pool_of(f"{code}:parity", data=moved).values.tolist() == [[1, 0] * 5]


def test_predictions_made_elsewhere_pass_through(code: str, data: Dataset, tmp_path: Path) -> None:
    file = tmp_path / "old.csv"
    file.write_text("sample_id,tree,rule\n" + "".join(f"{name},1,0\n" for name in "jihgfedcba"))
    pool = pool_of(f"{code}:parity", str(file), data=data)
    assert pool.models == ("parity", "tree", "rule")
    assert pool.values[1:].tolist() == [[1] * 10, [0] * 10]
    file.write_text("sample_id,tree\na,1\n")
    with pytest.warns(AdjudgeWarning, match=r"old.csv has no predictions for 9 of the 10 samples, 'b' among them"):
        assert pool_of(f"{code}:parity", str(file), data=data).models == ("parity",)


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
