"""Scores of judges, in each form that they come in."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.io import read, read_judge

ANSWERS = "sample_id,a,b\ns1,yes,no\ns2,no,no\ns3,yes,\n"


@pytest.fixture
def pool(tmp_path: Path) -> Predictions:
    (tmp_path / "answers.csv").write_text(ANSWERS)
    return read(tmp_path / "answers.csv")


@pytest.mark.parametrize(
    ("rows", "scores"),
    [
        ("sample_id,label\ns3,yes\ns1,yes\n", [[1, np.nan, 1], [0, np.nan, np.nan]]),
        ("sample_id,model,score\ns1,a,4\ns1,b,2\ns2,b,3\n", [[4, np.nan, np.nan], [2, 3, np.nan]]),
        ("sample_id,b,a\ns2,3,5\ns1,1,2\n", [[2, 5, np.nan], [1, 3, np.nan]]),
        ("sample_id,answer,score\ns1,no,1\ns1,yes,5\ns2,no,2\n", [[5, 2, np.nan], [1, 2, np.nan]]),
    ],
)
def test_scores_are_found_by_the_names_of_samples_and_models(
    tmp_path: Path, pool: Predictions, rows: str, scores: list[list[float]]
) -> None:
    (tmp_path / "cheap.csv").write_text(rows)
    found = read_judge(tmp_path / "cheap.csv", pool).judges
    assert list(found) == ["cheap"]
    assert np.array_equal(found["cheap"], scores, equal_nan=True)


def test_what_cannot_be_is_one_sentence(tmp_path: Path, pool: Predictions) -> None:
    for rows, sentence in (
        ("sample_id,label\ns1,yes\ns1,no\n", "'s1' has more than one label in cheap.csv"),
        ("sample_id,score\ns1,4\n", "says nothing about models"),
        ("sample_id,model,points\ns1,a,4\n", "has no column 'score' but 'sample_id', 'model', 'points'"),
    ):
        (tmp_path / "cheap.csv").write_text(rows)
        with pytest.raises(InputError, match=sentence):
            read_judge(tmp_path / "cheap.csv", pool)
    (tmp_path / "cheap.csv").write_text("sample_id,label\ns1,yes\n")
    judged = read_judge(tmp_path / "cheap.csv", pool)
    with pytest.raises(InputError, match="two judges are named 'cheap'"):
        read_judge(tmp_path / "cheap.csv", judged)
