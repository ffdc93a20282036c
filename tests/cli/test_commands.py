"""The commands as a user calls them: exit codes, the two streams; and what only a process of its own shows."""

import json
import os
import shlex
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from adjudge.cli.check import RANK, _suggest
from adjudge.cli.groups import PredictionsSource
from adjudge.cli.inputs import EngineName
from adjudge.errors import InputError
from adjudge.io import read, read_truth
from adjudge.reports.demo import demo
from adjudge.reports.plain import plain
from adjudge.simulation.simulate import simulate
from tests.support.commands import TRUTH, WIDE, adjudge, as_json, fill, refused
from tests.support.pools import Task


def test_the_whole_journey(wide: Path, tmp_path: Path) -> None:
    checked = as_json("check", wide)
    assert {"alone", "unit"} <= set(checked)
    assert checked["models"] == ["net", "tree", "rule"]
    assert checked["samples"] == 6
    free = as_json("rank", wide)
    assert free["quantity"] == "agreement"
    plan = tmp_path / "labels.csv"
    picks = as_json("select", wide, "--budget", 4, "--seed", 3, "--out", plan)["picks"]
    assert [pick["order"] for pick in picks] == [0, 1, 2, 3]
    fill(plan, TRUTH)
    paid = as_json("rank", wide, "--labels", plan)
    assert paid["labels"] == 4
    assert (paid["models"][0]["name"], paid["models"][0]["rank"]) == ("net", 1)
    assert paid["models"][0]["chance_of_best"] > 0.5
    more = as_json("select", wide, "--labels", plan, "--budget", 2, "--out", plan)["picks"]
    assert {pick["sample_id"] for pick in more} | {pick["sample_id"] for pick in picks} == set("abcdef")
    fill(plan, TRUTH)
    everything = as_json("rank", wide, "--labels", plan)["models"]
    assert all(model["low"] == model["value"] == model["high"] for model in everything)
    assert [model["name"] for model in everything] == ["net", "tree", "rule"]


def test_labels_of_unknown_origin_give_an_order_only(wide: Path, tmp_path: Path) -> None:
    labels = tmp_path / "mine.csv"
    labels.write_text("sample_id,label\na,cat\nc,cat\n")
    plain = as_json("rank", wide, "--labels", labels)
    assert [model["low"] for model in plain["models"]] == [None, None, None]
    assert plain["models"][0]["tier"] is None
    drawn = as_json("rank", wide, "--labels", labels, "--drawn", "uniform")
    assert drawn["quantity"] == "accuracy"
    assert drawn["models"][0]["low"] > 0


def test_simulate_on_a_truth_file(wide: Path, tmp_path: Path) -> None:
    truth = tmp_path / "truth.csv"
    truth.write_text("sample_id,label\n" + "".join(f"{key},{value}\n" for key, value in TRUTH.items()))
    result = as_json("simulate", wide, "--truth", truth, "--budget", 6, "--seeds", 3)
    assert result["truth"] == pytest.approx({"net": 1.0, "tree": 4 / 6, "rule": 3 / 6})
    assert result["summary"]["regret"]["6"] == {"mean": 0.0, "std": 0.0}
    assert set(result["summary"]["cumulative_regret"]) == {"mean", "std"}
    assert len(result["curves"]["spearman"]["mean"]) == 7


def test_one_name_of_the_id_column_is_enough(wide: Path, tmp_path: Path) -> None:
    own, listed = tmp_path / "own.csv", tmp_path / "truth.csv"
    rows = [line.split(",") for line in WIDE.splitlines()[1:]]
    own.write_text("image,net,tree,label\n" + "".join(f"{row[0]},{row[1]},{row[2]},{TRUTH[row[0]]}\n" for row in rows))
    listed.write_text("image,label\n" + "".join(f"{key},{value}\n" for key, value in TRUTH.items()))
    words = ("--id", "image", "--labels", listed, "--drawn", "uniform")
    assert as_json("rank", own, *words)["labels"] == 6
    assert as_json("compare", own, "net", "tree", *words, "--about", "pool")["holds"]
    assert as_json("estimate", own, "--model", "net", *words)["value"] == 1
    assert as_json("plan", own, *words)["labels"] == 6
    for truth in ([], ["--truth", listed]):  # the column of the pool itself, or a file
        played = as_json("simulate", own, "--id", "image", *truth, "--budget", 2, "--seeds", 1)
        assert played["truth"] == pytest.approx({"net": 1.0, "tree": 4 / 6})


