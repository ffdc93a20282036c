"""Outputs of models."""

from pathlib import Path

import numpy as np

import adjudge
from tests.support import tiny_models as tiny


def test_dictionaries_of_probabilities_name_the_classes(tmp_path: Path) -> None:
    """As scikit-learn's converter writes them: a label and a dictionary for each sample."""
    onnx = tiny.need("onnx", "onnx")
    make = onnx.helper.make_node
    kind = onnx.TensorProto
    graph = onnx.helper.make_graph(
        [
            make("Softmax", ["input"], ["shares"], axis=1),
            make("ArgMax", ["shares"], ["label"], axis=1, keepdims=0),
            make("ZipMap", ["shares"], ["maps"], domain="ai.onnx.ml", classlabels_strings=["cat", "dog", "ox"]),
        ],
        "mapped",
        [onnx.helper.make_tensor_value_info("input", kind.FLOAT, ["batch", 3])],
        [
            onnx.helper.make_tensor_value_info("label", kind.INT64, ["batch"]),
            onnx.helper.make_value_info(
                "maps",
                onnx.helper.make_sequence_type_proto(
                    onnx.helper.make_map_type_proto(kind.STRING, onnx.helper.make_tensor_type_proto(kind.FLOAT, None))
                ),
            ),
        ],
    )
    versions = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("ai.onnx.ml", 3)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=versions, ir_version=9), tmp_path / "net.onnx")
    rows = np.random.default_rng(0).normal(size=(5, 3))
    pool = adjudge.predict(tmp_path / "net.onnx", rows, probabilities=True).predictions
    assert pool.classes == ("cat", "dog", "ox")
    np.testing.assert_array_equal(pool.values[0], rows.argmax(axis=1))
