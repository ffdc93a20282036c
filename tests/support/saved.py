"""Tables that are saved as files."""

from pathlib import Path

from adjudge.core.index import all_ids
from adjudge.core.predictions import Predictions

WIDE = "sample_id,a,b\ns1,cat,dog\ns2,dog,\ns3,cat,cat\n"


def saved(folder: Path, text: str | bytes, name: str = "preds.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def ids(predictions: Predictions) -> list[str]:
    found: list[str] = all_ids(predictions.samples).to_pylist()
    return found
