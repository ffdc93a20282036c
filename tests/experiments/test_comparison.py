"""A comparison of methods on tasks of both kinds."""

from pathlib import Path

from adjudge.experiments.comparison import Entry, MethodComparison
from adjudge.experiments.jobs import RunSettings
from adjudge.experiments.outputs import Grid
from adjudge.experiments.run import run
from adjudge.experiments.tasks import load
from tests.support.small_tasks import write_regression, write_task


def test_a_comparison_of_tasks_of_both_kinds(tmp_path: Path) -> None:
    """A regression has no vote: what needs one is missing there, and only there."""
    paths = {"numbers": write_regression(tmp_path / "numbers.npz"), "small": write_task(tmp_path / "small.npz")}
    tasks = [load(path) for path in paths.values()]
    made = MethodComparison(
        (Entry("SRS", "random"), Entry("SDS", "sds"), Entry("CES", "ces")), (40,), ("spearman",), "SRS"
    )
    results = run(made.jobs(tasks, RunSettings(2)), paths, tmp_path / "out", 1)
    table, _, times = made.outputs(tasks, results)
    assert isinstance(table, Grid)
    assert isinstance(times, Grid)
    assert [each.text == "-" for each in table.rows[0][2:]] == [False, True, True]
    assert [each.text == "-" for each in table.rows[3][2:]] == [False, False, False]
    assert [each.text == "-" for each in times.rows[0]] == [False, False, True, True]
