"""What the screen says about slips on the command line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import adjudge, refused


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
