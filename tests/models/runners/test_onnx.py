"""Models of ONNX."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.errors import InputError
from tests.support import tiny_models as tiny
from tests.support.layers import features, run


def test_layers_of_onnx(tmp_path: Path) -> None:
    made = tiny.onnx_graph(tmp_path / "net.onnx")
    units = made.features
    assert units is not None
    np.testing.assert_allclose(features(made, -1), made.probabilities, atol=1e-5)
    np.testing.assert_allclose(features(made, "output"), made.probabilities, atol=1e-5)
    np.testing.assert_allclose(features(made, -2), units @ tiny.weights()["last"], atol=1e-4)
    np.testing.assert_allclose(features(made, "units"), units, atol=1e-5)
    np.testing.assert_allclose(features(made, -3), units, atol=1e-5)
    assert features(made, -5).shape == (50, 64)
    found = run(made, -1, probabilities=True).predictions.probabilities
    assert found is not None
    np.testing.assert_allclose(found[0], made.probabilities, atol=1e-5)
    with pytest.raises(InputError, match=r"there is no layer 'unit'; did you mean 'units'\?"):
        run(made, "unit")
    with pytest.raises(InputError, match=r"there is no layer 'zzz'; the last are flat, summed, units, scores, output"):
        run(made, "zzz")
    with pytest.raises(InputError, match=r"there is no layer -6; the 5 layers are -5 \('flat'\) to -1 \('output'\)"):
        run(made, -6)


def test_a_node_of_onnx_has_a_name_and_constants_do_not_count(tmp_path: Path) -> None:
    made = tiny.onnx_graph(tmp_path / "net.onnx")
    onnx = tiny.need("onnx", "onnx")
    model = onnx.load(made.path)
    model.graph.node[2].name = "/active/Relu"
    one = onnx.numpy_helper.from_array(np.float32(1), "one")
    model.graph.node.insert(4, onnx.helper.make_node("Constant", [], ["one"], value=one))
    model.graph.node.insert(5, onnx.helper.make_node("Shape", ["scores"], ["size"]))
    onnx.save(model, made.path)
    assert made.features is not None
    np.testing.assert_allclose(features(made, "/active/Relu"), made.features, atol=1e-5)
    np.testing.assert_allclose(features(made, -4), made.features, atol=1e-5)
    with pytest.raises(InputError, match="the layer gave 2 values for 16 samples; name another layer"):
        run(made, "size")
