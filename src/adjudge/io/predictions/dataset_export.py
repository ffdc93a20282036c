"""Predictions as a folder that Hugging Face `datasets` opens."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from adjudge.core.index import fingerprint
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError, PredictionsError
from adjudge.io.files import PathLike, make_folder, naming
from adjudge.io.predictions.dataset_folders import FILES, INFO, STATE
from adjudge.io.predictions.write import write_predictions

DATA = "data-00000-of-00001.arrow"


def write_dataset(predictions: Predictions, path: PathLike) -> None:
    """Write predictions as a folder that `datasets.load_from_disk` opens, and `read` turns into the same predictions.

    It has the columns of a Parquet file (`write_predictions`): one for each model, or, with probabilities, a row for
    each model and sample.

    Examples
    --------
    >>> from adjudge import from_frame, read
    >>> folder = getfixture("tmp_path") / "pool"
    >>> write_dataset(from_frame({"id": ["p", "q"], "net": ["cat", "dog"], "tree": ["cat", "cat"]}), folder)
    >>> read(folder)
    Predictions(2 models x 2 samples, 2 classes)
    """
    folder = Path(path)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is there already; name a new folder")
    with naming(folder, PredictionsError), tempfile.TemporaryDirectory() as between:
        write_predictions(predictions, Path(between) / "pool.parquet")
        table = _plain(parquet.read_table(Path(between) / "pool.parquet"))
        make_folder(folder)
        with pa.OSFile(str(folder / DATA), "wb") as opened, pa.ipc.new_stream(opened, table.schema) as stream:
            stream.write_table(table)
    features = {field.name: {"dtype": _dtype(field.type), "_type": "Value"} for field in table.schema}
    state: dict[str, Any] = dict.fromkeys(("_format_columns", "_format_type", "_split"))
    state |= {FILES: [{"filename": DATA}], "_fingerprint": fingerprint(predictions.samples)}
    state |= {"_format_kwargs": {}, "_output_all_columns": False}
    for name, content in ((INFO, {"features": features}), (STATE, state)):
        (folder / name).write_text(json.dumps(content, indent=2), encoding="utf-8")


def _plain(table: pa.Table) -> pa.Table:
    """Without dictionaries, which `datasets` does not take; the notes stay."""
    fields = [
        pa.field(each.name, each.type.value_type if pa.types.is_dictionary(each.type) else each.type)
        for each in table.schema
    ]
    return table.cast(pa.schema(fields, metadata=table.schema.metadata))


def _dtype(kind: pa.DataType) -> str:
    """What `datasets` calls a type."""
    return {"double": "float64", "float": "float32"}.get(str(kind), str(kind))
