"""Raw data that models are run on: images, arrays, text and tables, read in bounded batches."""

from adjudge.datasets.data import Batch, Dataset, Kind, Transform
from adjudge.datasets.hashing import hash_files
from adjudge.datasets.images import resized
from adjudge.datasets.reading import from_array, from_texts, read_data
from adjudge.readers.idx import read_idx

__all__ = [
    "Batch",
    "Dataset",
    "Kind",
    "Transform",
    "from_array",
    "from_texts",
    "hash_files",
    "read_data",
    "read_idx",
    "resized",
]
