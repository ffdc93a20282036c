"""Tables and figures: what stands in them, and how they are written."""

import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from adjudge.core.arrays import FloatArray, ranks_by_value
from adjudge.experiments.comparison import Entry, MethodComparison
from adjudge.experiments.curves import average_panels
from adjudge.experiments.jobs import Job, Outcome, RunSettings
from adjudge.experiments.outputs import Cell, Figure, Grid, Line, Panel
from adjudge.experiments.rankings import Runs, best_guide, better_of, rankings_of
from adjudge.experiments.run import run
from adjudge.experiments.tables import comparison_grid, vote_match
from adjudge.experiments.tasks import Task, load
from adjudge.io import read
from adjudge.reports.figures import figure, figure_rows
from adjudge.reports.outputs import NOTHING, comma_separated, latex, markdown, terminal, write_outputs
from tests.support.small_tasks import write_regression, write_task

GRID = Grid(
    "table", "Title", ("task", "a|b"), ((Cell("x_1"), Cell("1", bold=True)), (Cell("x_1"), Cell("2 %", shaded=True)))
)

WIDE = Grid(
    "t-1",
    "T",
    ("task", "CES (best of n, oracle)", "last"),
    ((Cell("fashion_zoo25"), Cell("0.5 ±.1"), Cell("0.5 ±.1")),),
    "Note.",
)


def runs(values: FloatArray | list[list[float]], budgets: tuple[int, ...] = (10, 20)) -> Runs:
    return Runs(budgets, np.asarray(values, dtype=np.float64))


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


def test_a_ranking_that_was_not_there_counts_as_missing_not_as_zero() -> None:
    assert runs([[0.5, np.nan], [0.5, 0.5]]).at(20) is None
    assert runs([[0.5, np.nan], [0.5, 0.5]]).at(30) is None


RIGHT, FAIR, WRONG = [0.4, 0.3, 0.2, 0.1], [0.4, 0.2, 0.3, 0.1], [0.1, 0.2, 0.3, 0.4]


def outcome(values: list[list[list[float]]], name: str = "CES", model: str | None = None) -> Outcome:
    """Four models, the first the best; by repetition and budget."""
    job = Job("t", "", name, "ces", tuple(range(10, 10 + len(values[0]))), len(values), model=model)
    return Outcome(job, ("a", "b", "c", "d"), np.array(RIGHT), np.array(values), ranks_by_value(np.array(values)), 1.0)


def test_one_guide_is_kept_for_all_budgets_the_best_by_its_mean() -> None:
    """In the first repetition the second guide, though the first is perfect once; in the second the other way."""
    first = outcome([[RIGHT, WRONG], [RIGHT, RIGHT]], model="a")
    second = outcome([[FAIR, FAIR], [FAIR, WRONG]], model="b")
    best = best_guide([first, second])
    assert best is not None
    assert best.values.tolist() == [[FAIR, FAIR], [RIGHT, RIGHT]]
    assert best.job.model is None
    assert best.seconds == 2.0
    assert best_guide([first]) is first
    assert best_guide([]) is None


def test_of_two_forms_one_is_kept_for_all_repetitions() -> None:
    """The second is the better one in the second repetition only, but there by more."""
    first = outcome([[RIGHT, RIGHT], [WRONG, WRONG]], "max")
    second = outcome([[FAIR, RIGHT], [FAIR, RIGHT]], "min")
    better = better_of([first, second])
    assert better.values.tolist() == second.values.tolist()
    assert (better.job.name, better.seconds) == ("min", 2.0)
    assert better_of([second, second]).job.name == "min"


def test_the_top_k_of_k_models_is_not_measured() -> None:
    found = {("t", "CES"): outcome([[RIGHT]]), ("t", "other"): outcome([[FAIR]])}
    assert rankings_of(found, ["CES"], "spearman")["t", "CES"].values.tolist() == [[1.0]]
    assert set(rankings_of(found, ["CES"], "jaccard_3")) == {("t", "CES")}
    assert rankings_of(found, ["CES", "other"], "jaccard_4") == {}


def test_averages_are_never_over_different_tasks() -> None:
    rankings = {
        ("t", "a"): runs([[0.2, 0.4]]),
        ("t", "b"): runs([[0.6, 0.8]]),
        ("u", "a"): runs([[0.4, 0.8]]),
        ("short", "a"): runs([[0.0]], (10,)),
        ("short", "b"): runs([[0.0]], (10,)),
    }
    both, common = average_panels("S", rankings, ("a", "b"))
    assert (both.title, [line.label for line in both.lines]) == ("S, 1 task", ["a", "b"])
    assert (common.title, [line.label for line in common.lines]) == ("S, mean of 2 tasks", ["a"])
    assert common.lines[0].y == pytest.approx([0.3, 0.6])
    assert len(average_panels("S", rankings, ("a",))) == 1
    assert average_panels("S", {}, ("a",)) == []


