"""Readers and writers: files, folders and frames to predictions, true values and logs of labels."""

from adjudge.io.files import atomic_write
from adjudge.io.labels.judges import read_judge
from adjudge.io.labels.log import read_labels, write_labels
from adjudge.io.labels.truth import Truth, read_truth, truth_in_order, truth_of, write_truth
from adjudge.io.predictions.costs import read_costs
from adjudge.io.predictions.encode import encode
from adjudge.io.predictions.features import read_features, read_reference
from adjudge.io.predictions.frames import from_frame
from adjudge.io.predictions.matrix import encode_array
from adjudge.io.predictions.merge import merge
from adjudge.io.predictions.prices import read_prices
from adjudge.io.predictions.read import read
from adjudge.io.predictions.scores import graded
from adjudge.io.predictions.write import write_predictions

__all__ = [
    "Truth",
    "atomic_write",
    "encode",
    "encode_array",
    "from_frame",
    "graded",
    "merge",
    "read",
    "read_costs",
    "read_features",
    "read_judge",
    "read_labels",
    "read_prices",
    "read_reference",
    "read_truth",
    "truth_in_order",
    "truth_of",
    "write_labels",
    "write_predictions",
    "write_truth",
]
