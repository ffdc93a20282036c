"""What the measurements of honesty share: runs on real tasks, and tables that grow row by row.

Tasks are looked for in $ADJUDGE_TASKS or ../shared/tasks. With `--keep FILE` the cells of each row are kept there as they
are ready, and a second call goes on where the first one stopped.
"""

import argparse
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import Predictions
from adjudge.core.protocols import Selector
from adjudge.estimators.proxy import with_proxy
from adjudge.estimators.weighted import Helper
from adjudge.pooled import Pooled
from adjudge.readers import atomic_write, read, read_truth
from adjudge.selectors.random import Random

SELECTORS: dict[str, Selector] = {
    "uniform": Random(),
    "estimate": Pooled(goal="estimate"),
    "best": Pooled(),
    "rank": Pooled(goal="rank"),
}
HELPERS: dict[str, Helper | None] = {name: None if name == "uniform" else with_proxy for name in SELECTORS}


def asked(doc: str | None, *, runs: int, draws: Sequence[str]) -> argparse.ArgumentParser:
    """What all measurements can be asked for."""
    parser = argparse.ArgumentParser(description=(doc or "").split("\n")[0])
    parser.add_argument("tasks", nargs="*", help="names of tasks; without them, all with classes")
    parser.add_argument("--runs", type=int, default=runs)
    parser.add_argument("--draws", nargs="+", default=list(draws), choices=list(SELECTORS))
    parser.add_argument("--keep", type=Path, help="a JSON file of rows that are ready")
    return parser


def tasks(names: Sequence[str]) -> Iterator[tuple[str, Predictions, FloatArray]]:
    """The name, the pool and the truth of each task with classes."""
    folder = Path(os.environ.get("ADJUDGE_TASKS", Path(__file__).parents[2] / "shared" / "tasks"))
    for file in [folder / f"{name}.npz" for name in names] or sorted(folder.glob("*.npz")):
        pool, truth = read_truth(file, read(file))
        if pool.classes is not None:
            yield file.stem, pool, truth


class Table:
    """A Markdown table whose rows are printed, and kept, as they are ready."""

    def __init__(self, header: Sequence[str], keep: Path | None = None) -> None:
        self.keep = keep
        self.kept: dict[str, list[str]] = json.loads(keep.read_text()) if keep and keep.exists() else {}
        print(f"| {' | '.join(header)} |\n|{'---|' * len(header)}", flush=True)

    def row(self, key: Sequence[object], cells: Callable[[], Sequence[str]]) -> None:
        """The key, and cells that are worked out unless they are kept."""
        name = " ".join(map(str, key))
        if name not in self.kept:
            self.kept[name] = list(cells())
            if self.keep:
                atomic_write(self.keep, json.dumps(self.kept, indent=1).encode())
        print(f"| {' | '.join([*map(str, key), *self.kept[name]])} |", flush=True)


def with_error(runs: FloatArray | Sequence[float], digits: int = 3) -> str:
    """The mean over runs and its standard error."""
    values = np.asarray(runs, dtype=np.float64)
    spread = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{values.mean():.{digits}f} ± {spread:.{digits}f}"
