"""JSON Schema from Python types: what `--json` prints follows from the types that are printed."""

import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import (
    Annotated,
    Any,
    NotRequired,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import numpy as np

DIALECT = "https://json-schema.org/draft/2020-12/schema"  # a name; nothing is fetched
Schema: TypeAlias = dict[str, Any]
SIMPLE: Mapping[object, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": ["number", "null"]},  # JSON has no nan: what is not known is null
    type(None): {"type": "null"},
}


@dataclass(frozen=True, eq=False)
class Printed:
    """How a type is printed, as a note on it (`Annotated`): fields that are added or have another type, or name."""

    fields: Mapping[str, object] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)


class Definitions:
    """Schemas of types, by the names of the types."""

    def __init__(self) -> None:
        self.found: dict[str, Schema] = {}

    def schema(self, kind: object) -> Schema:
        """The schema of a type; classes with fields are referred to by their names.

        >>> Definitions().schema(tuple[int, ...])
        {'type': 'array', 'items': {'type': 'integer'}}
        """
        if kind in SIMPLE:
            return SIMPLE[kind]
        if isinstance(kind, type) and _has_fields(kind):
            return self._named(kind, Printed())
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self._named(arguments[0], arguments[1])
        if origin is NotRequired:
            return self.schema(arguments[0])
        return self._either(arguments) if origin in (Union, types.UnionType) else self._container(kind)

    def _container(self, kind: object) -> Schema:
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is np.ndarray:
            return {"type": "array", "items": _items(arguments[1])}
        if origin is tuple and Ellipsis not in arguments:
            parts = [self.schema(each) for each in arguments]
            return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
        if origin in (tuple, list):
            return {"type": "array", "items": self.schema(arguments[0])}
        if origin in (dict, Mapping):
            return {"type": "object", "additionalProperties": self.schema(arguments[1])}
        raise TypeError(f"no JSON Schema is known for {kind}")

    def _either(self, kinds: Sequence[object]) -> Schema:
        found = [self.schema(each) for each in kinds]
        if all(set(each) == {"type"} for each in found):
            names = [name for each in found for name in np.atleast_1d(each["type"]).tolist()]
            return {"type": list(dict.fromkeys(names))}
        return {"anyOf": found}

    def _named(self, kind: type, printed: Printed) -> Schema:
        if kind.__name__ not in self.found:
            self.found[kind.__name__] = {}  # a type may refer to itself
            self.found[kind.__name__] = self.fields_of(kind, printed)
        return {"$ref": f"#/$defs/{kind.__name__}"}

    def fields_of(self, kind: type, printed: Printed) -> Schema:
        """An object with these fields and no others."""
        hints = _hints(kind) | dict(printed.fields)
        optional: frozenset[str] = getattr(kind, "__optional_keys__", frozenset())
        return {
            "type": "object",
            "description": (kind.__doc__ or "").strip().split("\n")[0],
            "properties": {printed.renamed.get(name, name): self.schema(each) for name, each in hints.items()},
            "required": [printed.renamed.get(name, name) for name in hints if name not in optional],
            "additionalProperties": False,
        }


def _has_fields(kind: type) -> bool:
    return is_dataclass(kind) or is_typeddict(kind) or hasattr(kind, "_fields")


def _hints(kind: type) -> dict[str, object]:
    hints: dict[str, object] = get_type_hints(kind, include_extras=True)
    if is_dataclass(kind):
        return {each.name: hints[each.name] for each in fields(kind)}
    return hints


def _items(kind: object) -> Schema:
    """Of an array of numpy, by the type of its elements."""
    names = [each.__name__ for each in get_args(kind) if isinstance(each, type)]
    return SIMPLE[int] if any(name.startswith(("int", "integer")) for name in names) else SIMPLE[float]
