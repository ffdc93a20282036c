"""`bench sds-2021` makes every table and figure of the paper, with its rows."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.experiments.papers import sds_2021
from adjudge.experiments.papers.sds_2021 import BUDGETS, CUTOFFS, NAMES, beyond_note, four_models
from adjudge.experiments.rankings import ORACLE
from adjudge.experiments.tasks import load
from tests.support.commands import adjudge
from tests.support.small_tasks import small_task, write_regression, write_task

METHODS = ["SRS", ORACLE, "RDG", "DDG", "SDS"]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], str]:
    """Three tasks: one with everything, one without probabilities and features, one of numbers."""
    folder = tmp_path_factory.mktemp("sds")
    write_task(folder / "bare.npz", 9, 800, probabilities=False, features=(), seed=3)
    write_task(folder / "full.npz", 12, 800)
    write_regression(folder / "numbers.npz")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ADJUDGE_TASKS", str(folder))
        done = adjudge("bench", "sds-2021", "--out", folder / "out", "--repetitions", 2, "--json")
    assert done.returncode == 0, done.stderr
    return folder / "out", json.loads(done.stdout), done.stderr


def points(out: Path, name: str) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """The curves of a figure: {(panel, label): [(x, y)]}."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    with (out / f"{name}.csv").open() as file:
        for row in csv.DictReader(file):
            found.setdefault((row["panel"], row["label"]), []).append((row["x"], row["y"]))
    return found


def test_every_table_and_figure_is_there(bench: tuple[Path, dict[str, Any], str]) -> None:
    out, (schema, *tables), _ = bench
    assert schema == "schema"
    assert tables == ["table-1", "table-2-spearman", "table-2-jaccard_10", "table-3"]
    for name in tables:
        assert {path.suffix for path in out.glob(f"{name}.*")} == {".md", ".tex", ".csv"}
    figures = [f"figure-{number}-{each}" for number in (4, 5) for each in ("spearman", "jaccard_10")]
    for name in [*figures, *(f"figure-{number}" for number in range(6, 11))]:
        assert {path.suffix for path in out.glob(f"{name}.*")} == {".svg", ".png", ".csv"}, name
    assert "Figure 10: SDS and the majority vote" in (out / "report.html").read_text()


def test_table_1(bench: tuple[Path, dict[str, Any], str]) -> None:
    head, bare, full, *paper = bench[1]["table-1"]
    assert head[:6] == ["task", "models", "samples", "classes", "accuracy", "vote"]
    assert head[6:] == ["p", "features", "layers", "parameters"]
    assert [bare[:4], full[:4]] == [["bare", "9", "800", "4"], ["full", "12", "800", "4"]]
    assert [bare[6:], full[6:]] == [["0", "0", "-", "-"], ["12", "5", "-", "-"]]
    mnist, fashion, _ = paper
    assert mnist == [
        "paper: MNIST",
        *("28", "10000", "10", "0.8818-0.9959", "0.9924"),
        "-",
        "-",
        "8-31",
        "7218-1199882",
    ]
    assert fashion[8:] == ["7-31", "258826-1256080"]


@pytest.mark.parametrize("indicator", ["spearman", "jaccard_10"])
def test_table_2(bench: tuple[Path, dict[str, Any], str], indicator: str) -> None:
    head, *rows = bench[1][f"table-2-{indicator}"]
    assert head == ["task", "labels", *METHODS]
    last = [*map(str, CUTOFFS), "average", "W/T/L"]
    full = [row[2:] for row in rows if row[0] == "full"]
    assert [row[1] for row in rows if row[0] == "full"] == last
    assert all(cell != "-" for row in full for cell in row)
    assert full[-1][-1] == "/"
    assert all(sum(map(int, cell.split("/"))) == 6 for cell in full[-1][:-1])
    bare = [[cell != "-" for cell in row[2:]] for row in rows if row[0] == "bare"]
    if indicator == "spearman":
        assert bare == [[True, False, False, False, True]] * 8
    else:
        assert bare == [[False] * 5]  # nine models have no top 10
    paper = [row for row in rows if row[0] == "paper: CIFAR-10"]
    assert [row[1] for row in paper] == last
    assert paper[0][-1] == {"spearman": "0.790", "jaccard_10": "0.536"}[indicator]


def test_tables_say_which_impurity_was_taken(bench: tuple[Path, dict[str, Any], str]) -> None:
    out, tables, _ = bench
    for name in ("table-2-spearman", "table-2-jaccard_10"):
        text = (out / f"{name}.md").read_text()
        assert "of the highest and the lowest impurity over models the one that ranks better on the task" in text
        assert "The highest: elsewhere." in text
    with (out / "times.csv").open() as file:
        spent = {row["method"]: float(row["cpu_seconds"]) for row in csv.DictReader(file) if row["task"] == "full"}
    both = spent["RDG, highest"] + spent["RDG, lowest"]
    assert float(tables["table-3"][2][3]) == pytest.approx(both, abs=0.006)


