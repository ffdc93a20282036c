"""The one loop: ask, answer, look, until a rule says stop."""

from collections.abc import Iterator

from adjudge.core.labels import Labels
from adjudge.core.protocols import Oracle, Picker, Stop


def steps(picker: Picker, oracle: Oracle, stop: Stop, labels: Labels) -> Iterator[Labels]:
    """The log after each label, starting with the log as it was given."""
    yield labels
    while not stop(labels) and (pick := picker(labels)) is not None:
        labels = labels.add(pick, oracle(pick.sample))
        yield labels


def budget(rows: int) -> Stop:
    """Stop when the log has this many rows."""
    return lambda labels: len(labels) >= rows


def hand_out(picker: Picker, labels: Labels, rows: int) -> Labels:
    """The log with so many more rows, all pending: a plan to be labeled elsewhere."""
    for _ in range(rows):
        pick = picker(labels)
        if pick is None:
            break
        labels = labels.hand_out(pick)
    return labels
