"""Tables in every format, and in a terminal of any width."""

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from adjudge.experiments.outputs import Cell, Figure, Grid
from adjudge.reports.outputs import NOTHING, comma_separated, latex, markdown, terminal, write_outputs
from tests.support.drawings import drawing

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
