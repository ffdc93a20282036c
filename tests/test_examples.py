"""Each example runs by itself, as a newcomer would start it, and prints what it promises."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SAID = {
    "rank_select_label.py": "adjudge takes svm.",
    "release_gate.py": "That it is worse by less than 0.02 is shown: release it.",
    "own_method.py": "Disputed keeps the contract of a selector.",
}


def test_all_examples_are_tried() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_the_example_runs(name: str, tmp_path: Path) -> None:
    call = [sys.executable, "-W", "error", str(EXAMPLES / name)]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert SAID[name] in done.stdout
    assert not list(tmp_path.iterdir())
