"""What a model expects of its inputs: a small TOML file next to it, and what holds where it says nothing."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from adjudge.errors import InputError
from adjudge.io.files import naming, parsing
from adjudge.models.runners.layers import WAYS, Layer, is_layer

Output: TypeAlias = Literal["probabilities", "logits", "labels", "numbers", "binary"]
Check: TypeAlias = tuple[Callable[[Any], bool], Callable[[Any], Any], str]  # what fits, how to take it, else the advice
CHANNELS = ("first", "last")
ORDERS = ("rgb", "bgr")
SHARED = "adjudge.toml"  # for all models of a folder that have no file of their own


@dataclass(frozen=True)
class ModelSettings:
    """How raw samples become inputs, and what outputs mean; None: what suits the model.

    Images are resized, turned gray, put in the channel order, multiplied by `scale`, reduced by `mean` and divided by
    `std`, in this order.

    >>> ModelSettings.told({"scale": 1.0, "mean": [127.5]})
    ModelSettings(scale=1.0, mean=(127.5,))
    """

    scale: float | None = None  # 1/255 for images, 1 for anything else
    mean: tuple[float, ...] = ()  # one for all channels, or one each, after scaling
    std: tuple[float, ...] = ()
    size: tuple[int, int] | None = None  # height, width
    grayscale: bool = False
    channels: str | None = None  # "first" or "last"
    order: str = "rgb"
    classes: tuple[str, ...] | None = None
    output: Output | None = None
    layer: Layer | None = None  # whose output is taken for features: a name, or -2 and so on, counted from the end
    batch: int | None = None  # samples at a time, if other than asked for
    build: str | None = None  # module.py:function that makes the module whose weights a safetensors file holds
    timeout: float = 30.0  # seconds that an endpoint may take to answer
    retries: int = 3
    rate: float | None = None  # requests to an endpoint in a second, at most
    token: str | None = None  # the environment variable that holds an endpoint's bearer token

    @classmethod
    def told(cls, values: Mapping[str, Any]) -> "ModelSettings":
        """Settings from the values of a TOML file."""
        made = {}
        for name, value in values.items():
            if name not in CHECKS:
                near = get_close_matches(name, CHECKS, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(CHECKS)}"
                raise InputError(f"there is no setting {name!r}; {hint}")
            fits, convert, advice = CHECKS[name]
            if not fits(value):
                raise InputError(f"{name} = {value!r} cannot be used; {advice}")
            made[name] = convert(value)
        return cls(**made)

    def __repr__(self) -> str:
        other = {name: value for name, value in asdict(self).items() if value != getattr(DEFAULT, name)}
        return f"ModelSettings({', '.join(f'{name}={value!r}' for name, value in other.items())})"


DEFAULT = ModelSettings()


def settings_of(model: Path | None, named: Path | None = None) -> ModelSettings:
    """The settings of a model file: those in the TOML of its name, else those named, else those of its folder."""
    own = None if model is None else model.with_suffix(".toml")
    shared = None if model is None else model.with_name(SHARED)
    for file in (own, named, shared):
        if file is not None and (file.exists() or file is named):
            return read_settings(file)
    return DEFAULT


def read_settings(file: Path) -> ModelSettings:
    with naming(file), parsing(file, "check it against the TOML format"):
        settings = ModelSettings.told(tomllib.loads(file.read_text(encoding="utf-8")))
    if settings.build is None:
        return settings
    return replace(settings, build=str(file.parent / settings.build))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _listed(value: Any) -> list[Any]:
    """A single number may stand for a list of one."""
    return value if isinstance(value, list) else [value]


def _floats(value: Any) -> tuple[float, ...]:
    return tuple(map(float, _listed(value)))


def _above_zero(value: Any) -> bool:
    return _is_number(value) and value > 0


def _one_of(names: tuple[str, ...]) -> Check:
    return (lambda value: value in names), str, f"use {', '.join(map(repr, names))}"


_TEXT = (lambda value: isinstance(value, str)), str, "give a text"
_POSITIVE = _above_zero, float, "give a number above 0"
_COUNT = _is_count, int, "give a whole number"
_NUMBERS = (lambda value: bool(_listed(value)) and all(map(_is_number, _listed(value)))), _floats

CHECKS: dict[str, Check] = {
    "scale": _POSITIVE,
    "mean": (*_NUMBERS, "give a number, or one for each channel"),
    "std": (
        lambda value: bool(_listed(value)) and all(map(_above_zero, _listed(value))),
        _floats,
        "give a number above 0, or one for each channel",
    ),
    "size": (
        lambda value: isinstance(value, list) and len(value) == 2 and all(_is_count(each) and each for each in value),
        tuple,
        "give [height, width] in pixels",
    ),
    "grayscale": (lambda value: isinstance(value, bool), bool, "give true or false"),
    "channels": _one_of(CHANNELS),
    "order": _one_of(ORDERS),
    "classes": (
        lambda value: isinstance(value, list) and len(value) > 0,
        lambda value: tuple(map(str, value)),
        "give a list of names, in the order of the model's outputs",
    ),
    "output": _one_of(get_args(Output)),
    "layer": (is_layer, lambda value: value, f"give {WAYS}"),
    "batch": (lambda value: _is_count(value) and value > 0, int, "give a whole number above 0"),
    "build": _TEXT,
    "timeout": _POSITIVE,
    "retries": _COUNT,
    "rate": _POSITIVE,
    "token": _TEXT,
}
