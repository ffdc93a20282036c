"""What Label Studio exports."""

from typing import Any


def annotated(task: dict[str, Any], label: str | None, annotators: int = 1) -> dict[str, Any]:
    """A task as Label Studio exports it after people worked on it; no label: they skipped it."""
    result = [] if label is None else [{"from_name": "label", "type": "choices", "value": {"choices": [label]}}]
    one = {"was_cancelled": label is None, "result": result}
    return task | {"id": 1, "annotations": [one] * annotators}