def test_budgets_past_the_first_quarter_are_said(tmp_path: Path) -> None:
    small, large = (load(write_task(tmp_path / f"{size}.npz", samples=size, features=())) for size in (240, 720))
    assert beyond_note([small, large]).endswith("by discrimination: 240 (after 60).")
    assert beyond_note([large]) == ""


def test_table_3(bench: tuple[Path, dict[str, Any], str]) -> None:
    head, bare, full, *paper = bench[1]["table-3"]
    assert head == ["task", *METHODS]
    assert [cell == "-" for cell in bare] == [False, False, True, True, True, False]
    assert all(float(cell) >= 0 for cell in full[1:])
    assert paper[1] == ["paper: Fashion-MNIST", "1403", "31703", "10082", "8538", "9179"]


def test_figures_4_and_5(bench: tuple[Path, dict[str, Any], str]) -> None:
    budgets = [float(each) for each in BUDGETS]
    assert (len(BUDGETS), BUDGETS[0], BUDGETS[-1]) == (30, 35, 180)
    rates = ["first 15 %", "first 20 %", "first 25 %", "first 30 %", "first 35 %"]
    for number, labels, less in ((4, METHODS, ["SRS", "SDS"]), (5, rates, rates)):
        spearman = points(bench[0], f"figure-{number}-spearman")
        assert list(spearman) == [("bare", each) for each in less] + [("full", each) for each in labels]
        assert all([float(x) for x, _ in curve] == budgets for curve in spearman.values())
        assert list(points(bench[0], f"figure-{number}-jaccard_10")) == [("full", each) for each in labels]
    four, five = (points(bench[0], f"figure-{number}-spearman") for number in (4, 5))
    assert four["full", "SDS"] == five["full", "first 25 %"]
    assert len({tuple(five["full", rate]) for rate in rates}) == 5


def test_figure_6(bench: tuple[Path, dict[str, Any], str]) -> None:
    curves = points(bench[0], "figure-6")
    assert list(curves) == [(f"k = {k}, 1 task", each) for k in (1, 3, 5) for each in METHODS] + [
        (f"k = {k}, mean of 2 tasks", each) for k in (1, 3, 5) for each in ("SRS", "SDS")
    ]


def test_figure_7(bench: tuple[Path, dict[str, Any], str]) -> None:
    curves = points(bench[0], "figure-7")
    assert list(curves) == [(task, each) for task in ("bare", "full") for each in ("match rate", "all samples")]
    (level,) = curves["full", "all samples"]
    assert f"{float(level[1]):.4f}" == bench[1]["table-1"][2][5]
    rates = [float(rate) for _, rate in curves["full", "match rate"] if rate]
    assert rates[-1] > 0.9 > rates[0]


def test_figure_8(bench: tuple[Path, dict[str, Any], str]) -> None:
    curves = points(bench[0], "figure-8")
    quarters = ["0 to 25 %", "25 to 50 %", "50 to 75 %", "75 to 100 %"]
    assert list(curves) == [("Spearman, mean of 2 tasks", each) for each in quarters] + [
        ("Jaccard at 10, 1 task", each) for each in quarters
    ]
    assert all(len(curve) == 30 for curve in curves.values())
    assert len({tuple(curve) for curve in curves.values()}) == 8


def test_figure_9(bench: tuple[Path, dict[str, Any], str]) -> None:
    curves = points(bench[0], "figure-9")
    assert list(curves) == [("Spearman, 1 task", each) for each in ("SRS", ORACLE, "SDS")] + [
        ("Spearman, mean of 2 tasks", each) for each in ("SRS", "SDS")
    ]


def test_figure_10(bench: tuple[Path, dict[str, Any], str]) -> None:
    curves = points(bench[0], "figure-10")
    assert [(label, len(curve)) for (_, label), curve in curves.items()] == [("SDS", 30), ("majority vote", 1)]


def test_what_is_missing_is_said(bench: tuple[Path, dict[str, Any], str]) -> None:
    told = bench[2].splitlines()
    forms = [f"{name}, {word}" for name in ("RDG", "DDG") for word in ("highest", "lowest")]
    assert [line.split(":")[1] for line in told] == [f" {name} on bare" for name in (ORACLE, *forms)]


def test_the_four_models_follow_from_the_seed(tmp_path: Path) -> None:
    task = small_task(tmp_path)
    drawn = four_models(task, 0)
    assert drawn == four_models(task, 0)
    assert drawn is not None
    assert set(drawn) < set(task.with_features())
    assert len({four_models(task, seed) for seed in range(20)}) > 2
    bare = load(write_task(tmp_path / "bare.npz", features=(0, 1, 2)))
    assert len({name for seed in range(40) for name in four_models(bare, seed) or ()}) == 12
    assert four_models(load(write_task(tmp_path / "few.npz", models=3, features=())), 0) is None


def test_methods_stand_in_the_order_of_the_paper() -> None:
    assert list(NAMES) == METHODS
    assert list(sds_2021.RATES.values()) == [0.15, 0.2, 0.25, 0.3, 0.35]
