"""One self-contained HTML file: text, charts, and the scripts that draw them, with nothing to fetch."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import vl_convert
from jinja2 import Environment, PackageLoader

from adjudge._version import __version__


@dataclass(frozen=True)
class Section:
    """A heading, what it shows in words, and a chart or a table below."""

    heading: str
    text: str
    chart: Any = None  # an altair chart
    caption: str = ""
    table: list[list[tuple[str, str]]] | None = None  # (text, style class) of each cell, the header first


def page(title: str, lead: str, sections: Sequence[Section]) -> str:
    """The page's HTML. The drawing scripts come from the installed vl-convert package."""
    template = Environment(loader=PackageLoader("adjudge.reports", "."), autoescape=True).get_template(
        "page.html.jinja"
    )
    return template.render(
        title=title,
        lead=lead,
        sections=sections,
        # "</" would end the script element in which the specifications stand
        charts=json.dumps([section.chart and section.chart.to_dict() for section in sections]).replace("</", "<\\/"),
        script=vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").replace("</script", "<\\/script"),
        version=__version__,
    )
