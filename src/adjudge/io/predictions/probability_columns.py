"""Columns of probabilities: which they are, and what they say about other columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.arrays import FloatArray
from adjudge.errors import PredictionsError
from adjudge.io.column_names import PROBABILITIES, PROBABILITY
from adjudge.io.notes import values_of
from adjudge.io.predictions.distinct import NUMBER, as_text, canonical, with_points
from adjudge.io.predictions.sources import TableSource

PREDICTION = "prediction"
TOLERANCE = 0.02  # of the sum of probabilities
ROUNDING = 0.01  # of a single one


def is_blank(source: TableSource, name: str) -> bool:
    """Whether no row has anything in the column."""
    return len(canonical(as_text(source.column(name).combine_chunks())).drop_null()) == 0


def naming_classes(source: TableSource, columns: Sequence[str], probability_columns: Mapping[str, str]) -> list[str]:
    """The columns in which nothing stands but classes whose probabilities are stated."""
    classes = {name.removeprefix(PROBABILITY).casefold() for name in probability_columns}
    found = []
    for name in columns if classes else ():
        said = canonical(as_text(source.column(name).unique())).drop_null().to_pylist()
        if said and all(text.casefold() in classes for text in said):
            found.append(name)
    return found


def saying_the_most_probable(
    source: TableSource, columns: Sequence[str], probability_columns: Mapping[str, str]
) -> str | None:
    """The column that names the most probable class in every row: `class` may be what the model says, not the truth."""
    if not columns or not probability_columns:
        return None
    rows = np.nan_to_num(_numbers(source, list(probability_columns.values())))
    place = {name.removeprefix(PROBABILITY).casefold(): at for at, name in enumerate(probability_columns)}
    for name in columns:
        texts = canonical(as_text(source.column(name).combine_chunks())).to_pylist()
        code = np.array([place.get((text or "").casefold(), -1) for text in texts], dtype=np.int64)
        if len(code) and (code >= 0).all() and (rows[code, np.arange(len(code))] > rows.max(axis=0) - ROUNDING).all():
            return name
    return None


def find_probability_columns(source: TableSource, free: Iterable[str], share: float) -> dict[str, str]:
    """The columns of probabilities under standard names, if there are any that sum to one."""
    lower = {name: name.lower() for name in free}
    for prefix in PROBABILITIES:
        names = [name for name, low in lower.items() if low.startswith(prefix) and len(low) > len(prefix)]
        trusted = prefix == PROBABILITY and bool(values_of(source.notes, "class"))
        if names and (trusted or _sum_to_one(source, names, share)):
            return {f"{PROBABILITY}{name[len(prefix) :]}": name for name in names}
    return {}


def _sum_to_one(source: TableSource, names: Sequence[str], share: float) -> bool:
    """Whether numbers that are not negative sum to one in this share of the rows that have them all."""
    try:
        rows = _numbers(source, names)
    except PredictionsError:
        return False
    total = rows.sum(axis=0)
    known = ~np.isnan(total)
    right = known & (np.abs(np.nan_to_num(total) - 1) < TOLERANCE) & ~(rows < 0).any(axis=0)
    return bool(known.any() and np.count_nonzero(right) >= share * np.count_nonzero(known))


def _numbers(source: TableSource, names: Sequence[str]) -> FloatArray:
    """(columns, rows): nan where blank."""
    return np.stack([_number_column(source, name) for name in names])


def _number_column(source: TableSource, name: str) -> FloatArray:
    texts = with_points(canonical(as_text(source.column(name).combine_chunks())))
    if wrong := pc.filter(texts, pc.invert(pc.match_substring_regex(texts, NUMBER))).to_pylist():
        raise PredictionsError(
            f"the column of probabilities {name!r} of {source.name} has {wrong[0]!r}, which is not a number; correct "
            "it, or leave it blank"
        )
    return np.asarray(texts.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)


def with_most_probable(table: TableSource, probability_columns: Sequence[str]) -> TableSource:
    """The table with a column of predictions: the class of the highest probability, the first of equals."""
    classes = pa.array([name.removeprefix(PROBABILITY) for name in probability_columns], pa.string())

    def predicted() -> pa.ChunkedArray:
        rows = _numbers(table, probability_columns)
        unknown = np.isnan(rows).any(axis=0)
        codes = np.where(unknown, 0, np.nan_to_num(rows).argmax(axis=0))
        return pa.chunked_array([pc.take(classes, pa.array(codes, mask=unknown))])

    def load(names: Sequence[str]) -> Iterator[pa.ChunkedArray]:
        for name in names:
            yield predicted() if name == PREDICTION else next(table.load([name]))

    return TableSource(table.name, (*table.columns, PREDICTION), load, table.notes, table.samples)