def test_simulate_on_a_real_task(task: Task) -> None:
    """What the numbers must be is checked in tests/claims/test_reference_numbers.py; here that they are these."""
    told = as_json("simulate", task("pacs"), "--method", "random", "--budget", 20, "--seeds", 2)
    pool, truth = read_truth(task("pacs"), read(task("pacs")))
    expected = plain(simulate(pool, truth, "random", budget=20, seeds=2).to_dict())
    assert told == {"schema": told["schema"], **expected}


def test_methods_are_listed() -> None:
    names = [row["name"] for row in as_json("methods")["methods"]]
    assert {"random", "sds", "agreement", "labeled", "drawn"} <= set(names)


@pytest.mark.parametrize("words", [["check"], ["rank"], ["select", "--budget", "3"]])
def test_tables_fit_the_terminal(wide: Path, words: list[str]) -> None:
    done = adjudge(words[0], wide, *words[1:])
    assert done.returncode == 0
    assert done.stdout
    lines = [line for line in done.stdout.splitlines() if not line.startswith("  adjudge ")]  # which can be copied
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    "command",
    [
        "check",
        "samples",
        "plan",
        "rank",
        "report",
        "estimate",
        "compare",
        "select",
        "simulate",
        "bench",
        "methods",
        "demo",
    ],
)
def test_help_has_an_example(command: str) -> None:
    told = adjudge(command, "--help").stdout
    assert f"Example: adjudge {command}" in told
    assert "--json" in told


def test_a_command_to_try_next_can_be_pasted(wide: Path, tmp_path: Path) -> None:
    pool, plan = tmp_path / "my pool.csv", tmp_path / "my plan.csv"
    pool.write_text(wide.read_text().replace("rule", "the rule"))
    told = adjudge("select", pool, "--columns", "the rule", "--budget", 2, "--out", plan).stderr
    assert shlex.split(told.split("then:\n  adjudge ")[1]) == [
        *("rank", str(pool), "--columns", "the rule"),
        *("--labels", str(plan)),
    ]


def test_names_may_hold_a_comma(wide: Path) -> None:
    wide.write_text(wide.read_text().replace("cat", '"cat, big"'))
    (wide.parent / "labels.csv").write_text('sample_id,label\na,"cat, big"\nb,dog\n')
    words = ("rank", wide, "--labels", wide.parent / "labels.csv", "--metric", "f1")
    assert "name one of 'cat, big', 'dog' (--class)" in refused(*words)
    assert as_json("check", wide, "--classes", '"cat, big",dog, "owl"')["classes"] == ["cat, big", "dog", "owl"]
    assert "2 ('cat, big', 'dog')" in adjudge("check", wide).stdout


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_failure(wide: Path) -> None:
    call = f"{shlex.quote(sys.executable)} -m adjudge rank {shlex.quote(str(wide))} | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", call], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there is no such terminal here")
def test_ctrl_c_says_so(task: Task) -> None:
    call = [sys.executable, "-m", "adjudge", "simulate", str(task("pacs"))]
    call += ["--method", "random", "--budget", "5000", "--seeds", "50"]
    ours, theirs = os.openpty()
    plain = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    running = subprocess.Popen(call, stdout=subprocess.PIPE, stderr=theirs, env=plain)
    os.close(theirs)
    told = b""
    while b"0/50" not in told:  # past its imports, and far from its end
        told += os.read(ours, 10_000)
    running.send_signal(signal.SIGINT)
    while b"stopped" not in told:
        told += os.read(ours, 10_000)
    out, _ = running.communicate()
    os.close(ours)
    assert running.returncode == 130
    assert out == b""
    assert told.strip().endswith(b"stopped")


def test_ctrl_c_in_code_made_from_a_string_has_the_same_exit_code(tmp_path: Path) -> None:
    """Data classes are made so, when a module is imported."""
    lines = (
        "import adjudge.cli.main",
        "adjudge.cli.main.run = lambda: exec('raise KeyboardInterrupt')",
        "from adjudge.__main__ import run",
        "run()",
    )
    (tmp_path / "interrupted.py").write_text("\n".join(lines))
    assert subprocess.run([sys.executable, "-m", "interrupted"], cwd=tmp_path, check=False).returncode == 130


def test_a_demo_without_scikit_learn_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(InputError, match="scikit-learn, which is not installed"):
        demo(tmp_path / "demo", seed=0, quiet=True)
    assert not (tmp_path / "demo").exists()


