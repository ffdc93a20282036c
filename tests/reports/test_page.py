"""The page itself: nothing from outside, nothing that a name could change."""

from html.parser import HTMLParser

from adjudge.charts import values_chart
from adjudge.reports.page import Card, Document, Section, page

NAME = "</script><b>bold <!-- <script> <img src=x onerror=alert(1)>"
IMAGE = "data:image/png;base64,AAAA"


class Found(HTMLParser):
    """The tags of a page, what they point to, and what they do."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.places: list[str | None] = []
        self.handlers: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.places += [value for name, value in attrs if name in ("src", "href")]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]


def test_a_page_needs_nothing_from_outside_and_escapes_what_it_shows() -> None:
    rows = [{"name": NAME, "rank": 1, "tier": None, "value": 0.5, "low": None, "high": None}]
    cells = [[(NAME, "left")], [(NAME, "left")]]
    section = Section(
        heading=NAME,
        text=NAME,
        chart=values_chart(rows, NAME, 0.95),
        caption=NAME,
        table=cells,
        collapsed=NAME,
        terms=[(NAME, NAME)],
        cards=[Card(NAME, (NAME,), IMAGE, NAME)],
    )
    html = page(Document(NAME, NAME, [section], terms=[(NAME, NAME)], under=NAME))
    found = Found(html)
    assert "b" not in found.tags
    assert found.tags.count("script") == 2
    assert found.places == [IMAGE]
    assert found.handlers == []
    assert "default-src 'none'" in html
    assert "vegaEmbed" in html
