"""The labeling loop: pick a sample, get its label, until a stopping rule ends it."""

from collections.abc import Iterator

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.labels import SKIP, Labels, Value
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Oracle, Picker, PlannedPicker, Selector, Stop, hand_out


def steps(picker: Picker, oracle: Oracle, stop: Stop, labels: Labels) -> Iterator[Labels]:
    """The log after each label, starting with the log as it was given."""
    yield labels
    while not stop(labels) and (pick := picker(labels)) is not None:
        labels = labels.add(pick, oracle(pick.sample))
        yield labels


def budget(rows: int) -> Stop:
    """Stop when the log has this many rows."""
    return lambda labels: len(labels) >= rows


def answers_of(truth: Array) -> Oracle:
    """An oracle from a known truth; nan there is a sample that nobody can label."""

    def oracle(sample: int) -> Value:
        return SKIP if np.isnan(truth[sample]) else float(truth[sample])

    return oracle


def bought(selector: Selector, predictions: Predictions, truth: Array, rows: int, seed: int, batch: int = 1) -> Labels:
    """The log of a whole run from an empty log; the labels of each batch of samples come from the truth together."""
    *_, labels = logs(selector, predictions, truth, rows, seed, batch)
    return labels


def logs(
    selector: Selector, predictions: Predictions, truth: Array, rows: int, seed: int, batch: int = 1
) -> Iterator[Labels]:
    """The log of such a run as it grows: empty, then after each batch; whole at once where it is planned ahead."""
    labels = Labels.empty(len(truth))
    if not rows:
        yield labels
        return
    picker = selector.start(predictions, labels, rows, seed)
    if isinstance(picker, PlannedPicker):
        yield picker.whole(truth, rows)
        return
    if batch == 1:
        yield from steps(picker, answers_of(truth), budget(rows), labels)
        return
    yield labels
    while len(labels) < rows:
        longer = hand_out(picker, labels, min(batch, rows - len(labels)))
        if len(longer) == len(labels):
            break
        labels = longer.answer_all(truth)
        yield labels
