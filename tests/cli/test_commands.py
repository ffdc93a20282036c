"""The commands as a user calls them: exit codes, the two streams; and what only a process of its own shows."""

import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.commands import TRUTH, adjudge, as_json, fill


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
