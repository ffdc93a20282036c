"""Trees of scikit-learn whose nodes point where there is nothing: read on, such a file would end the process.

scikit-learn follows the children and the columns that a node names without a look at their range, and nothing checks
them when a file is opened.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import InputError

LEAF = -1  # in place of a child


class Nodes(NamedTuple):
    """The inner nodes of a tree: their own numbers, those of their children, and the columns that they look at."""

    own: Array
    left: Array
    right: Array
    column: Array


def check_trees(model: Any) -> None:
    """Refuse an estimator with a tree whose nodes lead back, or beyond its nodes, columns or sets of categories."""
    from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
    from sklearn.tree._tree import Tree

    for found, columns in _parts(model, (Tree, TreePredictor)):
        nodes, count = _of_predictor(found) if isinstance(found, TreePredictor) else _of_tree(found)
        inside = all(((child > nodes.own) & (child < count)).all() for child in (nodes.left, nodes.right))
        if not inside or ((nodes.column < 0) | (nodes.column >= columns)).any():
            raise InputError(
                "it has a tree whose nodes point beyond it, so that it is damaged or made to do harm; save it again, "
                "or say --trust (trust=True in Python)"
            )


def _of_tree(tree: Any) -> tuple[Nodes, int]:
    own = np.flatnonzero(tree.children_left != LEAF)
    return Nodes(own, *(each[own] for each in (tree.children_left, tree.children_right, tree.feature))), tree.node_count


def _of_predictor(predictor: Any) -> tuple[Nodes, int]:
    """Nodes of gradient boosting by histograms; one whose set of categories is not there gets no column."""
    own = np.flatnonzero(predictor.nodes["is_leaf"] == 0)
    inner = predictor.nodes[own]
    left, right, column = (inner[name].astype(np.int64) for name in ("left", "right", "feature_idx"))
    lacking = (inner["is_categorical"] != 0) & (inner["bitset_idx"] >= len(predictor.raw_left_cat_bitsets))
    return Nodes(own, left, right, np.where(lacking, -1, column)), len(predictor.nodes)


def _parts(model: Any, kinds: tuple[type, ...]) -> Iterator[tuple[Any, float]]:
    """Objects of some kinds anywhere in an estimator, with the fewest columns that those around them take."""
    seen: set[int] = set()
    left: list[tuple[Any, float]] = [(model, np.inf)]
    while left:
        value, columns = left.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, kinds):
            yield value, columns
        elif isinstance(value, dict):
            left += [(each, columns) for each in value.values()]
        elif isinstance(value, list | tuple):
            left += [(each, columns) for each in value]
        elif isinstance(value, np.ndarray):
            left += [(each, columns) for each in value.ravel().tolist()] if value.dtype == object else []
        elif type(value).__module__.startswith("sklearn."):
            inside = getattr(value, "__dict__", {})
            columns = min(columns, inside.get("n_features_in_", np.inf))
            left += [(each, columns) for each in inside.values()]
