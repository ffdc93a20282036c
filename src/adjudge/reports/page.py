"""One self-contained HTML file: text, charts, and the scripts that draw them, with nothing to fetch."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader

from adjudge._version import __version__
from adjudge.charts.script import drawing_script

Term = tuple[str, str]  # a word, and what is said about it


@dataclass(frozen=True)
class Card:
    """A small box: a title, an image or a text, and some lines about it."""

    title: str
    lines: tuple[str, ...]
    image: str | None = None  # a data URI
    text: str | None = None


@dataclass(frozen=True)
class Section:
    """A heading, what it shows in words, and charts, tables, terms or cards below."""

    heading: str
    text: str
    chart: Any = None  # of altair or of `adjudge.charts`
    caption: str = ""
    table: list[list[tuple[str, str]]] | None = None  # (text, style class) of each cell, the header first
    narrow: Any = None  # the chart for a narrow screen, where that is another
    collapsed: str = ""  # the title of a table that opens with a click
    terms: Sequence[Term] = ()
    cards: Sequence[Card] = ()


@dataclass(frozen=True)
class Document:
    """What a report says, whatever the form it is written in."""

    title: str
    lead: str
    sections: Sequence[Section]
    terms: Sequence[Term] = ()  # of the lead
    command: str | None = None  # that comes next
    under: str = ""  # what the document is about


def page(document: Document) -> str:
    """The document as HTML; its drawing scripts come from the installed vl-convert package."""
    environment = Environment(
        loader=PackageLoader("adjudge.reports", "."), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    charts = [_charts(section) for section in document.sections]
    return environment.get_template("page.html.jinja").render(
        vars(document),
        # in the script element in which the specifications stand, "<" might begin a tag
        charts=json.dumps(charts).replace("<", "\\u003c"),
        script=drawing_script().replace("</script", "<\\/script"),
        version=__version__,
    )


def _charts(section: Section) -> dict[str, Any] | None:
    """The chart of a section for wide and for narrow screens."""
    if section.chart is None:
        return None
    narrow = section.chart if section.narrow is None else section.narrow
    return {"wide": section.chart.to_dict(), "narrow": narrow.to_dict() if narrow is not section.chart else None}
