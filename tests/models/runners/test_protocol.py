"""What cannot be run is told in one sentence."""

import sys
from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge.errors import InputError
from adjudge.models.datasets import resized
from tests.support import tiny_models as tiny

LIBRARY = {
    ".h5": ("h5py", "keras"),
    ".keras": ("keras", "keras"),
    ".onnx": ("onnxruntime", "onnx"),
    ".pt2": ("torch", "torch"),
    ".pt": ("torch", "torch"),
    ".skops": ("skops", "sklearn"),
    ".joblib": ("sklearn", "sklearn"),
}


@pytest.mark.parametrize("suffix", LIBRARY)
def test_a_corrupt_file_is_named(tmp_path: Path, suffix: str) -> None:
    tiny.need(*LIBRARY[suffix])
    file = tmp_path / f"net{suffix}"
    for content in (b"", b"this is no model", bytes(range(256)) * 20):
        file.write_bytes(content)
        with pytest.raises(InputError, match=rf"net\{suffix}"):
            adjudge.predict(file, tiny.images(), trust=True)


@pytest.mark.parametrize("suffix", [".onnx", ".pt2", ".keras", ".safetensors"])
def test_a_file_that_was_cut_short_is_named(tmp_path: Path, suffix: str) -> None:
    make = {
        ".onnx": lambda: tiny.onnx_graph(tmp_path / "net.onnx"),
        ".pt2": lambda: tiny.exported(tmp_path),
        ".keras": lambda: tiny.keras_file(tmp_path / "net.keras"),
        ".safetensors": lambda: tiny.built(tmp_path),
    }
    made = make[suffix]()
    file = tmp_path / f"net{suffix}"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(InputError, match=rf"net\{suffix}.*cannot be read"):
        adjudge.predict(made.path, tiny.images(), trust=True)


@pytest.mark.parametrize("suffix", LIBRARY)
def test_a_missing_library_names_the_command_that_installs_it(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, extra = LIBRARY[suffix]
    for name in [each for each in sys.modules if each.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    (tmp_path / f"net{suffix}").write_bytes(b"x")
    with pytest.raises(InputError, match=rf'which is not installed; run: pip install "adjudge\[{extra}\]"'):
        adjudge.predict(tmp_path / f"net{suffix}", tiny.images(), trust=True)


def test_a_side_file_that_did_not_travel_is_told(tmp_path: Path) -> None:
    made = tiny.onnx_graph(tmp_path / "net.onnx", side_file=True)
    (tmp_path / "weights.bin").unlink()
    for features in (False, True):
        with pytest.raises(InputError, match=r"net\.onnx.*side file of weights may not lie next to it"):
            adjudge.predict(made.path, tiny.images(), features=features)


def test_a_side_file_that_changed_is_noticed(tmp_path: Path) -> None:
    made = tiny.onnx_graph(tmp_path / "net.onnx", side_file=True)
    assert not adjudge.predict(made.path, tiny.images(), cache=tmp_path / "runs").reused
    weights = tmp_path / "weights.bin"
    weights.write_bytes(weights.read_bytes()[::-1])
    assert not adjudge.predict(made.path, tiny.images(), cache=tmp_path / "runs").reused


def test_a_wrong_shape_says_both_shapes(tmp_path: Path) -> None:
    made = tiny.onnx_graph(tmp_path / "net.onnx")
    with pytest.raises(InputError, match=r"net.onnx: the model takes samples of 1 x 8 x 8 but the data has 5 x 5 x 1"):
        adjudge.predict(made.path, np.zeros((3, 5, 5), np.uint8))


@pytest.mark.parametrize("name", ["net.pt2", "net.pt"])
def test_a_program_of_torch_is_not_opened_unasked(tmp_path: Path, name: str) -> None:
    tiny.need("torch", "torch")
    (tmp_path / name).write_bytes(b"PK")
    with pytest.raises(InputError, match=r"can run any code when it is opened.*--trust.*as ONNX or safetensors"):
        adjudge.predict(tmp_path / name, tiny.images())


def test_code_that_a_toml_names_is_not_run_unasked(tmp_path: Path) -> None:
    tiny.built(tmp_path)
    weights = tmp_path / "net.safetensors"
    with pytest.raises(InputError, match=r'say build = "module.py:function" in its TOML'):
        adjudge.predict(weights, tiny.images())
    (tmp_path / "net.toml").write_text('build = "net.py:build"\n')
    with pytest.raises(InputError, match="names code that would be run; allow that with --trust"):
        adjudge.predict(weights, tiny.images())
    assert adjudge.predict(weights, tiny.images(), trust=True).predictions.values.shape == (1, 50)


def test_images_are_resized_when_the_settings_say_so(tmp_path: Path) -> None:
    tiny.need("PIL", "images")
    made = tiny.onnx_graph(tmp_path / "net.onnx")
    (tmp_path / "net.toml").write_text("size = [8, 8]")
    large = np.repeat(tiny.images(), 2, axis=1).repeat(2, axis=2)
    found = adjudge.predict(made.path, large, probabilities=True).predictions
    same = adjudge.predict(made.path, resized(large, (8, 8)), probabilities=True).predictions
    np.testing.assert_array_equal(found.probabilities, same.probabilities)
