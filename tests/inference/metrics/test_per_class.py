"""What metrics are for a single class: from counts, and from a log with all labels."""

from collections.abc import Callable

import numpy as np
import pytest
from sklearn import metrics as reference

from adjudge.core.arrays import Array
from adjudge.inference.metrics.per_class import PRECISION, RECALL, SPECIFICITY, Counts, LabeledRows, PerClass, f_beta
from tests.support.pools import pool_of, uniform_log

RNG = np.random.default_rng(2)
TRUTH, VALUES = RNG.integers(0, 3, 50), RNG.integers(0, 3, (4, 50))


@pytest.mark.parametrize(("metric", "value"), [(RECALL, 6 / 10), (PRECISION, 6 / 8), (SPECIFICITY, 88 / 90)])
def test_counts_make_a_metric(metric: PerClass, value: float) -> None:
    counts = Counts(*(np.array([each]) for each in (6, 10, 8, 100)))
    assert metric.counted(counts) == pytest.approx([value])


def test_a_class_that_is_never_predicted_has_no_precision() -> None:
    nothing = Counts(*(np.array([each]) for each in (0, 10, 0, 100)))
    assert PRECISION.counted(nothing).tolist() == [0.0]


@pytest.mark.parametrize("code", range(3))
def test_all_labels_leave_no_width(code: int) -> None:
    pool, log, true = pool_of(VALUES), uniform_log(TRUTH, np.arange(50)), code == TRUTH
    each: list[tuple[PerClass, Callable[[Array], float]]] = [
        (RECALL, lambda row: float(reference.recall_score(true, row == code))),
        (PRECISION, lambda row: float(reference.precision_score(true, row == code))),
        (f_beta(2), lambda row: float(reference.fbeta_score(true, row == code, beta=2))),
    ]
    for metric, expected in each:
        found = metric.drawn(pool, log, LabeledRows.of(pool, log), code, 0.95)
        assert found.value == pytest.approx([expected(row) for row in VALUES])
        assert found.high == pytest.approx(found.low)
