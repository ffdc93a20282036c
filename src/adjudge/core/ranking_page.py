"""How a ranking shows itself where HTML is shown: what to do, the table, and the picture."""

from base64 import b64encode
from collections.abc import Sequence
from html import escape

from adjudge.charts import Chart
from adjudge.core.recommendation import Recommendation

MOST_ROWS = 20  # of a table between other cells of a notebook; a frame has all
DRAWN = 12  # models in the picture below it


def ranking_html(
    title: str,
    header: Sequence[str],
    body: Sequence[Sequence[str]],
    recommendation: Recommendation | None,
    picture: Chart | None,
) -> str:
    """One block of HTML that needs no network and no script, so that a stored notebook shows it too."""
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in body[:MOST_ROWS])
    more = len(body) - MOST_ROWS
    rest = f"<p>and {more:,} more: <code>to_frame()</code> has all</p>" if more > 0 else ""
    table = f"<table><caption>{escape(title)}</caption><tr>{head}</tr>{rows}</table>{rest}"
    return f"<div>{_advice(recommendation)}{table}{_picture(title, picture)}</div>"


def _advice(recommendation: Recommendation | None) -> str:
    words = () if recommendation is None else recommendation.words
    return "".join(
        f"<p><strong>{escape(heading)}:</strong> {escape(text)}</p>"
        if heading
        else f"<p><strong>{escape(text)}</strong></p>"
        for heading, text in words
    )


def _picture(title: str, picture: Chart | None) -> str:
    if picture is None:
        return ""
    coded = b64encode(picture.to_png()).decode()
    return f'<img alt="{escape(title)}: the chart" style="max-width: 100%" src="data:image/png;base64,{coded}">'
