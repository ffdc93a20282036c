"""A ranking where HTML is shown, as in a notebook: what to do, the table, and the picture."""

from base64 import b64encode
from collections.abc import Sequence
from html import escape

from adjudge.charts.cells import Column
from adjudge.charts.chart import Chart

MOST_ROWS = 20  # of a table between other cells of a notebook; a frame has all


def ranking_html(
    title: str,
    advice: Sequence[tuple[str, str]],
    columns: Sequence[Column],
    texts: Sequence[dict[str, str]],
    picture: Chart | None,
) -> str:
    """One block of HTML that needs no network and no script, so that a stored notebook shows it too."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading, _, _ in columns)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(text[name])}</td>' for _, name, _ in columns)}</tr>" for text in texts[:MOST_ROWS]
    )
    more = len(texts) - MOST_ROWS
    rest = f"<p>and {more:,} more: <code>to_frame()</code> has all</p>" if more > 0 else ""
    table = f"<table><caption>{escape(title)}</caption><tr>{head}</tr>{rows}</table>{rest}"
    return f"<div>{_advice(advice)}{table}{_picture(title, picture)}</div>"


def _advice(words: Sequence[tuple[str, str]]) -> str:
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
