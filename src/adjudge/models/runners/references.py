"""What names a model: a file, a function, an address; and which kind it is."""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit
from uuid import uuid4

from adjudge.errors import InputError
from adjudge.io.files import PREDICTION_SUFFIXES, PathLike
from adjudge.models.datasets import hash_files
from adjudge.models.runners.protocol import Kind
from adjudge.models.runners.settings import ModelSettings

SUFFIXES = {
    ".h5": "keras",
    ".hdf5": "keras",
    ".keras": "keras",
    ".onnx": "onnx",
    ".pt2": "torch_export",
    ".pt": "torchscript",
    ".pth": "torchscript",
    ".ts": "torchscript",
    ".safetensors": "torch_module",
    ".skops": "sklearn",
    ".joblib": "sklearn",
    ".pkl": "sklearn",
    ".pickle": "sklearn",
}
STORED_KIND = "predictions"
NAMED = re.compile(r"^([\w.-]+)=(.+)$")


@dataclass(frozen=True)
class Reference:
    """A model as it was told: `given` with its `kind`, its file if it has one, and what stands after a colon."""

    given: str
    name: str
    kind: str
    path: Path | None = None
    entry: str = ""

    @property
    def module(self) -> Kind:
        return cast(Kind, import_module(f"adjudge.models.runners.{self.kind}"))

    def digest(self, settings: ModelSettings) -> str:
        """A hash of the files that make the model; of the address, where there is no file."""
        if self.path is None:
            source = _source(self)
            return hashlib.sha256(self.given.encode()).hexdigest() if source is None else hash_files([source])
        files = [self.path, *_side_files(self)]
        if settings.build is not None:
            files.append(Path(settings.build.rpartition(":")[0]))
        return hash_files(file for file in files if file.exists())


@dataclass(frozen=True, eq=False)
class LiveModel(Reference):
    """A model in memory: a fitted estimator of scikit-learn, or a function of a batch of samples."""

    model: object = None

    @property
    def module(self) -> Kind:
        from adjudge.models.runners.live import LiveKind

        return LiveKind(self.model)

    def digest(self, settings: ModelSettings) -> str:
        """Nothing says whether two models in memory are the same, so that no result of one is taken for another's."""
        return uuid4().hex


def live(model: object, name: str | None = None) -> LiveModel:
    """A model in memory under this name, or that of its function or class."""
    if isinstance(model, type) or not (hasattr(model, "predict") or callable(model)):
        told = "" if name is None else f" of {name!r}"
        what = f"the class {model.__name__}" if isinstance(model, type) else f"a {type(model).__name__}"
        raise InputError(
            f"models: the model{told} is {what}, which cannot predict; give a fitted estimator, a function, or a file"
        )
    found = (getattr(model, "__name__", None) or type(model).__name__) if name is None else name
    return LiveModel(found, found, "live", model=model)


def references(models: "Mapping[str, object] | Sequence[PathLike | Reference | object]") -> list[Reference]:
    """The models with names that differ: the stem of a file, or the whole name where stems are the same.

    Some of the models that this gave keep their names; a mapping tells the names, and models may be in memory.

    >>> [each.name for each in references(["a/net.onnx", "b/tree.skops", "best=c/net.h5", "my.models:guess"])]
    ['net', 'tree', 'best', 'guess']
    """
    if isinstance(models, Mapping):
        return [_named(str(name), model) for name, model in models.items()]
    found = [_named(None, model) for model in models]
    for longer in (lambda each: Path(each.given).name, lambda each: each.given):
        counts = Counter(each.name for each in found)
        found = [replace(each, name=longer(each)) if counts[each.name] > 1 else each for each in found]
    twice = [name for name, count in Counter(each.name for each in found).items() if count > 1]
    if twice:
        in_memory = any(isinstance(each, LiveModel) and each.name == twice[0] for each in found)
        how = "give a dict of names and models" if in_memory else "give it once, or another name: NAME=MODEL"
        raise InputError(f"the model {twice[0]!r} is given more than once; {how}")
    return found


def _named(name: str | None, model: object) -> Reference:
    if isinstance(model, tuple) and len(model) == 2 and isinstance(model[0], str):  # as scikit-learn has them
        name, model = model
    if not isinstance(model, Reference | str | Path):
        return live(model, name)
    found = model if isinstance(model, Reference) else _reference(str(model))
    return found if name is None else replace(found, name=name)


def _reference(given: str) -> Reference:
    if (named := NAMED.match(given)) and not Path(given).exists():
        return replace(_reference(named[2]), name=named[1])
    if given.startswith(("http://", "https://")):
        parts = urlsplit(given)
        return Reference(given, f"{parts.netloc}{parts.path}".rstrip("/"), "endpoint", entry=given)
    path = Path(given)
    file, colon, entry = given.rpartition(":")
    if colon and entry.isidentifier() and not path.exists():
        if not file.endswith(".py"):
            return Reference(given, entry, "python_function", entry=given)
        weights = Path(file).with_suffix(".safetensors").exists()
        name = Path(file).stem if weights else entry
        return Reference(given, name, "torch_module" if weights else "python_function", Path(file), entry)
    suffix = path.suffix.lower()
    if suffix in PREDICTION_SUFFIXES:
        return Reference(given, path.stem, STORED_KIND, path)
    if suffix not in SUFFIXES:
        known = ", ".join((*SUFFIXES, *PREDICTION_SUFFIXES))
        raise InputError(
            f"{given!r} is not a model that can be run; give a file that ends in {known}, a function as "
            "package.module:function, or an address"
        )
    return Reference(given, path.stem, SUFFIXES[suffix], path)


def _source(reference: Reference) -> Path | None:
    """The file that a function is in."""
    if reference.kind != "python_function":
        return None
    from adjudge.models.runners.python_function import source_of

    return source_of(reference.entry.rpartition(":")[0])


def _side_files(reference: Reference) -> list[Path]:
    """Files whose content is part of the model: weights next to code or next to an ONNX graph."""
    path = reference.path
    assert path is not None
    if reference.kind == "torch_module":
        return [path.with_suffix(".safetensors")]
    if reference.kind == "onnx":
        from adjudge.models.runners.onnx import side_files

        return side_files(path)
    return []
