"""CPU seconds of small commands on a pool of 26 models and 900 samples, as ratios to the import of numpy and pyarrow.

First as after installation, with nothing compiled, then with compiled code in place. numba is told to keep it in a
folder of this run, so nothing else is touched. User and system time of each process count, whatever else is running.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import adjudge
from adjudge.simulation.contract import example_pool

TIMES = 5
PLAIN = ("-c", "import numpy, pyarrow")
COMMANDS = {
    "check": ("check", "pool.csv"),
    "rank": ("rank", "pool.csv"),
    "rank --labels": ("rank", "pool.csv", "--labels", "labels.csv"),
    "select": ("select", "pool.csv", "--budget", "20"),
}


def cpu_seconds(folder: Path, words: tuple[str, ...], compiled: str) -> float:
    """User and system time of one process."""
    # an installed package has its bytecode in place
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    settings |= {"NUMBA_CACHE_DIR": str(folder / compiled)}
    call = [sys.executable, *words]
    process = subprocess.Popen(call, cwd=folder, env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, words
    return used.ru_utime + used.ru_stime


def write_pool(folder: Path) -> None:
    pool, truth = example_pool(models=26, samples=900, classes=10)
    assert pool.classes is not None
    names = [f"s{sample}" for sample in range(900)]
    rows = {name: [pool.classes[code] for code in row] for name, row in zip(pool.models, pool.values, strict=True)}
    table = adjudge.from_frame({"sample_id": names} | rows)
    adjudge.write_predictions(table, folder / "pool.csv")
    plan = adjudge.select(table, 40)
    answers = {names[sample]: pool.classes[int(truth[sample])] for sample in plan.sample.tolist()}
    adjudge.write_labels(adjudge.fill(plan, table, answers), table, folder / "labels.csv")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_pool(folder)
        plain = min(cpu_seconds(folder, PLAIN, "none") for _ in range(TIMES))
        print(f"import numpy, pyarrow {plain:6.2f} CPU s")
        print(f"{'':18s} {'first':>8s} {'ratio':>9s} {'later':>8s} {'ratio':>9s}")
        for what, words in COMMANDS.items():
            call = ("-m", "adjudge", *words)
            first = cpu_seconds(folder, call, what)
            later = min(cpu_seconds(folder, call, what) for _ in range(TIMES))
            print(f"{what:18s} {first:6.2f} s {first / plain:7.1f} x {later:6.2f} s {later / plain:7.1f} x")


if __name__ == "__main__":
    main()
