"""Experiments from Python; the commands have their own tests."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import adjudge
from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import Predictions

SPEC = """
repetitions = 2
budgets = [5, 10]
indicators = ["spearman"]
[[methods]]
method = "random"
[[methods]]
method = "ces"
"""


def test_an_experiment_is_a_function(small_pool: tuple[Predictions, FloatArray], tmp_path: Path) -> None:
    pool, truth = small_pool
    adjudge.write_predictions(pool, tmp_path / "small.npz", arrays={"labels": truth.astype(int)})
    (tmp_path / "spec.toml").write_text(SPEC)
    steps: list[tuple[str, int]] = []

    @contextmanager
    def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
        steps.append((what, total))
        yield lambda done: steps.append(("done", done))

    task = str(tmp_path / "small.npz")
    found = adjudge.bench(str(tmp_path / "spec.toml"), tmp_path / "out", tasks=[task], seed=3, progress=progress)
    assert steps == [("running jobs", 2), ("done", 0), ("done", 1), ("done", 2)]
    assert found.folder == tmp_path / "out"
    assert (found.folder / "report.html").exists()
    assert [each.job.name for each in found.left_out] == ["ces"]
    assert all((found.folder / f"{table.name}.csv").exists() for table in found.tables)
    assert found.tables
