"""What a comparison says besides its interval, and which claims it refuses."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.core.labels import SKIP, Labels, Pick
from adjudge.errors import AdjudgeWarning, InputError, LabelsError, NotEnoughLabels
from tests.support.compared import SAMPLES, Pool, uniform


def test_skips_leave_possible_what_open_samples_can_change(pool: Pool) -> None:
    """Also where one cannot say how many of the open samples can be labeled."""
    made, truth = pool
    differ = np.flatnonzero(made.values[4] != made.values[1])
    skips, labeled = differ[:3], differ[3:]
    known = Labels.known(SAMPLES, labeled[:-2], truth[labeled[:-2]].astype(float))
    for sample in skips.tolist():
        known = known.add(Pick(sample), SKIP)
    rest = np.setdiff1d(np.arange(SAMPLES), differ)
    right = (made.values == truth).astype(int)
    gain = int((right[4] - right[1])[labeled].sum())
    for last in (1, 2):  # samples on which they differ that were drawn, of two
        log = known
        for sample in labeled[-2 : -2 + last if last < 2 else None].tolist():
            log = log.add(Pick(sample, 1.0, len(log)), int(truth[sample]))
        with pytest.warns(AdjudgeWarning, match="3 samples could not be labeled"):
            found = adjudge.compare(made, "model 4", "model 1", log)
        assert found.low - 1e-9 <= gain / (SAMPLES - 3) <= gain / len(labeled) <= found.high + 1e-9
        assert found.low > 0
        assert found.a_better_share + found.b_better_share <= len(labeled) / (len(labeled) - 2 + last)
    assert found.low == pytest.approx(gain / (len(labeled) + len(rest)))
    assert found.high == pytest.approx(gain / len(labeled))


def test_what_cannot_be_answered_is_refused(pool: Pool) -> None:
    made, truth = pool
    log = uniform(truth, 10, np.random.default_rng(0))
    chosen = replace(log, weight=np.full(10, np.nan))
    with pytest.raises(LabelsError, match="how these labels were chosen is not known"):
        adjudge.compare(made, "model 4", "model 1", chosen)
    with pytest.raises(NotEnoughLabels, match="none of the 300 samples has a label"):
        adjudge.compare(made, "model 4", "model 1", Labels.empty(SAMPLES))
    slips: tuple[tuple[dict[str, Any], str], ...] = (
        ({"margin": -0.1}, "from 0 up"),
        ({"test": "non-inferior", "margin": 5.0}, "since no difference in accuracy is above 1; .* may be 0.05"),
        ({"test": "equivalent", "margin": 1.0}, "may be 0.01"),
        ({"margin": 7.0, "loss": adjudge.Cost(5 - 5 * np.eye(3))}, "in cost is above 5; give a smaller one"),
        ({"test": "better"}, "superior, non-inferior, equivalent"),
        ({"test": "equivalent"}, "needs a margin above zero"),
        ({"level": 95.0}, "between 0.5 and 1"),
    )
    for wrong, sentence in slips:
        with pytest.raises(InputError, match=sentence):
            adjudge.compare(made, "model 4", "model 1", log, **wrong)
    with pytest.raises(InputError, match="compared with itself"):
        adjudge.compare(made, "model 4", "model 4", log)
