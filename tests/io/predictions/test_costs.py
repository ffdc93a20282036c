from pathlib import Path

import numpy as np
import pytest

from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.io import read_costs

POOL = Predictions(np.array([[0, 1]]), ("a",), range(2), ("cat", "dog"))


def stored(folder: Path, text: str) -> Path:
    path = folder / "costs.csv"
    path.write_text(text)
    return path


def test_costs_come_in_the_order_of_the_classes(tmp_path: Path) -> None:
    path = stored(tmp_path, "true,dog,cat\ndog,0,10\ncat,1.5,0\n")
    assert read_costs(path, POOL).tolist() == [[0, 1.5], [10, 0]]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("true,dog,bird\ndog,0,10\ncat,1,0\n", "costs.csv: the columns are 'dog', 'bird', but the classes"),
        ("true,dog,cat\ndog,0,10\n", "the rows are 'dog', but the classes are 'cat', 'dog'"),
        ("true,dog,cat\n" + "".join(f"row {n},0,1\n" for n in range(99)), "'row 9' and 89 more, but the"),
        ("true,dog,cat\ndog,0,10\ncat,,0\n", "a cost is blank"),
        ("true,dog,cat\ndog,0,much\ncat,1,0\n", "the cost of saying 'cat', 'much' of sample 'dog'"),
    ],
)
def test_costs_that_do_not_fit_are_refused(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read_costs(stored(tmp_path, text), POOL)


def test_numbers_have_no_table_of_costs(tmp_path: Path) -> None:
    pool = Predictions(np.array([[0.5, 1]]), ("a",), range(2), None)
    with pytest.raises(InputError, match="costs are for classes"):
        read_costs(stored(tmp_path, "true,dog,cat\n"), pool)
