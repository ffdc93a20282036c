"""A pool that is reported."""

import warnings
from pathlib import Path

import numpy as np

from adjudge import report
from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeWarning
from adjudge.registry import selector
from adjudge.reports.report.gather import ReportOptions
from adjudge.reports.report.write import write
from adjudge.simulation.contract import example_pool
from adjudge.simulation.loop import bought


def pool_of(models: int = 6, samples: int = 200, labels: int = 80) -> tuple[Predictions, Labels, FloatArray]:
    pool, truth = example_pool(models=models, samples=samples, seed=4)
    known = truth.astype(np.float64)
    return pool, bought(selector("pooled"), pool, known, labels, seed=0), known


def written(
    folder: Path, pool: Predictions, log: Labels | None, options: ReportOptions | None = None
) -> dict[str, str]:
    """The report in all three forms; gathering takes long, writing does not."""
    texts = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AdjudgeWarning)
        found = report(pool, log, folder / "report.html", options=options)
        for ending in ("html", "md", "json"):
            write(found, folder / f"report.{ending}")
            texts[ending] = (folder / f"report.{ending}").read_text()
    return texts
