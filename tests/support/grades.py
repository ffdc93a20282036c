"""A person who grades: fills the plan of `adjudge select --grade`."""

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np


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


MODELS = ("good", "fair", "poor")


def answers(folder: Path, samples: int = 60) -> Path:
    """Open answers: the right one is `yes`, and worse models give it less often."""
    rng = np.random.default_rng(0)
    said = np.where(rng.random((samples, 3)) < [0.9, 0.7, 0.3], "yes", "no")
    rows = [f"s{place},{','.join(row)}" for place, row in enumerate(said)]
    file = folder / "answers.csv"
    file.write_text("\n".join([f"sample_id,{','.join(MODELS)}", *rows]) + "\n")
    return file
