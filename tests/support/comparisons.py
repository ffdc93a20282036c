"""A small comparison of methods."""

import csv
from pathlib import Path

from adjudge.experiments.comparison import Entry, MethodComparison
from adjudge.experiments.jobs import RunSettings
from adjudge.experiments.results import Results, write_results
from adjudge.experiments.run import run
from adjudge.experiments.tasks import load

METHODS = (Entry("SRS", "random"), Entry("RDG", "rdg"), Entry("SDS", "sds"), Entry("vote", "majority"))
COMPARISON = MethodComparison(METHODS, (10, 20, 40), ("spearman", "jaccard_3"), "SDS")


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, none of which is longer or shorter than the header."""
    header, *rows = csv.reader(path.read_text().splitlines())
    return [dict(zip(header, row, strict=True)) for row in rows]


def play(folder: Path, out: Path, workers: int = 1, **settings: int) -> Results:
    paths = {name: folder / f"{name}.npz" for name in ("bare", "full")}
    jobs = COMPARISON.jobs([load(path) for path in paths.values()], RunSettings(**{"repetitions": 3} | settings))
    results = run(jobs, paths, out, workers)
    write_results(results, out)
    return results
