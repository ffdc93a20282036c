"""A report as Markdown: the sections of the page, without their charts."""

import re
from collections.abc import Iterator, Sequence

from adjudge._version import __version__
from adjudge.reports.page import Document, Section, Term

SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")


def markdown(document: Document) -> str:
    """The document as Markdown."""
    code = [f"    {document.command}", ""] if document.command else []  # a block of code
    lines = [f"# {escaped(document.title)}", "", f"**{escaped(document.lead)}**", "", *_terms(document.terms), *code]
    lines += [escaped(document.under), ""]
    for section in document.sections:
        lines += _section(section)
    return "\n".join([*lines, f"Made by adjudge {__version__}.", ""])


def escaped(text: str) -> str:
    r"""Text that stays as it is: names may hold whatever Markdown or HTML would take for a sign.

    >>> print(escaped("a_b <i>|"))
    a\_b \<i\>\|
    """
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _section(section: Section) -> Iterator[str]:
    yield from (f"## {escaped(section.heading)}", "")
    if section.text:
        yield from (escaped(section.text), "")
    yield from _terms(section.terms)
    if section.table:
        head, *rows = [[escaped(text) for text, _ in row] for row in section.table]
        yield "| " + " | ".join(head) + " |"
        yield "|" + "".join("---|" if "left" in style else "---:|" for _, style in section.table[0])
        yield from ("| " + " | ".join(row) + " |" for row in rows)
        yield ""
    for card in section.cards:
        text = f" {escaped(card.text)}" if card.text else ""
        yield f"- **{escaped(card.title)}**{text} {' '.join(map(escaped, card.lines))}"
    if section.cards:
        yield ""
    if section.caption and section.chart is None:  # under a chart it says what the marks of the chart are
        yield from (escaped(section.caption), "")


def _terms(terms: Sequence[Term]) -> Iterator[str]:
    yield from (f"- **{escaped(word)}:** {escaped(text)}" for word, text in terms)
    if terms:
        yield ""
