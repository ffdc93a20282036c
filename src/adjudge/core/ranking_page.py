"""How a ranking shows itself where HTML is shown: what to do, the table, and the picture."""

from base64 import b64encode
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from adjudge.charts import Chart
from adjudge.core.ranking_cells import ranking_columns, ranking_texts
from adjudge.core.recommendation import Recommendation

if TYPE_CHECKING:
    from adjudge.core.ranking import Ranking

MOST_ROWS = 20  # of a table between other cells of a notebook; a frame has all
DRAWN = 12  # models in the picture below it


def ranking_html(ranking: "Ranking", title: str) -> str:
    """One block of HTML that needs no network and no script, so that a stored notebook shows it too."""
    columns, texts = ranking_columns(ranking), ranking_texts(ranking)
    head = "".join(f"<th>{escape(heading)}</th>" for heading, _, _ in columns)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(text[name])}</td>' for _, name, _ in columns)}</tr>" for text in texts[:MOST_ROWS]
    )
    more = len(texts) - MOST_ROWS
    rest = f"<p>and {more:,} more: <code>to_frame()</code> has all</p>" if more > 0 else ""
    table = f"<table><caption>{escape(title)}</caption><tr>{head}</tr>{rows}</table>{rest}"
    drawn = None if np.isnan(ranking.estimate.value).all() else ranking.chart(DRAWN)
    return f"<div>{_advice(ranking.recommendation)}{table}{_picture(title, drawn)}</div>"


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
