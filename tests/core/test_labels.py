"""The log of labels: its states, and logs that cannot be."""

import numpy as np
import pytest

from adjudge.core.labels import SKIP, Labels, Pick
from adjudge.errors import LabelsError


def test_the_log_tells_its_states_apart() -> None:
    log = Labels.known(9, [4], [1]).add(Pick(2, 1.0, 1), 0).add(Pick(3, 1.0, 2), SKIP).hand_out(Pick(5, 1.0, 3))
    assert log.usable.tolist() == [True, True, False, False]
    assert log.answered.tolist() == [True, True, True, False]
    assert log.skipped == 1
    assert repr(log) == "Labels(4 of 9 samples: 2 labeled, 1 skipped, 1 pending)"
    assert np.isnan(log.weight[0])


def test_undo_folds_the_last_row_away_and_the_log_itself_never_changes() -> None:
    one = Labels.empty(5).add(Pick(2), 0)
    two = one.add(Pick(3), 1)
    assert len(one) == 1
    assert two.undo().sample.tolist() == [2]
    with pytest.raises(ValueError, match="read-only"):
        two.value[0] = 3


@pytest.mark.parametrize(
    ("samples", "sentence"), [([1, 1], "occurs twice"), ([7], "has sample 7, but the pool has only 5")]
)
def test_impossible_logs_are_refused(samples: list[int], sentence: str) -> None:
    with pytest.raises(LabelsError, match=sentence):
        Labels.known(5, samples, [0.0] * len(samples))


@pytest.mark.parametrize("sample", [-1, 2, 5])
def test_a_row_must_be_of_an_open_sample(sample: int) -> None:
    with pytest.raises(LabelsError, match=f"sample {sample} is not open in a pool of 5"):
        Labels.empty(5).add(Pick(2), 0).add(Pick(sample), 1)
