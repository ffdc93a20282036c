"""What the screen says about help and about slips on the command line."""

import pytest

from adjudge.cli.main import COMMANDS
from commands import adjudge, refused


def test_a_slip_names_the_help_of_its_own_command() -> None:
    assert refused("rank").endswith("see `adjudge rank --help`")
    assert refused("export", "log", "project").endswith("see `adjudge export log --help`")
    assert refused("rnak").endswith("No such command 'rnak' (did you mean 'rank'?); see `adjudge --help`")
    told = refused("compare", "pool.csv", "a", "b", "--labels", "labels.csv", "--test", "better")
    assert "'better' is not one of 'superior', 'non-inferior', 'equivalent'" in told


@pytest.mark.parametrize("words", [[], ["export"]])
def test_a_command_that_needs_more_shows_its_help(words: list[str]) -> None:
    done = adjudge(*words)
    assert done.returncode == 2
    assert done.stdout.startswith(f"{' '.join(['Usage: adjudge', *words])} [OPTIONS]")
    assert "error" not in done.stderr


def test_help_is_whole_and_leaves_room_to_read() -> None:
    shown = adjudge("--help").stdout
    assert all(f"\n  {command} " in shown for command in COMMANDS)
    assert "..." not in shown.split("Commands:")[1]
    option = next(line for line in adjudge("select", "--help").stdout.splitlines() if "--goal" in line)
    assert "What the labels are for: the best model, the" in option
