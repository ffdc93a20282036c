"""Raw data that models are run on: images, arrays, text and tables, read in bounded batches."""

from adjudge.io.idx import read_idx
from adjudge.models.datasets.data import Batch, Dataset, Kind, Transform
from adjudge.models.datasets.frames import from_rows, is_rows
from adjudge.models.datasets.hashing import hash_files
from adjudge.models.datasets.images import resized
from adjudge.models.datasets.reading import from_array, from_texts, read_data

__all__ = [
    "Batch",
    "Dataset",
    "Kind",
    "Transform",
    "from_array",
    "from_rows",
    "from_texts",
    "hash_files",
    "is_rows",
    "read_data",
    "read_idx",
    "resized",
]
