"""A small log of labels, and how tests write and compare such files."""

from dataclasses import fields
from math import nan
from pathlib import Path

import numpy as np

from adjudge.core.index import as_index, fingerprint
from adjudge.core.labels import SKIP, Labels, Pick, RunHeader
from adjudge.core.predictions import Predictions
from adjudge.io import write_labels

POOL = Predictions(np.array([[0, 1, 0, 1, 2]]), ("a",), as_index(["s1", "s2", "s3", "s4", "s5"]), ("1", "3", "x, y"))
NUMBERS = Predictions(np.array([[0.5, 1.0, 2.0]]), ("a",), as_index(["s1", "s2", "s3"]), None)
HEADER = RunHeader(
    "css", {"features": "last layer, flat", "k": "3"}, 7, fingerprint(POOL.samples), "0.1.0", ("a", "b, c")
)
LOG = (
    Labels.empty(5, HEADER)
    .add(Pick(3, weight=0.1 + 0.2, seen=0, stratum=0), 1)
    .add(Pick(0, weight=1 / 3, seen=1, stratum=2), SKIP)
    .add(Pick(4, weight=nan), 2)
    .hand_out(Pick(1, weight=2.0, seen=3, stratum=2, max_weight=2.5))
)


def same_log(one: Labels, other: Labels) -> None:
    for each in fields(Labels):
        if each.name == "names":
            continue
        if each.name in ("pool", "header"):
            assert getattr(one, each.name) == getattr(other, each.name)
        else:
            np.testing.assert_array_equal(getattr(one, each.name), getattr(other, each.name))


def written(path: Path) -> str:
    write_labels(LOG, POOL, path)
    return path.read_text()


def listed(folder: Path, rows: str) -> Path:
    path = folder / "labels.csv"
    path.write_text("sample_id,label\n" + rows)
    return path
