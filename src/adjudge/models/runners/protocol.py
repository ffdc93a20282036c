"""What every kind of model does: take inputs, give outputs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.models.runners.settings import ModelSettings

NO_HIDDEN = "it has no hidden layer"

Shape: TypeAlias = tuple[int | None, ...]  # of one sample; None: any number


class NoFeatures(InputError):
    """Features are wanted of a model that cannot give any; it can be run without."""


class Raw(NamedTuple):
    """What a runtime gave for a batch."""

    outputs: Array | None  # (samples,) or (samples, outputs): labels, probabilities, logits or numbers
    features: Array | None = None  # (samples, units)
    labels: Array | None = None  # where the model itself says them, apart from its probabilities


class Runner(Protocol):
    """A model that was opened."""

    @property
    def takes(self) -> "Takes": ...

    @property
    def classes(self) -> tuple[str, ...] | None:
        """The names of the classes, where the model knows them."""

    def run(self, inputs: Array) -> Raw: ...


@dataclass(frozen=True)
class Takes:
    """What inputs a model takes; None: anything, or not known."""

    shape: Shape | None = None
    dtype: str | None = "float32"  # None: as they come
    batch: int | None = None  # exactly so many samples at a time
    channels: str = "last"  # what is usual for the kind
    raw: bool = False  # samples as they are, unless settings say otherwise


@dataclass(frozen=True)
class Request:
    """What is to be opened, and what is wanted of it."""

    settings: ModelSettings
    path: Path | None = None
    entry: str = ""  # the function after the colon, or an address
    features: bool = False
    probabilities: bool = False
    trust: bool = False


def need_trust(request: Request, what: str, instead: str) -> None:
    """Refuse what could run the code of whoever made the file, unless the user trusts them."""
    if not request.trust:
        raise InputError(
            f"{what} can run any code when it is opened; if you trust who made it, say --trust (trust=True in Python), "
            f"or save the model {instead}"
        )


class Kind(Protocol):
    """The module of one kind of model."""

    def open_model(self, request: Request) -> Runner: ...

    def versions(self) -> Mapping[str, str]:
        """The packages that decide about the numbers."""
