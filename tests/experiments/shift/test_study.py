"""The study of shift: models run for real, pools with their truth, tables that say what the pools say."""

import csv
import json
from pathlib import Path
from warnings import catch_warnings, simplefilter

import numpy as np
import pytest
from sklearn.datasets import load_digits

from adjudge import evaluation
from adjudge.core.arrays import Array
from adjudge.errors import AdjudgeWarning, InputError
from adjudge.experiments.outputs import Figure, Grid
from adjudge.experiments.results import Results
from adjudge.experiments.shift import study
from adjudge.experiments.shift.pools import write_pools
from adjudge.experiments.tasks import load
from adjudge.experiments.zoo.fashion import fit_network
from adjudge.experiments.zoo.graphs import write_graph
from adjudge.experiments.zoo.recipes import Recipe
from adjudge.models.corruptions import corrupt
from adjudge.models.datasets import from_array, read_data
from adjudge.models.prediction import Shift, predict, predict_shifted
from adjudge.reports.figures import figure, figure_rows
from tests.support.commands import adjudge, refused

KINDS, SEVERITIES = ("fog", "gaussian-noise"), (1, 5)
Made = tuple[Path, list[Path], Array, Array]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Scanned digits, enlarged; four linear models of 20 to 400 digits, one of which saw fog."""
    folder = tmp_path_factory.mktemp("shift")
    small, labels = load_digits(return_X_y=True)
    images = (np.kron(small.reshape(-1, 8, 8), np.ones((4, 4)))[:, 2:30, 2:30] * 15.9).astype(np.uint8)
    models = []
    for name, rows in (("few", 20), ("some", 60), ("many", 400), ("seen", 400)):
        learn = corrupt(images[:rows], "fog", 3) if name == "seen" else images[:rows]
        models.append(folder / f"{name}.onnx")
        with catch_warnings():
            simplefilter("ignore")  # training ends before it converges
            network = fit_network(Recipe(name, "linear"), learn, labels[:rows], 0)
        write_graph(network, 28, models[-1])
    np.save(folder / "images.npy", images[-300:])
    np.save(folder / "labels.npy", labels[-300:].astype(np.uint8))
    return folder, models, images[-300:], labels[-300:]


@pytest.fixture(scope="module")
def folder(made: Made) -> Path:
    """What the command leaves behind."""
    place, models, _, _ = made
    out = place / "out"
    words = ("--data", place / "images.npy", "--labels", place / "labels.npy", "--out", out, "--repetitions", 2)
    kinds = ("--corrupt", ",".join(KINDS), "--severity", "1,5")
    done = adjudge("shift", *models, *words, *kinds, "--json")
    assert done.returncode == 0, done.stderr
    (out / "told.json").write_text(done.stdout)
    return out


def test_pools_hold_what_models_say_about_changed_images(made: Made, folder: Path) -> None:
    _, models, images, labels = made
    for kind in KINDS:
        for severity in SEVERITIES:
            task = load(folder / f"clean_{kind}{severity}.npz")
            alone = predict(models, corrupt(images, kind, severity)).predictions
            np.testing.assert_array_equal(task.predictions.values, alone.values)
            np.testing.assert_array_equal(task.truth, labels)
    assert load(folder / "clean.npz").values.max() > 0.85


def test_tables_say_what_the_pools_say(folder: Path) -> None:
    told = json.loads((folder / "told.json").read_text())
    clean, foggy = load(folder / "clean.npz"), load(folder / "clean_fog5.npz")
    best = clean.predictions.models[int(clean.values.argmax())]
    assert told["summary"][0].startswith(f"{best} is best on clean data ({clean.values.max():.3f})")
    header, *rows = told["tables"]["rankings"]
    top = dict(zip(header, rows[0], strict=True))
    assert (top["model"], top["clean"], top["rank"]) == (best, f"{clean.values.max():.3f}", "1")
    header, *rows = told["tables"]["shifts"]
    fog = next(dict(zip(header, row, strict=True)) for row in rows if row[:2] == ["fog", "5"])
    assert fog["highest"] == f"{foggy.values.max():.3f}"
    assert fog["clean ranking"] == f"{evaluation.spearman(clean.values, foggy.values):.2f}"
    assert fog["quality"] == f"{foggy.values.mean():.2f}"
    assert [row[:2] for row in told["tables"]["table-2"][1:3]] == [["clean", "gaussian noise"], ["clean", "fog"]]
    assert told["tables"]["ranks"][0] == ["model", "clean", "gaussian noise", "fog"]
    with (folder / "heat-accuracy.csv").open() as file:
        cells = list(csv.DictReader(file))
    assert len(cells) == 4 * 5
    first = [float(each["y"]) for each in cells if float(each["x"]) < 0]
    assert first == pytest.approx(sorted(clean.values, reverse=True))
    for name in ("heat-accuracy.png", "heat-spearman.png", "figure-7.png", "table-4.md", "report.html"):
        assert (folder / name).stat().st_size > 100


def test_a_second_run_and_ready_pools_give_the_same(made: Made, folder: Path) -> None:
    told = json.loads((folder / "told.json").read_text())
    again = adjudge("shift", *sorted(folder.glob("clean*.npz")), "--out", folder, "--repetitions", 2, "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout) == told
    place, models, _, _ = made
    kept = {path: path.stat().st_mtime_ns for path in (folder / "clean.runs").rglob("*.npy")}
    found = dict(
        predict_shifted(models, read_data(place / "images.npy"), [Shift("fog", 5)], cache=folder / "clean.runs")
    )
    assert found[Shift("fog", 5)].reused == ("few", "some", "many", "seen")
    assert {path: path.stat().st_mtime_ns for path in (folder / "clean.runs").rglob("*.npy")} == kept


def test_a_model_that_fails_under_shift_is_left_out_of_all_pools(made: Made, tmp_path: Path) -> None:
    _, models, images, labels = made
    code = tmp_path / "code.py"
    code.write_text(
        "def afraid(rows):\n    assert rows.min() == 0, 'too bright'\n    return [row.sum() % 10 for row in rows]\n"
    )
    given, shifts = [*map(str, models[:2]), f"{code}:afraid"], [Shift("fog", 5), Shift("gaussian-noise", 1)]
    with pytest.warns(AdjudgeWarning, match=r"left out from fog5 on: .*too bright"):
        paths = write_pools(given, from_array(images), labels, shifts, tmp_path / "out")
    tasks = study.ordered([load(path) for path in paths])
    assert [task.name for task in tasks] == ["clean", "clean_gaussian-noise1", "clean_fog5"]
    assert all(task.predictions.models == ("few", "some") for task in tasks)


def test_pools_hold_probabilities_where_they_are_wanted(made: Made, folder: Path, tmp_path: Path) -> None:
    place, models, images, labels = made
    words = ("--data", place / "images.npy", "--labels", place / "labels.npy", "--repetitions", 1, "--probabilities")
    done = adjudge("shift", *models, *words, "--corrupt", "fog", "--severity", 5, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    pool, alone = load(tmp_path / "clean_fog5.npz"), predict(models, corrupt(images, "fog", 5), probabilities=True)
    assert pool.predictions.probabilities is not None
    assert alone.predictions.probabilities is not None
    np.testing.assert_allclose(pool.predictions.probabilities, alone.predictions.probabilities, atol=2**-11)
    np.testing.assert_array_equal(pool.predictions.values, load(folder / "clean_fog5.npz").predictions.values)
    np.testing.assert_array_equal(pool.truth, labels)
    assert load(folder / "clean_fog5.npz").predictions.probabilities is None


def test_predict_writes_a_file_for_each_shift(made: Made, tmp_path: Path) -> None:
    place, models, images, _ = made
    words = ("--data", place / "images.npy", "--out", tmp_path / "said.parquet", "--corrupt", "contrast", "--severity")
    assert adjudge("predict", models[2], *words, "4", "--seed", 3).returncode == 0
    assert sorted(each.name for each in tmp_path.glob("*.parquet")) == ["said.parquet", "said_contrast4.parquet"]
    changed = adjudge("corrupt", place / "images.npy", "--kind", "contrast", "--severity", 4, "--out", tmp_path / "c")
    assert changed.returncode == 0
    np.testing.assert_array_equal(np.load(tmp_path / "c" / "images.npy"), corrupt(images, "contrast", 4))
    assert "there is no corruption 'mist'" in refused("predict", models[2], *words[:4], "--corrupt", "mist")


def test_figures_are_heat_maps(folder: Path) -> None:
    tasks = [load(path) for path in sorted(folder.glob("clean*.npz"))]
    clean, shifts = study.study(tasks)
    drawn = study.accuracy_heat(clean, shifts)
    assert isinstance(drawn, Figure)
    (panel,) = figure(drawn).to_dict()["vconcat"]
    assert panel["encoding"]["color"]["scale"]["domain"] == [0, 1]
    assert panel["encoding"]["y"]["sort"][0] == clean.predictions.models[int(clean.values.argmax())]
    assert len(figure_rows(drawn).splitlines()) == 21
    stays = study.stays_grid(clean, shifts, Results(()))
    assert isinstance(stays, Grid)
    assert {row[3].text for row in stays.rows} == {"-"}


def test_what_is_no_study_is_refused(made: Made, folder: Path, tmp_path: Path) -> None:
    place, models, _, _ = made
    with pytest.raises(InputError, match="one clean pool"):
        study.study([load(folder / "clean.npz")])
    assert "--labels" in refused("shift", models[0], "--data", place / "images.npy", "--out", tmp_path)
    short = tmp_path / "short.npy"
    np.save(short, np.arange(7))
    words = ("--data", place / "images.npy", "--labels", short, "--out", tmp_path / "x")
    assert "do not fit 300 samples" in refused("shift", models[0], *words)


def test_images_that_are_too_small_are_told_once(made: Made, tmp_path: Path) -> None:
    np.save(tmp_path / "small.npy", np.zeros((4, 8, 8), np.uint8))
    words = ("--data", tmp_path / "small.npy", "--corrupt", "fog", "--out", tmp_path / "x.npz")
    assert refused("predict", *made[1], *words).count("enlarge them first") == 1
