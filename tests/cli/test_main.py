"""What the screen says about commands, and how they end."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.cli.main import COMMANDS
from tests.support.commands import adjudge, refused
from tests.support.pools import Task


def test_a_slip_names_the_help_of_its_own_command() -> None:
    assert refused("rank").endswith("see `adjudge rank --help`")
    for words in ((), ("pool.csv",), ("pool.csv", "b", "--labels", "labels.csv")):
        assert "compare takes predictions and then two models" in refused("compare", *words)
    assert refused("export", "log", "project").endswith("see `adjudge export log --help`")
    assert refused("rnak").endswith("No such command 'rnak' (did you mean 'rank'?); see `adjudge --help`")
    told = refused("compare", "pool.csv", "a", "b", "--labels", "labels.csv", "--test", "better")
    assert "'better' is not one of 'superior', 'non-inferior', 'equivalent'" in told


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


def test_warnings_go_to_standard_error_and_do_not_stop(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("id,only\n1,cat\n2,dog\n")
    done = adjudge("rank", path, "--json")
    assert done.returncode == 0
    assert "warning: there is only one model" in done.stderr
    assert json.loads(done.stdout)["models"][0]["name"] == "only"
