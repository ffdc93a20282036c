"""What callers may give in place of predictions and labels: frames, and mappings of sample ids to labels."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from adjudge.core.arrays import Frame
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.io.labels.log import read_labels
from adjudge.io.predictions.frames import from_frame

PredictionsLike: TypeAlias = Predictions | Frame
LabelsLike: TypeAlias = Labels | Frame  # a mapping holds the label of each sample id


def given_predictions(predictions: PredictionsLike) -> Predictions:
    """A frame as predictions; what is neither is left for the checks to refuse."""
    frame = hasattr(predictions, "__arrow_c_stream__") or (isinstance(predictions, Mapping) and predictions)
    return from_frame(predictions) if frame else predictions  # type: ignore[return-value]


def given_pool(predictions: PredictionsLike, labels: LabelsLike | None) -> tuple[Predictions, Labels | None]:
    """The pool and its log; the pool gains a class where a label is of one that no model predicted."""
    pool = given_predictions(predictions)
    frame = hasattr(labels, "__arrow_c_stream__") or hasattr(labels, "items")
    if not frame or isinstance(labels, str | Path) or not isinstance(pool, Predictions):
        return pool, labels  # type: ignore[return-value]
    return read_labels(labels, pool)  # type: ignore[arg-type]


def given_labels(predictions: PredictionsLike, labels: LabelsLike) -> tuple[Predictions, Labels]:
    """`given_pool` where labels are needed."""
    pool, log = given_pool(predictions, labels)
    return pool, log  # type: ignore[return-value]
