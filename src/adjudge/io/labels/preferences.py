"""Preferences: which of two answers people like better, a row for each vote."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray, locked
from adjudge.core.index import listed
from adjudge.errors import InputError
from adjudge.io.column_names import IDS
from adjudge.io.files import PathLike
from adjudge.io.named_columns import named_columns, rows_of

NAMES = {  # what a column may be called
    "model_a": ("model_a", "model_1", "a", "left", "first", "model_left"),
    "model_b": ("model_b", "model_2", "b", "right", "second", "model_right"),
    "winner": ("winner", "preference", "preferred", "chosen", "choice", "vote", "outcome", "result", "label"),
    "sample": (*IDS, "prompt_id", "instruction", "prompt"),
}
NEEDED = ("model_a", "model_b", "winner")
FIRST = ("model_a", "model_1", "a", "left", "first")
SECOND = ("model_b", "model_2", "b", "right", "second")
TIES = ("tie", "tie (bothbad)", "both", "both_bad", "bothbad", "neither", "draw", "equal", "same")


@dataclass(frozen=True, eq=False)
class Preferences:
    """Votes on pairs of models; arrays are (votes,).

    Attributes
    ----------
    first, second
        Places of the two models in `models`.
    won
        By the first: 1, 0, or 0.5 for a tie.
    sample
        Votes on one sample have the same number, its place in `samples`; all have different ones where no sample is
        told.
    samples
        Ids of samples; empty where none is told.
    """

    models: tuple[str, ...]
    first: IntArray
    second: IntArray
    won: FloatArray
    sample: IntArray
    samples: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("first", "second", "won", "sample"):
            object.__setattr__(self, name, locked(getattr(self, name)))


def read_preferences(path: PathLike, *, columns: Mapping[str, str] | None = None) -> Preferences:
    """Votes on pairs of models from a file: CSV, JSONL or Parquet, a row for each vote.

    Parameters
    ----------
    path
        A table with two models and the winner: the name of a model, `model_a` or `model_b` (also `a`, `left`, `first`
        and the like), or `tie`. A column of samples says which votes belong together.
    columns
        What the table calls model_a, model_b, winner and sample, where that cannot be guessed.
    """
    file = Path(path)
    rows = rows_of(file, "vote")
    names = named_columns(file.name, rows, columns or {}, NAMES, NEEDED)
    cells = {meaning: [_text(row.get(name)) for row in rows] for meaning, name in names.items()}
    for meaning, texts in cells.items():
        if "" in texts:
            raise InputError(
                f"row {texts.index('') + 1} of {file.name} has no {meaning} in {names[meaning]!r}; fill it"
            )
    return preferences_of(cells["model_a"], cells["model_b"], cells["winner"], cells.get("sample"), file.name)


def preferences_of(
    model_a: Sequence[str],
    model_b: Sequence[str],
    winner: Sequence[str],
    sample: Sequence[str] | None = None,
    name: str = "the votes",
) -> Preferences:
    """The same from lists, an item for each vote."""
    pairs = list(zip(model_a, model_b, strict=True))
    if twice := [row for row, (a, b) in enumerate(pairs, start=1) if a == b]:
        raise InputError(
            f"row {twice[0]} of {name} compares {pairs[twice[0] - 1][0]!r} with itself; name two models, or remove it"
        )
    won = [_won(*pair, text) for pair, text in zip(pairs, winner, strict=True)]
    if strange := [row for row, each in enumerate(won) if each is None]:
        found = listed(list(dict.fromkeys(winner[row] for row in strange)), 4)
        raise InputError(
            f"row {strange[0] + 1} of {name} has a winner that is neither of its two models: {found}; write model_a, "
            "model_b, tie, or the name of one of the two"
        )
    models = tuple(dict.fromkeys(each for pair in pairs for each in pair))
    place = {model: number for number, model in enumerate(models)}
    samples = tuple(dict.fromkeys(sample)) if sample is not None else ()
    at = {each: number for number, each in enumerate(samples)}
    return Preferences(
        models,
        np.array([place[a] for a, _ in pairs], dtype=np.int64),
        np.array([place[b] for _, b in pairs], dtype=np.int64),
        np.array(won, dtype=np.float64),
        np.arange(len(pairs)) if sample is None else np.array([at[each] for each in sample], dtype=np.int64),
        samples,
    )


def _won(a: str, b: str, winner: str) -> float | None:
    """What the first of two models won; None: not known. Names of models go before words."""
    if winner in (a, b):
        return float(winner == a)
    word = winner.lower()
    if word in FIRST:
        return 1.0
    if word in SECOND:
        return 0.0
    return 0.5 if word in TIES else None


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()
