"""Markdown as HTML, a subset that is safe: every character is escaped first, and only tags of our own are added.

Headings, paragraphs, lists, quotes, code, bold, italic, and links to http, https and mailto addresses.
"""

import re
from collections.abc import Iterator
from html import escape
from itertools import groupby

CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\[([^\[\]]+)\]\(((?:https?://|mailto:)[^\s()]+)\)")
BOLD = re.compile(r"\*\*([^*]+)\*\*|__([^_]+)__")
ITALIC = re.compile(r"\*([^*\s][^*]*)\*|(?<!\w)_([^_\s][^_]*)_(?!\w)")
HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*")
ITEM, NUMBERED, QUOTE = map(re.compile, (r"\s*[-*+]\s+(.*)", r"\s*\d+[.)]\s+(.*)", r">\s?(.*)"))
FENCE = "```"
DEEPEST = 6  # levels of headings; the page has the first one


def rendered(text: str) -> str:
    """The HTML of a text.

    >>> rendered("# Birds"), rendered("A *wren* is **small**.")
    ('<h2>Birds</h2>', '<p>A <em>wren</em> is <strong>small</strong>.</p>')
    >>> rendered("<script>x</script> [x](javascript:x)")
    '<p>&lt;script&gt;x&lt;/script&gt; [x](javascript:x)</p>'
    """
    return "\n".join(_blocks(text.splitlines()))


def _blocks(lines: list[str]) -> Iterator[str]:
    fenced: list[str] | None = None
    open_lines: list[tuple[str, str]] = []  # kind and text
    for line in lines:
        if line.startswith(FENCE):
            yield from _paragraphs(open_lines)
            open_lines = []
            if fenced is not None:
                yield _code(fenced)
            fenced = [] if fenced is None else None
        elif fenced is not None:
            fenced.append(line)
        else:
            open_lines.append(_kind(line))
    yield from _paragraphs(open_lines)
    if fenced:
        yield _code(fenced)


def _kind(line: str) -> tuple[str, str]:
    if found := HEADING.fullmatch(line):
        return f"h{min(len(found[1]) + 1, DEEPEST)}", found[2]
    for kind, pattern in (("ul", ITEM), ("ol", NUMBERED), ("blockquote", QUOTE)):
        if found := pattern.fullmatch(line):
            return kind, found[1]
    return ("p" if line.strip() else ""), line.strip()


def _paragraphs(lines: list[tuple[str, str]]) -> Iterator[str]:
    for kind, group in groupby(lines, key=lambda each: each[0]):
        texts = [_inline(text) for _, text in group]
        if kind in ("ul", "ol"):
            yield f"<{kind}>{''.join(f'<li>{text}</li>' for text in texts)}</{kind}>"
        elif kind.startswith("h"):
            yield from (f"<{kind}>{text}</{kind}>" for text in texts)
        elif kind:
            yield f"<{kind}>{' '.join(texts)}</{kind}>"


def _code(lines: list[str]) -> str:
    return f"<pre><code>{escape(chr(10).join(lines))}</code></pre>"


def _inline(text: str) -> str:
    """Code keeps what it holds; all else may be bold, italic or a link."""
    parts = CODE.split(text)
    return "".join(f"<code>{escape(part)}</code>" if place % 2 else _styled(part) for place, part in enumerate(parts))


def _styled(text: str) -> str:
    parts = LINK.split(text)  # text, name, address, text, ...
    styled = [_emphasized(parts[0])]
    for name, address, rest in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        styled.append(f'<a href="{escape(address)}" target="_blank" rel="noopener noreferrer">{_emphasized(name)}</a>')
        styled.append(_emphasized(rest))
    return "".join(styled)


def _emphasized(text: str) -> str:
    bold = BOLD.sub(lambda found: f"<strong>{found[1] or found[2]}</strong>", escape(text))
    return ITALIC.sub(lambda found: f"<em>{found[1] or found[2]}</em>", bold)
