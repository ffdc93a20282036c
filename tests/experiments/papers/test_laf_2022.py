"""Every table and figure of LaF, on a small clean pool, its shifted version and a drifting one."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from adjudge import registry
from adjudge.core.arrays import ranks_by_value
from adjudge.core.labels import Labels
from adjudge.experiments.indicators import measured
from adjudge.experiments.jobs import Job, Outcome, RunSettings
from adjudge.experiments.outputs import MISSING, Figure, Grid, Output
from adjudge.experiments.papers import laf_2022
from adjudge.experiments.papers.laf_2022_tables import CORRUPTIONS
from adjudge.experiments.rankings import ORACLE
from adjudge.experiments.results import Results
from adjudge.experiments.run import run
from adjudge.experiments.tables import RANDOM_START
from adjudge.experiments.tasks import Task, load
from tests.support.small_tasks import small_task, write_regression, write_task

Made = tuple[list[Task], Results, dict[str, Output]]
ALL = ("table-1", "table-2", "table-3", "table-4", "table-5", "table-6", "figure-3", "figure-4", "figure-5")
ALSO = ("figure-6-spearman", "figure-6-kendall", "figure-7", "figure-7-numbers", "figure-5-numbers")
P_VALUES = ("p-values-spearman", "p-values-kendall")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("laf")
    write_task(folder / "toy.npz", probabilities=False)
    write_task(folder / "toy_shot_noise4.npz", probabilities=False, features=(), seed=1)
    write_task(folder / "toy_drift.npz", models=4, probabilities=False, features=(), seed=2)
    write_regression(folder / "angle.npz")
    paths = {path.stem: path for path in sorted(folder.glob("*.npz"))}
    tasks = [load(path) for path in paths.values()]
    results = run(laf_2022.jobs(tasks, RunSettings(repetitions=3)), paths, folder / "out", workers=1)
    return tasks, results, {each.name: each for each in laf_2022.outputs(tasks, results)}


def grid(made: Made, name: str) -> Grid:
    found = made[2][name]
    assert isinstance(found, Grid)
    return found


def figure(made: Made, name: str) -> Figure:
    found = made[2][name]
    assert isinstance(found, Figure)
    return found


def texts(table: Grid) -> list[list[str]]:
    """What was measured."""
    return [row for row in every_text(table) if not any(text.startswith("paper: ") for text in row)]


def every_text(table: Grid) -> list[list[str]]:
    assert all(len(row) == len(table.header) for row in table.rows)
    return [[each.text for each in row] for row in table.rows]


def published(table: Grid) -> list[list[str]]:
    return [row for row in every_text(table) if any(text.startswith("paper: ") for text in row)]


def test_every_table_and_figure_comes_out(made: Made) -> None:
    assert set(made[2]) == {*ALL, *ALSO, *P_VALUES}


def test_budgets_reach_from_the_number_of_models_to_180(made: Made) -> None:
    _, results, _ = made
    random, ours = results.get("toy", "Random"), results.get("toy", "LaF")
    assert random is not None
    assert ours is not None
    assert random.job.budgets == tuple(range(12, 181, 5))
    assert random.values.shape == (3, 34, 12)
    assert ours.values.shape == (1, 1, 12)
    task = made[0][1]
    alone = registry.ranker("laf").rank(task.predictions, Labels.empty(240)).estimate.value
    assert ours.values[0, 0].tolist() == pytest.approx(alone.tolist())


def test_what_a_task_has_not_is_not_run(made: Made) -> None:
    _, results, _ = made
    assert "angle" not in results.tasks
    assert len(results.of("toy", ORACLE)) == 5
    assert not results.of("toy_shot_noise4", ORACLE)


def test_table_1_has_accuracy_for_clean_and_robustness_for_shifted_tasks(made: Made) -> None:
    toy, drift = texts(grid(made, "table-1"))
    values = made[0][1].values
    assert toy[:5] == ["toy", "4", "12", "240", f"{100 * values.min():.2f}-{100 * values.max():.2f}"]
    assert toy[5:7] == ["synthetic", "240"]
    assert drift[:6] == ["toy_drift", "4", "4", MISSING, MISSING, "natural"]


def test_corruptions_that_are_not_there_are_missing(made: Made) -> None:
    there, rest = texts(grid(made, "table-2"))
    values = made[0][3].values
    missing = [MISSING] * 3
    assert there == [
        *("toy", "shot noise"),
        *missing,
        f"{100 * values.min():.2f}-{100 * values.max():.2f}",
        MISSING,
    ]
    assert rest == ["toy", "14 more of the paper", *missing, MISSING, MISSING]
    assert len(CORRUPTIONS) == 15
    for name in ("table-4", "table-5"):
        rows = texts(grid(made, name))
        assert [row[1:3] for row in rows[:5]] == [["shot noise", str(severity)] for severity in range(1, 6)]
        assert rows[0][3:] == [MISSING] * 4
        assert rows[3][5] == MISSING
        assert "±" in rows[3][3]
        assert "±" not in rows[3][6]
        assert rows[5][3:] == [MISSING] * 4
        assert [row[1] for row in rows] == ["shot noise"] * 5 + ["14 more of the paper", "best in"]
        assert all(text.endswith(" of 1") for text in (rows[6][3], rows[6][4], rows[6][6]))


def test_the_papers_numbers_stand_beside_ours(made: Made) -> None:
    first = published(grid(made, "table-1"))
    assert [row[0] for row in first][:2] == ["paper: MNIST", "paper: Fashion-MNIST"]
    assert first[1][1:5] == ["10", "25", "10000", "90.09-93.38"]
    assert len(first) == 7
    severities = [f"{low}-{high}" for low, high in (("84.89", "99.53"), ("84.73", "99.49"), ("84.87", "99.38"))]
    assert published(grid(made, "table-2"))[0][:5] == ["paper: MNIST-C", "shot noise", *severities]
    mnist, cifar, *best = published(grid(made, "table-4"))
    assert mnist == ["paper: MNIST-C", "shot noise", "4", "0.75±0.09", "0.82±0.06", "0.81±0.07", "0.89"]
    assert cifar == ["paper: CIFAR-10-C", "shot noise", "4", "0.93±0.03", "0.93±0.01", "0.94±0.02", "0.96"]
    assert [row[-1] for row in best] == ["291 of 300", "289 of 300"]
    assert published(grid(made, "table-5"))[0][3:] == ["0.63±0.09", "0.70±0.06", "0.69±0.07", "0.76"]
    assert published(grid(made, "table-3"))[1] == ["k = 3", "paper: average of 7", "0.19", "0.27", "0.46", "0.51"]
    assert published(grid(made, "table-6"))[4][1:] == ["paper: iWildCam", *[MISSING] * 3, "0.67"]
    assert not any(published(grid(made, name)) for name in ("figure-5-numbers", "figure-7-numbers", *P_VALUES))


def test_tables_4_and_5_are_over_budgets_and_repetitions(made: Made) -> None:
    outcome = made[1].get("toy_shot_noise4", "SDS")
    assert outcome is not None
    for name, indicator in (("table-4", "spearman"), ("table-5", "kendall")):
        every = measured(outcome, indicator)
        assert texts(grid(made, name))[3][4] == f"{every.mean():.2f}±{every.std():.2f}"


def test_jaccard_tables_have_every_top(made: Made) -> None:
    rows = texts(grid(made, "table-3"))
    assert [row[:2] for row in rows] == [[f"k = {k}", "toy"] for k in (1, 3, 5, 10)] + [["all", "best in"]]
    assert MISSING not in {text for row in rows for text in row}
    natural = texts(grid(made, "table-6"))
    assert [row[:2] for row in natural[:4]] == [[f"k = {k}", "toy_drift"] for k in (1, 3, 5, 10)]
    assert natural[2][2:] == [MISSING] * 4  # the top 5 of 4 models
    assert natural[1][4] == MISSING  # no features
    shifted = texts(grid(made, "figure-5-numbers"))
    assert [row[1] for row in shifted] == ["toy_shot_noise4"] * 4 + ["best in"]


def test_averages_compare_only_what_is_complete(made: Made, tmp_path: Path) -> None:
    tasks = [replace(made[0][1]), small_task(tmp_path, "second")]
    first = made[1]
    other = [replace(each, job=replace(each.job, task="second")) for each in first.of("toy", "Random")]
    results = Results((*first.outcomes, *other))
    found = {each.name: each for each in laf_2022.outputs(tasks, results)}["table-3"]
    assert isinstance(found, Grid)
    rows = texts(found)
    assert [row[1] for row in rows[:4]] == ["toy", "second", "average", "average (all methods)"]
    assert rows[2][3:] == [MISSING] * 3
    assert rows[3][2:] == rows[0][2:]


@pytest.mark.parametrize(
    ("name", "task", "indicator"),
    [
        ("figure-3", "toy", "spearman"),
        ("figure-4", "toy", "kendall"),
        ("figure-6-spearman", "toy_drift", "spearman"),
        ("figure-6-kendall", "toy_drift", "kendall"),
    ],
)
def test_curves_have_bands(made: Made, name: str, task: str, indicator: str) -> None:
    (panel,) = figure(made, name).panels
    assert panel.title == task
    random = panel.lines[0]
    assert random.low is not None
    assert random.high is not None
    outcome = made[1].get(task, "Random")
    assert outcome is not None
    every = measured(outcome, indicator)
    assert random.high == pytest.approx(np.minimum(every.mean(axis=0) + every.std(axis=0), 1.0))
    ours = next(line for line in panel.lines if line.label == "LaF")
    assert ours.x.tolist() == [random.x[0], random.x[-1]]
    assert len(set(ours.y)) == 1
    assert len(panel.lines) == (4 if task == "toy" else 3)


def test_a_note_says_where_ces_shows_random_draws_only(made: Made) -> None:
    told = {name for name, output in made[2].items() if RANDOM_START in output.note}
    assert told == {"figure-3", "figure-4", "table-3", *P_VALUES}  # the shifted tasks have no features


def test_figure_5_has_a_point_for_each_shift(made: Made) -> None:
    drawn = figure(made, "figure-5")
    (panel,) = drawn.panels
    assert [line.label for line in panel.lines] == ["Random", "SDS", "LaF"]
    assert panel.lines[0].x.tolist() == [4.0]
    assert panel.ticks == (("shot noise", 3.0),)


def test_figure_7_has_quality_and_diversity_of_all_tasks(made: Made) -> None:
    for panel in figure(made, "figure-7").panels:
        assert sum(len(line.x) for line in panel.lines) == 3
    rows = texts(grid(made, "figure-7-numbers"))
    assert [row[0] for row in rows[:3]] == ["toy", "toy_shot_noise4", "toy_drift"]
    values = made[0][1].values
    assert rows[0][1:3] == [f"{values.mean():.3f}", f"{values.std():.3f}"]
    assert all(row[0] == "Spearman >= 0.7" for row in rows[3:])


def outcome_of(values: list[list[list[float]]], model: str | None = None) -> Outcome:
    array = np.array(values)
    job = Job("task", "", "M", "ces", tuple(range(1, array.shape[1] + 1)), len(array), model=model)
    return Outcome(job, ("a", "b", "c", "d"), np.array([0.1, 0.2, 0.3, 0.4]), array, ranks_by_value(array), 1.0)


def test_p_values_are_those_of_scipy(made: Made) -> None:
    outcome = made[1].get("toy", "SDS")
    assert outcome is not None
    spearman, kendall = laf_2022.spearman_p(outcome), laf_2022.kendall_p(outcome)
    for repetition, budget in ((0, 0), (1, 12), (2, 33)):
        ranking = outcome.values[repetition, budget]
        assert spearman[repetition, budget] == pytest.approx(stats.spearmanr(ranking, outcome.truth).pvalue)
        assert kendall[repetition, budget] == pytest.approx(stats.kendalltau(ranking, outcome.truth).pvalue)
    row = texts(grid(made, "p-values-spearman"))[0]
    assert row[:2] == ["toy", "12"]
    assert row[3].startswith(f"{(spearman < 0.05).mean():.0%} (")


def test_p_values_where_nothing_is_known() -> None:
    nothing, tied, perfect = [np.nan] * 4, [0.5] * 4, [1.0, 2.0, 3.0, 4.0]
    outcome = outcome_of([[nothing, tied, perfect]])
    assert np.isnan(laf_2022.kendall_p(outcome)[0, :2]).all()
    spearman = laf_2022.spearman_p(outcome)[0]
    assert np.isnan(spearman[0])
    assert spearman[1:].tolist() == [1.0, 0.0]
    partly = [np.nan, -5.0, -4.0, -3.0]  # LaF may be below 0, and a model without a value is still the last
    assert laf_2022.kendall_p(outcome_of([[partly]])) == pytest.approx(stats.kendalltau(perfect, perfect).pvalue)
    two = outcome.among(("a", "b"))
    assert np.isnan(laf_2022.spearman_p(two)).all()


def test_without_shifted_tasks_their_tables_say_so(made: Made) -> None:
    found = {each.name: each for each in laf_2022.outputs(made[0][1:2], made[1])}
    table, drawn = found["table-4"], found["figure-5"]
    assert isinstance(table, Grid)
    assert isinstance(drawn, Figure)
    assert "No task is another one under synthetic shift." in table.note
    assert texts(table)[-1] == ["all", "best in", "", *[MISSING] * 4]
    assert drawn.panels == ()
