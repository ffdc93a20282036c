"""JSON Schemas of types."""

from dataclasses import dataclass
from typing import Annotated, NotRequired, TypedDict

import pytest

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.reports.json_schema import Definitions, Printed


class Part(TypedDict):
    """A part.

    More about it.
    """

    name: str
    parts: NotRequired[list["Part"]]


@dataclass
class Answer:
    """An answer."""

    value: float
    secret: int


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (str | None, {"type": ["string", "null"]}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (IntArray, {"type": "array", "items": {"type": "integer"}}),
        (list[bool] | None, {"anyOf": [{"type": "array", "items": {"type": "boolean"}}, {"type": "null"}]}),
    ],
)
def test_plain_types(kind: object, schema: dict[str, object]) -> None:
    assert Definitions().schema(kind) == schema


def test_a_pair_has_two_items() -> None:
    found = Definitions().schema(tuple[int, str])
    assert (found["minItems"], found["maxItems"], len(found["prefixItems"])) == (2, 2, 2)


def test_a_type_may_refer_to_itself() -> None:
    definitions = Definitions()
    assert definitions.schema(Part) == {"$ref": "#/$defs/Part"}
    found = definitions.found["Part"]
    assert (found["description"], found["required"]) == ("A part.", ["name"])
    assert found["properties"]["parts"]["items"] == {"$ref": "#/$defs/Part"}


def test_fields_may_be_printed_as_something_else() -> None:
    definitions = Definitions()
    definitions.schema(Annotated[Answer, Printed({"secret": str}, {"value": "number"})])
    properties = definitions.found["Answer"]["properties"]
    assert list(properties) == ["number", "secret"]
    assert properties["secret"] == {"type": "string"}


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(TypeError, match="no JSON Schema is known for"):
        Definitions().schema(FloatArray | complex)
