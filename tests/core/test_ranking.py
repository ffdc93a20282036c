"""Rankings as a frame, and as people see them."""

import adjudge
from tests.support.said import SAID, TRUTH


def test_a_ranking_as_a_frame() -> None:
    pool = adjudge.from_frame(SAID)
    ranking = adjudge.rank(pool, adjudge.fill(adjudge.select(pool, 4), pool, TRUTH))
    frame = ranking.to_frame()
    assert frame["name"].tolist() == ["net", "tree"]
    assert frame["value"].tolist() == [0.75, 0.25]
    assert ranking.verdict == "exact"
    assert adjudge.rank(pool).verdict == "not enough labels"


def test_a_ranking_shows_advice_table_and_picture() -> None:
    ranking = adjudge.rank(SAID, {"a": "x", "b": "y"})
    shown = ranking._repr_html_()
    assert ranking.recommendation is not None
    assert ranking.recommendation.words[0][1] in shown
    assert "<td>net</td>" in shown
    assert 'src="data:image/png;base64,iVBOR' in shown
    said = {f"model {number}": ["x", "y", "xy"[number % 2]] for number in range(30)}
    many = adjudge.rank({"id": list("abc")} | said)
    assert "and 10 more: <code>to_frame()</code> has all" in many._repr_html_()
