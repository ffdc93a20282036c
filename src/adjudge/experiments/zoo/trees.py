"""Decision trees and forests as ONNX files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.core.arrays import Array
from adjudge.experiments.zoo.graphs import INPUT, OUTPUT, save, tools

LANGUAGE = "ai.onnx.ml"  # the set of operations that has trees
VERSION = 3


def write_trees(trees: Sequence[Any], classes: Array, side: int, path: Path) -> None:
    """Write trees of scikit-learn whose shares of the classes are averaged; they take images as rows of pixels."""
    helper, _ = tools()
    columns = _columns([each.tree_ for each in trees])
    node = helper.make_node(
        "TreeEnsembleClassifier",
        [INPUT],
        ["label", OUTPUT],
        domain=LANGUAGE,
        classlabels_int64s=classes.tolist(),
        post_transform="NONE",
        **{name: each.tolist() for name, each in columns.items() if name != "nodes_modes"},
        nodes_modes=["LEAF" if leaf else "BRANCH_LEQ" for leaf in columns["nodes_modes"]],
    )
    floats, whole = helper.TensorProto.FLOAT, helper.TensorProto.INT64
    graph = helper.make_graph(
        [node],
        "trees",
        [helper.make_tensor_value_info(INPUT, floats, ["samples", side * side])],
        [
            helper.make_tensor_value_info("label", whole, ["samples"]),
            helper.make_tensor_value_info(OUTPUT, floats, ["samples", len(classes)]),
        ],
    )
    save(graph, path, (LANGUAGE, VERSION))


def _columns(trees: Sequence[Any]) -> dict[str, Array]:
    """One list for each fact about nodes, of all trees one after the other; likewise for the leaves' shares."""
    tree = np.concatenate([np.full(each.node_count, place) for place, each in enumerate(trees)])
    node = np.concatenate([np.arange(each.node_count) for each in trees])
    left, right, feature, bound = (
        np.concatenate([getattr(each, name) for each in trees])
        for name in ("children_left", "children_right", "feature", "threshold")
    )
    leaf = left < 0
    shares = np.concatenate([each.value[:, 0] / each.value[:, 0].sum(axis=1, keepdims=True) for each in trees])[leaf]
    owner, given = np.nonzero(shares)
    exact = bound.astype(np.float32)
    exact = np.where(exact > bound, np.nextafter(exact, np.float32(-np.inf)), exact)  # pixels are 32-bit floats too
    return {
        "nodes_modes": leaf,
        "nodes_treeids": tree,
        "nodes_nodeids": node,
        "nodes_featureids": np.where(leaf, 0, feature),
        "nodes_values": np.where(leaf, 0, exact),
        "nodes_truenodeids": np.where(leaf, 0, left),
        "nodes_falsenodeids": np.where(leaf, 0, right),
        "class_treeids": tree[leaf][owner],
        "class_nodeids": node[leaf][owner],
        "class_ids": given,
        "class_weights": shares[owner, given] / len(trees),
    }
