"""What a small command loads and compiles: counted, since seconds depend on the machine."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge.cli.main import COMPILING
from adjudge.simulation.contract import example_pool

NEVER = {
    "pandas",
    "numpy.f2py.f2py2e",
    "unittest",
    "scipy.stats",
    "scipy.optimize",
    "altair",
    "jinja2",
    "joblib",
    "sklearn",
}
COMPILED = {"numba", "scipy.special"}
# specializations of kernels that the first answer after installation takes; each costs up to a second
MOST_COMPILED = {"rank": 16, "select": 14}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pool, truth = example_pool(models=6, samples=200)
    assert pool.classes is not None
    table = {"sample_id": [f"s{sample}" for sample in range(200)]}
    table |= {name: [pool.classes[code] for code in row] for name, row in zip(pool.models, pool.values, strict=True)}
    named = adjudge.from_frame(table)
    adjudge.write_predictions(named, tmp_path / "pool.csv")
    plan = adjudge.select(named, 12)
    answers = {f"s{sample}": pool.classes[int(truth[sample])] for sample in np.asarray(plan.sample)}
    adjudge.write_labels(adjudge.fill(plan, named, answers), named, tmp_path / "labels.csv")
    return tmp_path


def command(folder: Path, *words: str) -> tuple[set[str], str]:
    """The modules that a command has loaded when it ends, and what it says on standard error."""
    code = (
        "import atexit, sys\nfrom pathlib import Path\nfrom adjudge.__main__ import run\n"
        "atexit.register(lambda: Path('loaded').write_text(' '.join(sys.modules)))\nrun()"
    )
    settings = os.environ | {"NUMBA_CACHE_DIR": str(folder / "compiled")}
    call = [sys.executable, "-c", code, *words]
    done = subprocess.run(call, cwd=folder, env=settings, capture_output=True, text=True, check=True)
    return set((folder / "loaded").read_text().split()), done.stderr


@pytest.mark.parametrize("words", [("check", "pool.csv"), ("rank", "pool.csv")])
def test_without_labels_a_small_pool_needs_no_compiled_code(folder: Path, words: tuple[str, ...]) -> None:
    loaded, told = command(folder, *words)
    assert not loaded & (NEVER | COMPILED)
    assert COMPILING not in told


@pytest.mark.slow
@pytest.mark.parametrize("words", [("rank", "--labels", "labels.csv"), ("select", "--budget", "3")])
def test_the_first_answer_compiles_little_and_says_so(folder: Path, words: tuple[str, ...]) -> None:
    first, told = command(folder, words[0], "pool.csv", *words[1:])
    assert not first & NEVER
    assert told.count(COMPILING) == 1
    stored = {path: path.stat().st_mtime_ns for path in (folder / "compiled").rglob("*.nbc")}
    assert 0 < len(stored) <= MOST_COMPILED[words[0]]
    again, told = command(folder, words[0], "pool.csv", *words[1:])
    assert not again & NEVER
    assert COMPILING not in told
    assert stored == {path: path.stat().st_mtime_ns for path in (folder / "compiled").rglob("*.nbc")}
