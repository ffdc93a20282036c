"""Tables of errors."""

import numpy as np

from adjudge.experiments.papers.ces_2019_errors import (
    Errors,
    efficiency,
)
from adjudge.experiments.papers.ces_2019_tables import with_error


def test_one_run_has_no_standard_error() -> None:
    random = Errors((35, 40), np.ones((30, 2)))
    found = efficiency(Errors((35, 40), np.ones((1, 2))), random)
    assert found is not None
    assert with_error(found).text == "1.000 ±?"
    assert with_error(efficiency(random, random)).text == "1.000 ±.00"
