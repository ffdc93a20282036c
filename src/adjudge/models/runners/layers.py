"""Which layer's values are kept for features."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, TypeAlias, TypeVar

from adjudge.errors import InputError

Layer: TypeAlias = str | int  # a name, or a number below 0: -1 is the last layer
LAST = "last"  # the last hidden layer, or the one that a model's settings name
FROM_END = re.compile(r"-\d+")
WAYS = "a name, or a number from the end such as -2"
SHOWN = 5  # names that a sentence lists
Found = TypeVar("Found")


def is_layer(value: object) -> bool:
    """Whether this names a layer: text, or a whole number below 0."""
    return bool(value) if isinstance(value, str) else type(value) is int and value < 0


def wanted_layer(features: Any) -> tuple[bool, Layer | None]:
    """Whether features are wanted, and of which layer; None: what a model's settings say, or the last hidden one.

    >>> [wanted_layer(each) for each in (False, None, True, "last", "conv2", "-2", -2)]
    [(False, None), (False, None), (True, None), (True, None), (True, 'conv2'), (True, -2), (True, -2)]
    """
    if features is None or isinstance(features, bool):
        return bool(features), None
    if not is_layer(features):
        raise InputError(f"features = {features!r} is not a layer; give {LAST!r}, {WAYS}")
    if isinstance(features, str) and FROM_END.fullmatch(features):
        return wanted_layer(int(features))
    return True, None if features == LAST else features


def chosen(layer: Layer, named: Mapping[str, Found], counted: Mapping[str, Found] | None = None) -> Found:
    """The layer of this name; or the one at this place from the end of those that are counted, else of all.

    >>> chosen("b", {"a": 1, "b": 2, "c": 3}), chosen(-1, {"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 2})
    (2, 2)
    """
    layers = named if counted is None else counted
    names = list(layers)
    if isinstance(layer, int):
        if -len(names) <= layer < 0:
            return layers[names[layer]]
        ends = (
            f"the {len(names)} layers are -{len(names)} ({names[0]!r}) to -1 ({names[-1]!r})"
            if names
            else "there are none"
        )
        raise InputError(f"there is no layer {layer}; {ends}")
    if layer in named:
        return named[layer]
    near = get_close_matches(layer, named, n=3)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"the last are {', '.join(names[-SHOWN:])}"
    raise InputError(f"there is no layer {layer!r}; {hint}")
