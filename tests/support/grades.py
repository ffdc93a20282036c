"""A person who grades: fills the plan of `adjudge select --grade`."""

import csv
from collections.abc import Callable
from pathlib import Path


def fill_grades(plan: Path, grade: Callable[[str], str]) -> None:
    """Write the grade of each answer into the last column."""
    notes: list[str] = []
    rows: list[str] = []
    for line in plan.read_text(encoding="utf-8").splitlines():
        (notes if line.startswith("#") else rows).append(line)
    header, *cells = csv.reader(rows)
    at = header.index("answer")
    filled = [",".join([*row[:-1], grade(row[at])]) for row in cells]
    plan.write_text("\n".join([*notes, ",".join(header), *filled]) + "\n", encoding="utf-8")
