"""What the honesty benchmarks share: runs on real tasks, and tables that grow row by row.

Tasks are looked for in $ADJUDGE_TASKS (`make tasks` makes such a folder). With `--keep FILE` the cells of each row are
kept there as they are ready, and a second call goes on where the first one stopped.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Selector
from adjudge.experiments.tasks import FOLDER, find
from adjudge.inference.weighted import ControlVariate
from adjudge.io import atomic_write, read, read_truth
from adjudge.methods.baselines.random import Random
from adjudge.methods.pooled.control_variate import with_control_variate
from adjudge.methods.pooled.pooled import Pooled

SHARE, MOST_SAMPLES, FEWEST_MODELS = 0.7, 3000, 6  # of random parts
SELECTORS: dict[str, Selector] = {
    "uniform": Random(),
    "estimate": Pooled(goal="estimate"),
    "best": Pooled(),
}
CONTROL_VARIATES: dict[str, ControlVariate | None] = {
    name: None if name == "uniform" else with_control_variate for name in SELECTORS
}


def asked(doc: str | None, *, runs: int, draws: Sequence[str] = ()) -> argparse.ArgumentParser:
    """What all measurements can be asked for."""
    parser = argparse.ArgumentParser(description=(doc or "").split("\n")[0])
    parser.add_argument("tasks", nargs="*", help="names of tasks; without them, all with classes")
    parser.add_argument("--runs", type=int, default=runs)
    if draws:
        parser.add_argument("--draws", nargs="+", default=list(draws), choices=list(SELECTORS))
    parser.add_argument("--keep", type=Path, help="a JSON file of rows that are ready")
    return parser


def tasks(names: Sequence[str], abstain: Sequence[str] = ()) -> Iterator[tuple[str, Predictions, FloatArray]]:
    """The name, the pool and the truth of each task with classes."""
    files = find(names)
    if not files:
        raise SystemExit(f"there are no tasks; set ${FOLDER} to a folder of npz files, such as `make tasks` makes")
    for file in files:
        pool, truth = read_truth(file, read(file, abstain=abstain))
        if pool.classes is not None:
            yield file.stem, pool, truth


def part_of(
    pool: Predictions, truth: FloatArray, samples: int, models: int, *seed: int
) -> tuple[Predictions, FloatArray]:
    """So many samples and models of a pool, by the seed; 0, or more than there are: all of them."""
    columns = np.sort(np.random.default_rng([samples, *seed]).permutation(len(truth))[: samples or None])
    rows = np.sort(np.random.default_rng([models, *seed]).permutation(len(pool.models))[: models or None])
    here = np.ix_(rows, columns)
    names = tuple(pool.models[row] for row in rows)
    probabilities = None if pool.probabilities is None else pool.probabilities[here]
    part = Predictions(pool.values[here], names, range(len(columns)), pool.classes, probabilities, abstain=pool.abstain)
    return part, truth[columns]


def random_part(pool: Predictions, truth: FloatArray, seed: int) -> tuple[Predictions, FloatArray]:
    """Seven models in ten and as many samples, but not too many or too few."""
    samples, models = min(int(SHARE * len(truth)), MOST_SAMPLES), max(int(SHARE * len(pool.models)), FEWEST_MODELS)
    return part_of(pool, truth, samples, models, seed)


class Table:
    """A Markdown table whose rows are printed, and kept, as they are ready."""

    def __init__(self, header: Sequence[str], keep: Path | None = None) -> None:
        self.keep = keep
        self.kept: dict[str, list[str]] = json.loads(keep.read_text()) if keep and keep.exists() else {}
        print(f"| {' | '.join(header)} |\n|{'---|' * len(header)}", flush=True)

    def rows(
        self, keys: Sequence[Sequence[object]], cells: Callable[..., Sequence[Sequence[str]]], *given: Any
    ) -> None:
        """Print keys and cells; the cells of all these rows come from one call, which is made unless they are kept."""
        names = [" ".join(map(str, key)) for key in keys]
        if any(name not in self.kept for name in names):
            self.kept |= {name: list(each) for name, each in zip(names, cells(*given), strict=True)}
            if self.keep:
                with atomic_write(self.keep) as file:
                    file.write(json.dumps(self.kept, indent=1).encode())
        for key, name in zip(keys, names, strict=True):
            print(f"| {' | '.join([*map(str, key), *self.kept[name]])} |", flush=True)

    def cells(self, *key: object) -> list[str]:
        """Those of a row that was printed."""
        return self.kept[" ".join(map(str, key))]


def with_error(runs: FloatArray | Sequence[float], digits: int = 3) -> str:
    """The mean over runs and its standard error."""
    values = np.asarray(runs, dtype=np.float64)
    spread = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{values.mean():.{digits}f} ± {spread:.{digits}f}"
