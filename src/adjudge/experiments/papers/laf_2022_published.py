"""What Guo et al. 2022 (LaF, arXiv 2204.03994) published: the numbers of its tables, to stand beside ours.

Tables 2, 4 and 5 are in `laf_2022_published.csv`, a row for each corruption and severity. Of Tables 3 and 6 only what
could be read without doubt is here: the averages of the one, the column of LaF of the other.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files

from adjudge.experiments.outputs import MISSING, Cell, Grid, Output, paper

TABLE_1 = (  # data set, classes, models, samples, accuracy, shift, shifted samples, robustness
    ("MNIST", "10", "30", "10000", "85.27-99.54", "synthetic", "750000", MISSING),
    ("Fashion-MNIST", "10", "25", "10000", "90.09-93.38", MISSING, MISSING, MISSING),
    ("CIFAR-10", "10", "30", "10000", "69.90-95.92", "synthetic", "750000", MISSING),
    ("iWildCam", "182", "20", "8154", "75.72-77.26", "natural", "42791", "65.30-76.82"),
    ("Amazon", "5", "20", "46950", "73.60-74.84", "natural", "100050", "71.35-72.35"),
    ("Java250", "250", "20", "15000", "64.73-87.39", MISSING, MISSING, MISSING),
    ("C++1000", "1000", "20", "99997", "71.39-92.10", MISSING, MISSING, MISSING),
)
TABLE_3 = {  # the averages over seven data sets: Random, SDS, CES, LaF
    "k = 1": ("0.10", "0.15", "0.45", "0.43"),
    "k = 3": ("0.19", "0.27", "0.46", "0.51"),
    "k = 5": ("0.28", "0.39", "0.53", "0.61"),
    "k = 10": ("0.49", "0.62", "0.61", "0.76"),
}
TABLE_6 = {  # LaF on iWildCam and Amazon
    "k = 1": ("1", "1"),
    "k = 3": ("1", "1"),
    "k = 5": ("0.67", "1"),
    "k = 10": ("0.82", "0.43"),
}
BEST = {  # in how many cases LaF is best, on MNIST-C and CIFAR-10-C (Section 5.2)
    "table-4": ("291 of 300", "289 of 300"),
    "table-5": ("287 of 300", "288 of 300"),
}
BENCHMARKS = ("MNIST-C", "CIFAR-10-C")
INDICATORS = {"table-4": "spearman", "table-5": "kendall"}
METHODS = ("Random", "SDS", "CES", "LaF")
NEAREST = {"noise": "gaussian noise", "blur": "defocus blur"}  # of the paper's corruptions, to tasks so called
READ = {
    "table-2": "The paper's rows are the nearest corruption of its own.",
    "table-4": "The paper's rows are the nearest corruption of its own, at the same severity.",
    "table-5": "The paper's rows are the nearest corruption of its own, at the same severity.",
    "table-6": "Of the paper's Table 6 the numbers of LaF are shown.",
}

Row = tuple[Cell, ...]
Published = Mapping[tuple[str, str, str], Mapping[str, str]]  # by benchmark, corruption and severity


def beside(output: Output) -> Output:
    """A table of ours with the paper's rows where they belong."""
    if not isinstance(output, Grid):
        return output
    rows: list[Row] = []
    for place, row in enumerate(output.rows):
        rows.append(row)
        last = place + 1 == len(output.rows) or output.rows[place + 1][0] != row[0]
        rows += _after(output.name, row, last)
    if output.name == "table-1":
        rows += [(paper(name), *map(Cell, told)) for name, *told in TABLE_1]
    return replace(output, rows=tuple(rows), note=f"{output.note} {READ.get(output.name, '')}".strip())


def _after(table: str, row: Row, last: bool) -> Iterator[Row]:
    """The paper's rows below one of ours; `last` says that it ends its part of the table."""
    first = row[0].text
    if table == "table-2":
        yield from _robustness(row[1].text)
    elif table in INDICATORS and row[1].text == "best in":
        for benchmark, told in zip(BENCHMARKS, BEST[table], strict=True):
            yield (paper(benchmark), *map(Cell, ("best in", "", *[MISSING] * 3, told)))
    elif table in INDICATORS and any(each.text != MISSING for each in row[3:]):
        yield from _correlations(INDICATORS[table], row[1].text, row[2].text)
    elif table == "table-3" and last and first in TABLE_3:
        yield (row[0], paper("average of 7"), *map(Cell, TABLE_3[first]))
    elif table == "table-6" and last and first in TABLE_6:
        for name, told in zip(("iWildCam", "Amazon"), TABLE_6[first], strict=True):
            yield (row[0], paper(name), *map(Cell, (*[MISSING] * 3, told)))


def _robustness(kind: str) -> Iterator[Row]:
    for benchmark in BENCHMARKS:
        asked = (benchmark, near(kind))
        if ranges := [told["robustness"] for place, told in shifted().items() if place[:2] == asked]:
            yield (paper(benchmark), Cell(near(kind)), *map(Cell, ranges))


def _correlations(indicator: str, kind: str, severity: str) -> Iterator[Row]:
    for benchmark in BENCHMARKS:
        if told := shifted().get((benchmark, near(kind), severity)):
            values = (told[f"{indicator}_{method}"] for method in METHODS)
            yield (paper(benchmark), Cell(near(kind)), Cell(severity), *map(Cell, values))


def near(kind: str) -> str:
    """The corruption of the paper that is nearest to one of ours.

    >>> near("blur"), near("fog")
    ('defocus blur', 'fog')
    """
    return NEAREST.get(kind, kind)


@cache
def shifted() -> Published:
    """Tables 2, 4 and 5; severities in order."""
    text = files(__package__).joinpath("laf_2022_published.csv").read_text(encoding="utf-8")
    return {(row["benchmark"], row["corruption"], row["severity"]): row for row in csv.DictReader(text.splitlines())}
