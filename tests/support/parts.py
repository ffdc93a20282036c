"""A pool in every form that is read in parts."""

from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from adjudge.core.arrays import Array
from adjudge.io import read
from adjudge.io.predictions.parts import PredictionParts

MODELS, SAMPLES, CLASSES = 7, 600, 3
SMALL = "4KB"  # less than the pool takes


def values_of(seed: int = 0) -> Array:
    """Class codes of models of different accuracy, some of them missing."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(CLASSES, size=SAMPLES)
    right = rng.random((MODELS, SAMPLES)) < np.linspace(0.4, 0.9, MODELS)[:, None]
    values = np.where(right, truth, rng.integers(CLASSES, size=(MODELS, SAMPLES))).astype(np.int8)
    values[rng.random(values.shape) < 0.02] = -1
    return values


def probabilities_of(values: Array) -> Array:
    """Probabilities under which the stored class is the likeliest; nan where it is missing."""
    odds = np.random.default_rng(1).random((*values.shape, CLASSES)) + 2 * np.eye(CLASSES)[values]
    odds[values < 0] = np.nan
    return np.asarray(odds / odds.sum(axis=2, keepdims=True), dtype=np.float32)


def write_npz(path: Path, *, probabilities: bool = False, truth: bool = False) -> Path:
    values = values_of()
    arrays = {"predictions": values, "model_names": np.array(names()), "class_names": np.array(list("xyz"))}
    arrays |= {"probabilities": probabilities_of(values)} if probabilities else {}
    arrays |= {"labels": np.maximum(values[-1], 0)} if truth else {}
    np.savez(path, allow_pickle=False, **arrays)
    return path


def names() -> list[str]:
    return [f"m{model}" for model in range(MODELS)]


def wide() -> pa.Table:
    text = np.array([*"xyz", None], dtype=object)
    columns = {name: pa.array(text[row]) for name, row in zip(names(), values_of(), strict=True)}
    return pa.table({"sample_id": [f"s{each}" for each in range(SAMPLES)], **columns})


def long() -> pa.Table:
    table = wide()
    rows = [
        {"sample_id": row["sample_id"], "model": name, "prediction": row[name]}
        for row in table.to_pylist()
        for name in names()
    ]
    return pa.Table.from_pylist(rows)


def write_folder(path: Path, table: pa.Table, parts: int = 4, row_group: int | None = None) -> Path:
    path.mkdir()
    rows = -(-table.num_rows // parts)
    for part in range(parts):
        some = table.slice(part * rows, rows)
        parquet.write_table(some, path / f"part-{part}.parquet", row_group_size=row_group or rows // 2)
    return path


def write_pool(path: Path, form: str) -> Path:
    """The same pool as an npy, npz or Parquet file, or as a folder of wide or long parts."""
    if form == "npy":
        np.save(path / "pool.npy", values_of())
        return path / "pool.npy"
    if form == "npz":
        return write_npz(path / "pool.npz")
    if form == "file":
        parquet.write_table(wide(), path / "pool.parquet", row_group_size=50)
        return path / "pool.parquet"
    if form == "wide":
        return write_folder(path / "pool", wide(), row_group=25)
    return write_folder(path / "pool", long(), row_group=25 * MODELS)


def in_parts(path: Path | str) -> PredictionParts:
    pool = read(path, memory=SMALL)
    assert isinstance(pool, PredictionParts)
    assert len(pool.parts) > 2
    return pool


def flat(facts: object) -> list[float]:
    """All numbers in what a command prints as JSON, in order."""
    if isinstance(facts, dict):
        facts = list(facts.values())
    if isinstance(facts, list | tuple):
        return [number for each in facts for number in flat(each)]
    return [float(facts)] if isinstance(facts, int | float) else []
