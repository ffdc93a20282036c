"""Formulas as MathML, made when the site is built: a page needs no script and no other server to show them.

Both forms are those that GitHub shows as well: a fenced block `math`, and $`a_c`$ within a line.
"""

from typing import Any

from latex2mathml.converter import convert
from markdown import Extension, Markdown
from markdown.inlinepatterns import InlineProcessor

INLINE = r"\$`([^`\n]+)`\$"
BEFORE_CODE = 195  # inline code has 190, and would take the part between the backticks


class Inline(InlineProcessor):  # type: ignore[misc]  # its package has no types
    """A formula within a line; its MathML is stashed, so that nothing else is replaced in it."""

    def handleMatch(self, m: Any, data: str) -> tuple[str, int, int]:  # noqa: N802
        return self.md.htmlStash.store(convert(m[1])), m.start(0), m.end(0)


class Formulas(Extension):  # type: ignore[misc]
    """For `markdown_extensions` of the site."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.inlinePatterns.register(Inline(INLINE, md), "formula", BEFORE_CODE)


def block(source: str, *_: Any, **__: Any) -> str:
    """For `custom_fences` of pymdownx.superfences; the block scrolls where it is wider than the screen."""
    return f'<div class="formula">{convert(source, display="block")}</div>'
