"""The real tasks, where they are at hand."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.io import read, read_truth, write_predictions
from tests.support.pools import Task


@pytest.mark.parametrize(
    ("name", "shape", "classes", "best"),
    [
        ("pacs", (30, 9991), 7, 0.943),
        ("emotion_detection", (8, 5509), 4, 0.923),
        ("glue_cola", (109, 1043), 2, 0.869),
        ("mnist_ces", (6, 10000), 10, 0.987),
    ],
)
def test_real_task_of_classes(
    task: Task, name: str, shape: tuple[int, int], classes: int, best: float, tmp_path: Path
) -> None:
    path = task(name)
    pool, truth = read_truth(path, read(path))
    assert pool.values.shape == shape
    assert pool.classes is not None
    assert len(pool.classes) == classes
    assert pool.values.dtype == np.int8
    assert (pool.values == truth).mean(axis=1).max() == pytest.approx(best, abs=0.0006)
    plain = read(path, classes=pool.classes)
    if pool.probabilities is None:
        for suffix in ("csv", "parquet"):
            write_predictions(pool, tmp_path / f"again.{suffix}")
            again = read(tmp_path / f"again.{suffix}")
            np.testing.assert_array_equal(again.values, plain.values)
            assert (again.models, again.classes) == (pool.models, pool.classes)


def test_real_task_of_numbers(task: Task) -> None:
    path = task("driving_dave")
    pool, truth = read_truth(path, read(path))
    assert pool.classes is None
    score = 1 - ((pool.values - truth) ** 2).mean(axis=1)
    assert score == pytest.approx([0.9034, 0.9182], abs=0.0001)


def test_real_task_with_probabilities(task: Task) -> None:
    pool = read(task("fashion_sds9"))
    assert pool.probabilities is not None
    assert (pool.probabilities.argmax(axis=2) == pool.values).mean() > 0.999
