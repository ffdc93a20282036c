"""Tables of comparisons: who wins."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.experiments.tables import comparison_grid, vote_match
from adjudge.experiments.tasks import Task
from adjudge.io import read
from tests.support.method_runs import runs


def test_a_comparison_says_who_wins() -> None:
    rng = np.random.default_rng(0)
    strong, weak = 0.9 + rng.normal(0, 0.01, (20, 2)), 0.5 + rng.normal(0, 0.01, (20, 2))
    rankings = {
        ("t", "ours"): runs(strong),
        ("t", "weak"): runs(weak),
        ("t", "same"): runs(strong[::-1]),
        ("t", "short"): runs(weak[:, :1], (10,)),
    }
    grid = comparison_grid("n", "T", rankings, ["t", "u"], ["weak", "same", "short", "gone", "ours"], (10, 20), "ours")
    texts = [[each.text for each in row] for row in grid.rows]
    assert [row[:2] for row in texts] == [["t", "10"], ["t", "20"], ["t", "average"], ["t", "W/T/L"], ["u", "-"]]
    assert texts[3][2:] == ["2/0/0", "0/2/0", "1/0/0", "-", "/"]
    assert texts[1][4:6] == ["-", "-"]
    assert texts[2][4:6] == ["-", "-"]  # an average over some of the budgets would not compare
    assert [each.shaded for each in grid.rows[0][2:]] == [True, False, True, False, False]
    assert [each.bold for each in grid.rows[0][2:]] == [False, True, False, False, True]
    assert set(texts[4][1:]) == {"-"}  # a task with nothing is one row


def test_less_regret_wins() -> None:
    rng = np.random.default_rng(0)
    little, much = 0.01 + rng.normal(0, 0.001, (20, 2)), 0.2 + rng.normal(0, 0.001, (20, 2))
    rankings = {("t", "ours"): runs(little), ("t", "other"): runs(much)}
    grid = comparison_grid("n", "T", rankings, ["t"], ["other", "ours"], (10, 20), "ours", lower=True)
    assert [each.bold for each in grid.rows[0][2:]] == [False, True]
    assert [each.shaded for each in grid.rows[0][2:]] == [True, False]
    assert grid.rows[-1][2].text == "2/0/0"


def test_a_tied_vote_is_a_part_of_a_match(tmp_path: Path) -> None:
    predictions = np.array([[0, 0, 1, 2], [0, 1, 0, 1], [1, 2, 0, 0]])
    np.savez(tmp_path / "t.npz", predictions=predictions, labels=np.array([0, 2, 1, -1]), class_names=["a", "b", "c"])
    pool = read(tmp_path / "t.npz")
    task = Task("t", tmp_path / "t.npz", pool, np.array([0, 2, 1, np.nan]))
    assert vote_match(task)[:3].tolist() == [1, pytest.approx(1 / 3), 0]
    assert np.isnan(vote_match(task)[3])
