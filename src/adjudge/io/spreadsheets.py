"""Cells that a spreadsheet would run as a formula, written so that it shows them as text."""

import re
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

FORMULA = re.compile(r"'*[=+\-@\t\r]")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def shown_as_text(cell: Any) -> Any:
    """A cell as it is written to a CSV file: an apostrophe before what a spreadsheet would run.

    Numbers stay numbers. What begins with apostrophes and a sign gets one more, so that `as_meant` is exact.

    >>> [shown_as_text(cell) for cell in ("=1+1", "-dog", "-1.5", "'=x", "cat", 3.0)]
    ["'=1+1", "'-dog", '-1.5', "''=x", 'cat', 3.0]
    """
    if isinstance(cell, str) and FORMULA.match(cell) and not NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell


def as_meant(cells: pa.LargeStringArray) -> pa.LargeStringArray:
    """Cells without the apostrophe that `shown_as_text` put before them.

    >>> as_meant(pa.array(["'=1+1", "''=x", "'cat", "-1.5"], pa.large_string())).to_pylist()
    ['=1+1', "'=x", "'cat", '-1.5']
    """
    return pc.replace_substring_regex(cells, r"^'('*[=+\-@\t\r])", r"\1")
