"""Models whose predictions stand in tables of their own: their samples are joined by id."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.arrays import IntArray
from adjudge.core.index import positions_of, repeated
from adjudge.core.predictions import Predictions
from adjudge.errors import PredictionsError
from adjudge.io.column_names import PROBABILITY
from adjudge.io.faults import refuse
from adjudge.io.predictions.align import Options, assembled, check_join, taken
from adjudge.io.predictions.distinct import as_text
from adjudge.io.predictions.prices import PRICES, with_prices
from adjudge.io.predictions.sources import TableSource


@dataclass(frozen=True, eq=False)
class ModelRows:
    """The rows of a table that are about one model; columns have their standard names."""

    model: str
    table: TableSource
    id: str
    rows: IntArray | None = None  # None: all of them

    def ids(self) -> pa.LargeStringArray:
        ids = self.table.ids(self.id)
        return ids if self.rows is None else ids.take(pa.array(self.rows))

    def column(self, name: str) -> pa.ChunkedArray:
        column = next(self.table.load([name]))
        return column if self.rows is None else column.take(pa.array(self.rows))

    @property
    def probability_columns(self) -> tuple[str, ...]:
        """The classes whose probabilities are known."""
        names = (name for name in self.table.columns if name.startswith(PROBABILITY) and name != PROBABILITY)
        return tuple(name.removeprefix(PROBABILITY) for name in names)


def from_models(models: Sequence[ModelRows], options: Options) -> Predictions:
    """The predictions of several models about the samples that they share, or that any of them has."""
    samples = _joined(models, options)

    def column(name: str) -> Iterator[pa.ChunkedArray]:
        for each in models:  # ids are read again, since the ids of all models would not fit in memory
            if name in each.table.columns:
                yield taken(each.column(name), positions_of(each.ids(), samples))
            else:
                yield pa.chunked_array([pa.nulls(len(samples), pa.string())])

    names = [each.model for each in models]
    pool = assembled(column, [each.probability_columns for each in models], names, samples, options)
    there = {name for each in models for name in each.table.columns}
    pool = with_prices(pool, column, [name for name in PRICES if name in there and name not in options.columns])
    for name in options.columns:
        if name not in there:
            raise PredictionsError(f"no file has a column {name!r}, which --columns names; leave it out")
    facts = {name: pc.coalesce(*map(as_text, column(name))) for name in options.columns}  # of the first that has it
    return replace(pool, columns=pa.table(facts)) if facts else pool


def _joined(models: Sequence[ModelRows], options: Options) -> pa.LargeStringArray:
    """The samples that all models predict, or with an outer join any model, in the order of the files."""
    samples, had, count, faults = pa.array([], pa.large_string()), np.zeros(0, dtype=np.int64), list[int](), list[str]()
    for each in models:
        try:
            ids = _unique_ids(each)
        except PredictionsError as fault:
            faults.append(str(fault))
            continue
        place = positions_of(samples, ids)
        had[place[place >= 0]] += 1  # how many models have each
        samples = pa.concat_arrays([samples, ids.filter(pa.array(place < 0))])
        had = np.append(had, np.ones(len(samples) - len(had), dtype=np.int64))
        count.append(len(ids))
    refuse(faults)
    shared = had == len(models)
    if shared.all():
        return samples
    least = int(np.argmin(count))
    lacking = np.flatnonzero(positions_of(models[least].ids(), samples) < 0)
    check_join(options.join, models[least].model, samples, lacking, shared, int(sum(count)), len(models))
    return samples if options.join == "outer" else samples.filter(pa.array(shared))


def _unique_ids(model: ModelRows) -> pa.LargeStringArray:
    ids, name = model.ids(), model.table.name
    if not len(ids):
        raise PredictionsError(f"{name} has column names but no rows; add one for each sample")
    if twice := repeated(ids):
        raise PredictionsError(
            f"the sample id {twice[0]!r} occurs more than once in {name}; keep one row for each sample"
        )
    return ids
