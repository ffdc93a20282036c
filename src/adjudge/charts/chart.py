"""What all charts share: their type, their colors, and how long names are shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"  # a name; nothing is fetched
LONGEST = 44  # characters of a name in a chart: as many as a phone has room for
PNG_SCALE = 1.25  # sharp enough between the cells of a notebook, and some 20 kB
FORMATS = (".png", ".svg", ".pdf", ".html", ".json")  # that altair can write
FONT = "system-ui, sans-serif"
CONFIG = {
    "font": FONT,
    "background": "transparent",
    "view": {"stroke": None},
    "axis": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 400},
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 320},
}
Specification: TypeAlias = dict[str, Any]
Row: TypeAlias = dict[str, Any]
Width: TypeAlias = int | Literal["container"]  # pixels, or as wide as the page lets it be


@dataclass(frozen=True, eq=False)
class Chart:
    """A Vega-Lite specification that holds its own data."""

    specification: Specification

    def to_dict(self) -> Specification:
        return self.specification

    def to_altair(self, path: str | PathLike[str] | None = None) -> Any:
        """The same as a chart of altair, which notebooks show and which can be changed; a `path` saves it as well."""
        import altair

        drawn = altair.Chart.from_dict(self._on_white())
        shown = type("Chart", (_ShownAsPicture, type(drawn)), {})
        object.__setattr__(drawn, "__class__", shown)  # altair's own way to set it makes it a part of the specification
        if path is not None:
            drawn.save(str(_checked(path)))
        return drawn

    def to_png(self) -> bytes:
        """The same as a picture."""
        import vl_convert

        return bytes(vl_convert.vegalite_to_png(self._on_white(), scale=PNG_SCALE))

    def _on_white(self) -> Specification:
        """Axes are black, which a dark notebook would hide."""
        return self.specification | {"background": "white"}


class _ShownAsPicture:
    """Altair's own way to show a chart in a notebook fetches a script from the network."""

    def _repr_mimebundle_(self, *_: object, **__: object) -> dict[str, bytes]:
        return {"image/png": Chart(self.to_dict()).to_png()}  # type: ignore[attr-defined]


def _checked(path: str | PathLike[str]) -> Path:
    """Where a chart can be written to."""
    named = isinstance(path, str | PathLike) and Path(path).suffix.lower() in FORMATS
    if not (named and Path(path).parent.is_dir()):
        ends = ", ".join(FORMATS)
        raise ValueError(
            f"a chart cannot be written to {path!r}; name a file in a folder that exists, ending in {ends}"
        )
    return Path(path)


def chart(width: Width, height: int | Specification, rows: Sequence[Row], **parts: Any) -> Chart:
    """A chart of one view, with the rows inside."""
    size = {"width": width, "height": height, "autosize": {"type": "fit-x", "contains": "padding"}}
    if width != "container":
        del size["autosize"]  # the width is that of the view, so that names never squeeze it
    return Chart({"$schema": SCHEMA, "config": CONFIG, "data": {"name": "rows", "values": list(rows)}, **size, **parts})


def top_legend(columns: int) -> Specification:
    """A legend above the chart, in lines that a phone can hold."""
    return {"orient": "top", "columns": columns, "title": None, "symbolOpacity": 1, "offset": 6}


def shortened_name(name: str) -> str:
    """A long name with both its ends, which tell models apart; tables and tooltips have it whole.

    >>> shortened_name("a" * 30 + "b" * 30)
    'aaaaaaaaaaaaaaaaaaaaaa…bbbbbbbbbbbbbbbbbbbbbb'
    """
    half = LONGEST // 2
    return name if len(name) <= LONGEST else f"{name[:half]}…{name[-half:]}"