@pytest.mark.slow
def test_the_demo_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In small; tests/test_docs.py runs all of it."""
    monkeypatch.setattr("adjudge.reports.demo.SEEDS", 2)
    monkeypatch.setattr("adjudge.reports.demo.COMPARED", ("random", "sds"))
    told = as_json("demo", "--out", tmp_path / "demo")
    assert told["labels"] == 40
    assert set(told["mean_regret"]) == {"random", "sds"}
    assert {path.name for path in (tmp_path / "demo").iterdir()} >= {"predictions.csv", "labels.csv", "report.html"}


def test_costs_can_be_given(wide: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("sample_id,label\na,cat\nc,cat\ne,dog\n")
    costs = tmp_path / "costs.csv"
    costs.write_text("true,dog,cat\ncat,1,0\ndog,0,10\n")
    ranked = as_json("rank", wide, "--labels", labels, "--costs", costs)
    values = {model["name"]: model["value"] for model in ranked["models"]}
    assert values == pytest.approx({"net": 0.0, "tree": 11 / 3, "rule": 2 / 3})
    costs.write_text("true,dog,bird\ncat,1,0\ndog,0,10\n")
    assert "costs.csv" in refused("rank", wide, "--labels", labels, "--costs", costs)


def test_warnings_go_to_standard_error_and_do_not_stop(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("id,only\n1,cat\n2,dog\n")
    done = adjudge("rank", path, "--json")
    assert done.returncode == 0
    assert "warning: there is only one model" in done.stderr
    assert json.loads(done.stdout)["models"][0]["name"] == "only"


def test_help_stays_light() -> None:
    """Neither kernels nor tables are loaded for a page of help."""
    code = (
        "import sys\nfrom adjudge.cli.main import app\n"
        "heavy = {'numba', 'pyarrow', 'scipy', 'altair', 'sklearn', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read off /proc")
def test_the_big_pool_is_read_by_parts(tmp_path: Path) -> None:
    """100 models x 200,000 samples: memory stays near the file's own 20 MB, far from one-hot votes."""
    rng = np.random.default_rng(0)
    path = tmp_path / "big.npz"
    np.savez(path, predictions=rng.integers(0, 10, (100, 200_000), dtype=np.int8))
    code = (
        "import sys\nfrom pathlib import Path\nfrom adjudge.cli.main import app\n"
        f"app(['rank', {str(path)!r}, '--json'], standalone_mode=False)\n"
        "sys.stderr.write(Path('/proc/self/status').read_text())"  # getrusage would count the process that started this
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    most = next(line for line in done.stderr.splitlines() if line.startswith("VmHWM"))
    assert int(most.split()[1]) < 700_000  # kilobytes


def test_check_names_five_models_on_the_screen_and_all_in_json(tmp_path: Path) -> None:
    source, names = tmp_path / "p.csv", [f"m{model}" for model in range(9)]
    rows = [f"s{row},{'a,' * len(names)}{'ab'[row % 2]}" for row in range(6)]
    source.write_text("\n".join([f"sample_id,{','.join(names)},other", *rows]))
    assert "'m4' says 'a' and 4 more" in " ".join(adjudge("check", source).stdout.split())
    assert list(as_json("check", source)["constant"]) == names


def test_check_suggests_commands_that_take_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    source = PredictionsSource([Path("parts")], id="key", engine=EngineName.dask, scheduler="tcp://here:1")
    _suggest(source, ["(none)"], RANK, in_parts=True)
    merge, rank = (line.strip() for line in capsys.readouterr().out.splitlines() if line.startswith("  "))
    assert merge == "adjudge merge parts --id key --abstain '(none)' --out pool"
    assert rank == "adjudge rank pool --scheduler tcp://here:1 --engine dask"
    _suggest(replace(source, id=None), [], RANK, in_parts=True)
    assert "adjudge rank parts --scheduler tcp://here:1 --engine dask" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("head", "scores", "told"),
    [
        ("sample_id,a,b", (), "Next: which samples to label: adjudge select p.csv --budget 10 --out labels.csv"),
        ("sample_id,a,b", ("--scores",), "rank by their scores: adjudge rank pool.parquet"),
        ("sample_id,model,score", (), "Next: how the models rank by their scores: adjudge rank p.csv"),
    ],
)
def test_check_suggests_what_can_be_done_with_numbers(
    head: str, scores: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"s{at},0.{at},1.{at}" if head.endswith("b") else f"s{at // 2},{'ab'[at % 2]},0.{at}" for at in range(10)]
    Path("p.csv").write_text("\n".join([head, *rows]), encoding="utf-8")
    assert told in " ".join(adjudge("check", "p.csv", *scores).stdout.split())
