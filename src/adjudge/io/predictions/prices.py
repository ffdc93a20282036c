"""What models cost and how long they take: numbers beside predictions, or a table with a row for each model."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from adjudge.core.arrays import FloatArray
from adjudge.core.index import Index
from adjudge.core.predictions import Predictions, place_of
from adjudge.errors import InputError
from adjudge.io.files import PathLike, checked_path, naming
from adjudge.io.labels.values import parsed_numbers
from adjudge.io.predictions.align import Column
from adjudge.io.predictions.distinct import as_text
from adjudge.io.predictions.sources import open_source

PRICES = ("cost", "latency")  # names of columns, and of auxiliary numbers for each model and sample


def with_prices(predictions: Predictions, column: Column, names: Sequence[str]) -> Predictions:
    """The pool with the numbers of a long table that are prices, one for each model and sample."""
    for name in (each for each in PRICES if each in names):
        rows = [
            _prices(part, predictions.samples, f"the {name} of {model!r},", "")
            for model, part in zip(predictions.models, column(name), strict=True)
        ]
        predictions = predictions.with_auxiliary(name, np.stack(rows))
    return predictions


def read_prices(path: PathLike, predictions: Predictions) -> Predictions:
    """The pool with the mean cost and latency of models for a sample, from a table: model,cost,latency.

    Either column may be left out, and so may models. They take the place of what the predictions' own file says.
    """
    with naming(path):
        source = open_source(checked_path(path))
        source.need("model")
        there = [name for name in PRICES if name in source.columns]
        if not there:
            raise InputError(f"there is no column cost or latency, only {source.listed()}; add one")
        names = as_text(source.column("model").combine_chunks())
        places = [place_of(name, predictions) for name in names.to_pylist()]
        if len(set(places)) < len(places):
            raise InputError("a model has several rows; give it one")
        for name in there:
            numbers = np.full(len(predictions.models), np.nan)
            numbers[places] = _prices(source.column(name), None, f"the {name}", source.name)
            each = np.broadcast_to(numbers[:, None], predictions.values.shape)
            predictions = predictions.with_auxiliary(name, each)
        return predictions


def _prices(column: pa.ChunkedArray, samples: "Index | None", what: str, file: str) -> FloatArray:
    prices = parsed_numbers(as_text(column.combine_chunks()), samples, what, file)
    if (prices < 0).any():
        found = f"{what.rstrip(',')} is {prices[prices < 0][0]:g}, which is below zero"
        raise InputError(f"{found}; correct it, or leave it blank if it is unknown")
    return prices
