"""Any layer's values can be taken for features: by its name, or counted from the end."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.errors import AdjudgeWarning, InputError
from tests.support import tiny_models as tiny
from tests.support.commands import adjudge as adjudge_command
from tests.support.layers import features, run
from tests.support.tiny_models import Tiny

QUIET = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")
NAMED_NET = """
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(64, 5)
        self.active = torch.nn.ReLU(inplace=True)
        self.linear = torch.nn.Linear(5, 4)
        self.spare = torch.nn.Linear(4, 4)

    def forward(self, images):
        return self.linear(self.active(self.first(images.flatten(1))))


def build():
    torch.manual_seed(0)
    return Net().eval()
"""


@QUIET
def test_layers_of_an_exported_program(tmp_path: Path) -> None:
    made = tiny.exported(tmp_path)
    net, inputs = tiny.torch_net(), tiny.torch_inputs()
    for layer, parts in ((-1, 7), (-2, 6), (-7, 1), ("conv2d", 1), ("relu_1", 5), ("3", 4)):
        expected = net[:parts](inputs).detach().numpy().reshape(50, -1)
        np.testing.assert_allclose(features(made, layer), expected, atol=1e-5)
    with pytest.raises(InputError, match=r"there is no layer 'conv3d'; did you mean 'conv2d'"):
        run(made, "conv3d")
    with pytest.raises(
        InputError, match=r"there is no layer -8; the 7 layers are -7 \('conv2d'\) to -1 \('linear_1'\)"
    ):
        run(made, -8)


def test_layers_of_a_built_module(tmp_path: Path) -> None:
    made = tiny.built(tmp_path)
    net, inputs = tiny.torch_net(), tiny.torch_inputs()
    for layer, parts in ((-1, 7), (-2, 6), (-7, 1), ("0", 1), ("4", 5)):
        expected = net[:parts](inputs).detach().numpy().reshape(50, -1)
        np.testing.assert_allclose(features(made, layer), expected, atol=1e-5)
    with pytest.raises(InputError, match=r"there is no layer 'conv'; the last are 2, 3, 4, 5, 6"):
        run(made, "conv")


@QUIET
def test_what_comes_later_does_not_change_a_layer_of_pytorch(tmp_path: Path) -> None:
    """An activation in place overwrites what the layer before it gave."""
    torch = tiny.need("torch", "torch")
    from safetensors.torch import save_file

    space: dict[str, Any] = {}
    exec(NAMED_NET, space)
    net = space["build"]()
    (tmp_path / "net.py").write_text(NAMED_NET)
    save_file(net.state_dict(), tmp_path / "net.safetensors")
    torch.export.save(
        torch.export.export(net, (torch.zeros(2, 1, 8, 8),), dynamic_shapes=({0: torch.export.Dim("batch")},)),
        tmp_path / "net.pt2",
    )
    expected = net.first(tiny.torch_inputs().flatten(1)).detach().numpy()
    assert expected.min() < 0
    for path in (f"{tmp_path / 'net.py'}:build", str(tmp_path / "net.pt2")):
        made = Tiny(path, expected, None)
        np.testing.assert_allclose(features(made, "first"), expected, atol=1e-5)
        np.testing.assert_allclose(features(made, "active"), np.maximum(expected, 0), atol=1e-5)
    exported = Tiny(str(tmp_path / "net.pt2"), expected, None)  # where the node of `first` is called linear
    assert features(exported, "linear").shape == (50, 4)
    np.testing.assert_allclose(features(exported, -3), expected, atol=1e-5)
    with pytest.raises(InputError, match="the layer 'spare' was not used when the model ran; name another layer"):
        run(Tiny(f"{tmp_path / 'net.py'}:build", expected, None), "spare")


def test_the_settings_say_what_last_means_and_other_words_win(tmp_path: Path) -> None:
    made = tiny.onnx_graph(tmp_path / "net.onnx")
    (tmp_path / "net.toml").write_text("layer = -2\n")
    assert made.features is not None
    np.testing.assert_array_equal(features(made, "last"), features(made, "scores"))
    np.testing.assert_allclose(features(made, "units"), made.features, atol=1e-5)
    (tmp_path / "net.toml").write_text("layer = 3\n")
    with pytest.raises(InputError, match=r"layer = 3 cannot be used; give a name, or a number from the end such as -2"):
        run(made, "last")


def test_another_layer_is_not_taken_from_what_is_kept(tmp_path: Path) -> None:
    made = tiny.onnx_graph(tmp_path / "net.onnx")
    shapes = []
    for layer in ("last", "scores", -5, "scores"):
        found = run(made, layer, cache=tmp_path / "runs")
        shapes.append((found.features["net"].shape[1], found.reused))
    assert shapes == [(tiny.UNITS, ()), (tiny.CLASSES, ()), (64, ()), (tiny.CLASSES, ("net",))]
    assert found.origins["net"]["settings"]["layer"] == "scores"


@pytest.mark.parametrize("wrong", [0, 2, "", 1.5])
def test_a_layer_is_a_name_or_counted_from_the_end(wrong: Any) -> None:
    with pytest.raises(
        InputError, match=r"features = .* is not a layer; give 'last', a name, or a number from the end"
    ):
        adjudge.predict("numpy:signbit", np.arange(3.0), features=wrong)


def test_models_without_such_layers_are_run_without_features(tmp_path: Path) -> None:
    made = tiny.network(tmp_path)
    with pytest.warns(
        AdjudgeWarning, match="net gives no features: of a scikit-learn model only the last hidden layer"
    ):
        assert not run(made, -3).features
    pool = adjudge.predict(made.path, tiny.images(), features=True)
    adjudge.write_predicted(pool, tmp_path / "pool.npz")
    with pytest.warns(AdjudgeWarning, match="net gives no features: which layer the stored ones come from"):
        found = adjudge.predict(tmp_path / "pool.npz", tiny.images(), features="conv")
    assert not found.features
    assert adjudge.predict(tmp_path / "pool.npz", tiny.images(), features="last").features
    assert not adjudge.predict(tmp_path / "pool.npz", tiny.images(), features=None).features


def test_from_a_model_to_footnote_4_of_ces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = tiny.onnx_graph(tmp_path / "net.onnx")
    np.save(tmp_path / "images.npy", tiny.images())
    np.save(tmp_path / "labels.npy", np.arange(50) % tiny.CLASSES)
    words = ("--data", "images.npy", "--labels", "labels.npy", "--probabilities", "--features")
    for layer, out in (("last", "mine.npz"), ("-2", "mine@scores.npz")):
        done = adjudge_command("predict", made.path, *words, layer, "--out", out)
        assert done.returncode == 0, done.stderr
    tasks = ("--task", "mine.npz", "--task", "mine@scores.npz")
    done = adjudge_command("bench", "ces-2019", *tasks, "--repetitions", 2, "--out", "ces")
    assert done.returncode == 0, done.stderr
    header, _, row = (tmp_path / "ces" / "footnote-4.md").read_text().strip().splitlines()[2:5]
    assert [each.strip() for each in header.strip("|").split("|")] == ["task", "model", "last hidden", "scores"]
    assert "-" not in [each.strip() for each in row.strip("|").split("|")]
