"""Readers and writers: files, folders and frames to predictions, true values and logs of labels."""

from adjudge.readers.costs import read_costs
from adjudge.readers.encode import encode
from adjudge.readers.features import read_features
from adjudge.readers.files import atomic_write
from adjudge.readers.label_log import read_labels, write_labels
from adjudge.readers.matrix import encode_array
from adjudge.readers.predictions import read, write_predictions
from adjudge.readers.tables import from_frame
from adjudge.readers.truth import Truth, read_truth, truth_in_order, truth_of, write_truth

__all__ = [
    "Truth",
    "atomic_write",
    "encode",
    "encode_array",
    "from_frame",
    "read",
    "read_costs",
    "read_features",
    "read_labels",
    "read_truth",
    "truth_in_order",
    "truth_of",
    "write_labels",
    "write_predictions",
    "write_truth",
]
