"""What one model said, as it grows: on disk, so that an interrupted run goes on and a second one is spared."""

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Literal

import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.io import atomic_write
from adjudge.models.runners.outputs import ModelOutputs

SAVED_EVERY = 5.0  # seconds after which what is done is noted
ARRAYS = ("values", "probabilities", "features")
STATE, ABOUT = "state.json", "about.json"


@dataclass(frozen=True, eq=False)
class Result:
    """What one model said about all samples.

    `values` are codes of `classes` (-1: nothing), or numbers where there are no classes. `listed` says whether the
    classes are all there can be, `named` whether they have names or only positions.
    """

    name: str
    values: Array
    classes: tuple[str, ...] | None
    probabilities: Array | None = None
    features: Array | None = None
    listed: bool = True
    named: bool = True
    about: Mapping[str, Any] = field(default_factory=dict)


class Growing:
    """The arrays of a model that is being run; without a folder they are held in memory."""

    def __init__(self, folder: Path | None, samples: int) -> None:
        self.folder, self.samples = folder, samples
        self.state: dict[str, Any] = {"done": 0, "seconds": 0.0, "meaning": None, "classes": None, "vocabulary": []}
        self.arrays: dict[str, Array] = {}
        self._saved = self._begun = monotonic()
        if folder is not None and (folder / STATE).exists():
            self.state = json.loads((folder / STATE).read_text(encoding="utf-8"))
            self.arrays = _arrays(folder, "r+")
        elif folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)

    @property
    def done(self) -> int:
        return int(self.state["done"])

    def begin(self, meaning: str, classes: tuple[str, ...] | None) -> None:
        """Note what the outputs are, judged by the first of them."""
        self.state |= {"meaning": meaning, "classes": classes}

    def add(self, answers: ModelOutputs) -> None:
        """Append what was said about the next samples."""
        codes = answers.values if self.state["meaning"] == "numbers" else self._codes(answers.values)
        last = self.done + len(codes)
        for name, rows in zip(ARRAYS, (codes, answers.probabilities, answers.features), strict=True):
            if rows is not None:
                self._array(name, rows)[self.done : last] = rows
        self.state["done"] = last
        if monotonic() - self._saved > SAVED_EVERY:
            self.save()

    def save(self) -> None:
        """Note how far it is; what comes later is run again."""
        now = monotonic()
        self.state["seconds"] += now - self._begun
        self._saved = self._begun = now
        if self.folder is not None:
            for array in self.arrays.values():
                if isinstance(array, np.memmap):
                    array.flush()
            with atomic_write(self.folder / STATE) as opened:
                opened.write(json.dumps(self.state).encode())

    def finish(self, about: Mapping[str, Any], target: Path | None) -> None:
        """Give the folder its final name, now that it is whole."""
        self.save()
        if self.folder is not None and target is not None:
            with atomic_write(self.folder / ABOUT) as opened:
                opened.write(json.dumps({**about, **self.state}, indent=2).encode())
            self.folder.rename(target)

    def _array(self, name: str, rows: Array) -> Array:
        if name not in self.arrays:
            kind = np.dtype({"f": np.float32, "i": np.int32}[rows.dtype.kind] if rows.ndim > 1 else rows.dtype)
            shape = (self.samples, *rows.shape[1:])
            self.arrays[name] = (
                np.empty(shape, kind)
                if self.folder is None
                else np.lib.format.open_memmap(self.folder / f"{name}.npy", "w+", kind, shape)
            )
        if self.arrays[name].shape[1:] != rows.shape[1:]:
            raise InputError(
                f"the {name} had the shape {self.arrays[name].shape[1:]} for a sample and now have {rows.shape[1:]}; "
                "a model has to give the same for each"
            )
        return self.arrays[name]

    def _codes(self, values: Array) -> Array:
        """Labels as codes: positions stay, names are looked up in the classes, or collected where none are known."""
        classes = self.state["classes"]
        if values.dtype.kind in "iu" and classes is not None:
            if len(values) and (values.min() < -1 or values.max() >= len(classes)):
                wrong = values.max() if values.max() >= len(classes) else values.min()
                raise InputError(
                    f"{wrong} is not a valid class code (0-{len(classes) - 1}); correct the output, or the classes in "
                    "its TOML"
                )
            return values.astype(np.int32)
        texts, places = np.unique(values.astype(str), return_inverse=True)
        known = {name: at for at, name in enumerate(classes or self.state["vocabulary"])}
        for text in texts.tolist():
            if text and text not in known:
                if classes is not None:
                    raise InputError(
                        f"the label {text!r} is not one of its {len(classes)} classes; list all of them in its TOML"
                    )
                known[text] = len(known)
                self.state["vocabulary"].append(text)
        return np.array([known.get(text, -1) for text in texts.tolist()], dtype=np.int32)[places]


def load_kept(folder: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """What is known about a whole result, and its arrays, left on disk."""
    return json.loads((folder / ABOUT).read_text(encoding="utf-8")), _arrays(folder, "r")


def find_kept(folder: Path) -> tuple[dict[str, Any], dict[str, Array]] | None:
    """What is kept of an earlier run; nothing, and no folder either, where it was damaged."""
    if not (folder / ABOUT).exists():
        return None
    try:
        return load_kept(folder)
    except (OSError, ValueError, EOFError):  # as json and numpy say it
        shutil.rmtree(folder, ignore_errors=True)
        return None


def _arrays(folder: Path, mode: Literal["r", "r+"]) -> dict[str, Array]:
    names = [name for name in ARRAYS if (folder / f"{name}.npy").exists()]
    return {name: np.load(folder / f"{name}.npy", mmap_mode=mode) for name in names}


def folder_name(name: str, identity: Mapping[str, Any]) -> str:
    """A name that differs wherever the results may."""
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:12]
    readable = "".join(each if each.isalnum() or each in "-_." else "-" for each in name)
    return f"{readable[:80]}-{digest}"
