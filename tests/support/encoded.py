"""Columns as they are encoded."""

from typing import Any

from adjudge.io import encode


def columns_encoded(*columns: Any, **options: Any) -> tuple[list[list[float]], tuple[str, ...] | None]:
    models = [f"m{each}" for each in range(len(columns))]
    values, classes = encode(columns, models, range(len(columns[0])), **options)
    return values.tolist(), classes
