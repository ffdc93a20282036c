"""Results as JSON can hold them."""

import math
from typing import Any

VERSION = 1  # of what `--json` prints; a new one where a field is gone, or means something else

SCREENING_NAMES = {"disjoint_classes": "alone", "in_unit_interval": "unit"}  # fields of `check` under older names


def schema_name(command: str) -> str:
    """What the JSON of a command calls its schema.

    >>> schema_name("rank")
    'urn:adjudge:rank:1'
    """
    return f"urn:adjudge:{command}:{VERSION}"


def plain(value: Any) -> Any:
    """Without numpy's types, and without nan, which JSON does not have.

    >>> plain({"value": float("nan"), "of": (1, 2)})
    {'value': None, 'of': [1, 2]}
    """
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if hasattr(value, "tolist"):  # numpy's arrays and numbers
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
