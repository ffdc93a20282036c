"""Tables of equal answers: what each answer stands for, to look through, change, and give to `--normalize`."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.io.files import PathLike, write_table
from adjudge.io.predictions.distinct import as_text
from adjudge.io.predictions.sources import open_source

COLUMNS = ("answer", "canonical")


def read_equivalences(path: PathLike) -> dict[str, str]:
    """Answers and what each stands for, from a table with the columns answer and canonical."""
    source = open_source(Path(path))
    source.need(*COLUMNS)
    answers, meant = (as_text(source.column(name).combine_chunks()).to_pylist() for name in COLUMNS)
    found: dict[str, str] = {}
    for answer, name in zip(answers, meant, strict=True):
        if not (answer or "").strip() or not (name or "").strip():
            raise InputError(f"a row of {source.name} has no answer or no canonical one; fill it in, or remove it")
        if found.setdefault(answer.strip(), name.strip()) != name.strip():
            raise InputError(
                f"{source.name} says that {answer!r} is both {found[answer.strip()]!r} and {name!r}; keep one"
            )
    return found


def write_equivalences(predictions: Predictions, path: PathLike) -> int:
    """Write the answers that were merged, as a table to look through, change, and give to `normalize`.

    Returns
    -------
    int
        How many answers there are in the table.
    """
    by = predictions.normalization
    rows = [(each, name) for name, written in (by.merged if by else {}).items() for each in written]
    write_pairs(rows, path)
    return len(rows)


def write_pairs(rows: Sequence[tuple[str, str]], path: PathLike) -> None:
    """Write answers and what each stands for; `read_equivalences` reads them back."""
    columns = zip(*rows, strict=True) if rows else ((), ())
    write_table(
        pa.table({name: pa.array(cells, pa.string()) for name, cells in zip(COLUMNS, columns, strict=True)}), path
    )
