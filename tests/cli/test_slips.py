"""What the screen says about help and about slips on the command line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.cli.main import COMMANDS
from tests.support.commands import WIDE, adjudge, refused


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    (tmp_path / "pool.csv").write_text(WIDE)
    return tmp_path / "pool.csv"


def test_a_slip_names_the_help_of_its_own_command() -> None:
    assert refused("rank").endswith("see `adjudge rank --help`")
    for words in ((), ("pool.csv",), ("pool.csv", "b", "--labels", "labels.csv")):
        assert "compare takes predictions and then two models" in refused("compare", *words)
    assert refused("export", "log", "project").endswith("see `adjudge export log --help`")
    assert refused("rnak").endswith("No such command 'rnak' (did you mean 'rank'?); see `adjudge --help`")
    told = refused("compare", "pool.csv", "a", "b", "--labels", "labels.csv", "--test", "better")
    assert "'better' is not one of 'superior', 'non-inferior', 'equivalent'" in told


def test_models_that_stand_where_files_do_are_told_where_they_go(pool: Path) -> None:
    told = refused("plan", pool, "net", "tree")
    assert "net does not exist; give files of predictions, and name models with an option (--models, --only)" in told


def test_a_command_that_needs_more_shows_its_help() -> None:
    done = adjudge("export")
    assert done.returncode == 2
    assert done.stdout.startswith("Usage: adjudge export [OPTIONS]")
    assert "error" not in done.stderr


def test_alone_it_shows_how_to_start() -> None:
    done = adjudge()
    assert done.returncode == 0
    shown = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("  adjudge ")]
    assert shown == ["check", "select", "rank"]
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_help_is_whole_and_leaves_room_to_read() -> None:
    shown = adjudge("--help").stdout
    assert all(f"\n  {command} " in shown for command in COMMANDS)
    assert "..." not in shown.split("Commands:")[1]
    option = next(line for line in adjudge("select", "--help").stdout.splitlines() if "--goal" in line)
    assert "What the labels are for: the best model, the" in option


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--until", "separated", "--clean", "A"], "--until has its own way to rank; leave out --clean, or --until"),
        (["--clean", "A"], "there are no slices without --slice COLUMN; leave out --clean"),
        (["--slice-labels", 999], "there are no slices without --slice COLUMN; leave out --slice-labels"),
        (["--drawn", "uniform"], "--drawn says how labels were chosen, and no labels are given; add --labels FILE"),
        (["--costs", "no.csv", "--loss", "absolute"], "--costs cannot be combined with --loss or --range"),
        (["--costs", "no.csv", "--range", 0, 5], "--costs cannot be combined with --loss or --range"),
        (["--method", "drawn", "--option", "loss=squared"], "'drawn' has no option 'loss'; give it by --loss"),
    ],
)
def test_what_would_have_no_effect_is_refused(pool: Path, words: list[object], sentence: str) -> None:
    assert sentence in refused("rank", pool, *words)


@pytest.mark.parametrize("words", [["plan"], ["select", "--budget", 1], ["label", "--terminal"]])
def test_how_labels_were_drawn_is_about_labels(pool: Path, words: list[object]) -> None:
    assert "no labels are given; add --labels FILE" in refused(words[0], pool, *words[1:], "--drawn", "uniform")


def test_a_plan_that_could_not_be_written_is_refused_first(pool: Path) -> None:
    missing = pool.parent / "no.csv"  # not even looked for
    assert "has no suffix; use .csv" in refused("select", missing, "--budget", 1, "--out", pool.parent / "plan")
    assert "is a folder; name a file in it" in refused("select", missing, "--budget", 1, "--out", pool.parent)
    nowhere = pool.parent / "nowhere" / "plan.csv"
    assert f"{nowhere.parent} does not exist" in refused("select", missing, "--budget", 1, "--out", nowhere)


def test_a_margin_in_points_is_no_reason_to_stop(pool: Path) -> None:
    labels = pool.parent / "labels.csv"
    labels.write_text("sample_id,label\na,cat\nb,dog\n")
    told = refused("rank", pool, "--labels", labels, "--drawn", "uniform", "--until", "within 5")
    assert "5 points are written as 'within 0.05'" in told
    assert "holds for any ranking" in refused("label", pool, "--terminal", "--until", "within 1")
    assert not pool.with_suffix(".adjudge").exists()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there is no such terminal here")
def test_who_waits_is_told_what_for(pool: Path) -> None:
    ours, theirs = os.openpty()
    call = [sys.executable, "-m", "adjudge", "select", str(pool), "--budget", "2", "--json"]
    done = subprocess.run(call, stdout=subprocess.PIPE, stderr=theirs, check=True)
    assert b"choosing samples" in os.read(ours, 10_000)
    assert done.stdout.startswith(b"{")
    os.close(ours)
    os.close(theirs)
    assert "choosing samples" not in adjudge(*call[3:]).stderr  # nobody looks at a pipe


def test_the_list_of_methods_is_read_in_lines_not_in_slivers() -> None:
    lines = adjudge("methods").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("random") and line.rstrip().endswith("without replacement.") for line in lines)


def test_one_run_has_no_spread(pool: Path) -> None:
    truth = pool.parent / "truth.csv"
    truth.write_text("sample_id,label\na,cat\nb,dog\nc,cat\nd,cat\ne,dog\nf,cat\n")
    play = ("simulate", pool, "--truth", truth, "--method", "random", "--budget", 3, "--seeds")
    assert adjudge(*play, 1).stdout.startswith("random ranked by drawn, 1 seed, so no standard deviation\n")
    assert adjudge(*play, 2).stdout.startswith("random ranked by drawn, 2 seeds: mean ± standard deviation\n")