def test_a_tied_vote_is_a_part_of_a_match(tmp_path: Path) -> None:
    predictions = np.array([[0, 0, 1, 2], [0, 1, 0, 1], [1, 2, 0, 0]])
    np.savez(tmp_path / "t.npz", predictions=predictions, labels=np.array([0, 2, 1, -1]), class_names=["a", "b", "c"])
    pool = read(tmp_path / "t.npz")
    task = Task("t", tmp_path / "t.npz", pool, np.array([0, 2, 1, np.nan]))
    assert vote_match(task)[:3].tolist() == [1, pytest.approx(1 / 3), 0]
    assert np.isnan(vote_match(task)[3])


def test_tables_in_every_format() -> None:
    assert markdown(GRID).splitlines()[2:] == ["| task | a|b |", "|---|---|", "| x_1 | **1** |", "| x_1 | *2 %* |"]
    assert "x\\_1 & \\textbf{1} \\\\" in latex(GRID)
    assert "x\\_1 & \\cellcolor[gray]{0.9}2 \\% \\\\" in latex(GRID)
    assert comma_separated(GRID) == "task,a|b\nx_1,1\nx_1,2 %\n"


def screened(grid: Grid, width: int) -> list[str]:
    console = Console(width=width, file=io.StringIO())
    console.print(terminal(grid, console.width))
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_a_table_in_the_terminal_breaks_headings_only() -> None:
    assert screened(GRID, 80) == ["Title", "task  a|b", "x_1     1", "      2 %"]
    assert screened(WIDE, 60)[1:3] == [
        "task           CES (best of n, oracle)     last",
        "fashion_zoo25                  0.5 ±.1  0.5 ±.1",
    ]
    assert screened(WIDE, 36)[1:] == [
        "               CES (best of",
        "task             n, oracle)     last",
        "fashion_zoo25       0.5 ±.1  0.5 ±.1",
        "Note.",
    ]


def test_columns_without_room_come_below_beside_the_key_columns() -> None:
    assert screened(WIDE, 30)[3:] == [
        "fashion_zoo25          0.5 ±.1",
        "",
        "task              last",
        "fashion_zoo25  0.5 ±.1",
        "Note.",
    ]
    rows = [(Cell("t"), Cell(str(budget)), Cell("0.512"), Cell("0.634")) for budget in (35, 60)]
    two = Grid("t-2", "T", ("task", "labels", "SRS", "SDS"), tuple(rows))
    assert screened(two, 20)[1:] == [
        "task  labels    SRS",
        "t         35  0.512",
        "          60  0.512",
        "",
        "task  labels    SDS",
        "t         35  0.634",
        "          60  0.634",
    ]


@pytest.mark.parametrize("width", [24, 60, 80])
def test_nothing_is_hidden_however_narrow_the_terminal(width: int) -> None:
    names = tuple(f"method{place}" for place in range(9))
    rows = [(Cell("fashion_zoo25"), Cell("average"), *map(Cell, names)) for _ in range(2)]
    lines = screened(Grid("t-3", "T", ("task", "labels", *names), tuple(rows)), width)
    assert all(len(line) <= width for line in lines)
    text = "".join(line.strip() for line in lines)
    assert all(text.count(name) == 3 for name in names)


def drawing(kind: str) -> Figure:
    x = np.array([1.0, 2.0])
    line = Line("a", x, np.array([0.5, np.nan]), x * 0, x)
    return Figure("f", "F", "labels", "S", (Panel("p", (line, Line("b", x, x)), (("level", 0.7),)),), kind)


@pytest.mark.parametrize("kind", ["lines", "bars", "points"])
def test_figures_hold_their_own_data_and_levels(kind: str) -> None:
    text = json.dumps(figure(drawing(kind)).to_dict(), allow_nan=False)
    assert '"url"' not in text
    assert '"level": 0.7' in text
    rows = figure_rows(drawing(kind)).splitlines()
    assert rows == [
        "panel,label,x,y,low,high",
        "p,a,1.0,0.5,0.0,1.0",
        "p,a,2.0,,0.0,2.0",
        "p,b,1.0,1.0,1.0,1.0",
        "p,b,2.0,2.0,2.0,2.0",
        "p,level,,0.7,,",
    ]


def test_all_outputs_are_written(tmp_path: Path) -> None:
    empty = Figure("nothing", "Nothing", "x", "y", ())
    write_outputs([GRID, drawing("lines"), empty], "Title", "Lead.", tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        *(f"table.{suffix}" for suffix in ("md", "tex", "csv")),
        *(f"f.{suffix}" for suffix in ("svg", "png", "csv")),
        "nothing.csv",
        "report.html",
    }
    html = (tmp_path / "report.html").read_text()
    ours = re.sub(r"<script>.*?</script>", "", html, count=1, flags=re.S)
    assert NOTHING in ours
    assert not re.search(r"(src|href)\s*=", ours)
    assert (tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")


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
