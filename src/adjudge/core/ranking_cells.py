"""The cells of a ranking as people read them: terminal, page, report and notebook show the same."""

from math import isnan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adjudge.core.ranking import Ranking

UNKNOWN = "-"
SURE = 0.995  # a chance that would be rounded to certainty
Column = tuple[str, str, str]  # heading, name of the text and justification


def ranking_texts(ranking: "Ranking") -> list[dict[str, str]]:
    """The cells of all rows, best first, by the names of `ranking_columns`; tied ranks have a sign."""
    rows = ranking.rows()
    ranks = [row["rank"] for row in rows]
    texts = [{"name": str(row["name"])} | row_texts(row, ranking.estimate.digits) for row in rows]
    return [
        text | {"rank_text": f"{rank}{'=' * (ranks.count(rank) > 1)}"} for text, rank in zip(texts, ranks, strict=True)
    ]


def ranking_columns(ranking: "Ranking", holds: str = "interval") -> list[Column]:
    """Heading, name of the text and justification of each column."""
    quantity, likely = ranking.estimate.quantity, ranking.likely is not None and ranking.labels > 0
    columns = [("rank", "rank_text", "right")]
    if not likely and ranking.tier is not None:
        columns.append(("tier", "tier_text", "right"))
    columns.append(("model", "name", "left"))
    if likely:
        columns += [("best", "chance_text", "right"), ("points behind", "behind_text", "left")]
        columns += [("ruled out", "ruled_out_text", "left")] * (ranking.guaranteed is not None)
    interval, shown = f"{ranking.estimate.level:.0%} {holds}", bool(ranking.estimate.reportable.any())
    columns += [(quantity, "value_text", "right")] * (shown or not ranking.estimate.has_interval)
    if ranking.estimate.has_interval:
        columns.append((interval if shown else f"{quantity}, {interval}", "interval_text", "center"))
    if not likely and ranking.rank_low is not None:
        columns.append(("ranks", "ranks_text", "right"))
    return columns


def row_texts(row: dict[str, object], digits: int) -> dict[str, str]:
    """The cells of a row as people read them: the terminal, the page and the report show the same."""
    low, high = row["low"], row["high"]
    known = isinstance(low, float)
    interval = f"{number(low, digits)} - {number(high, digits)}" if known and low != high else "exact"
    return {
        "rank_text": str(row["rank"]),
        "tier_text": str(row["tier"] or UNKNOWN),
        "chance_text": chance(row.get("chance_of_best")),
        "behind_text": _behind(row),
        "ruled_out_text": "" if row.get("may_be_best", True) else "yes",
        "value_text": number(row["value"], digits) if row["supported"] else "",
        "interval_text": interval if known else UNKNOWN,
        "ranks_text": f"{row.get('rank_low', UNKNOWN)}-{row.get('rank_high', UNKNOWN)}",
    }


def _behind(row: dict[str, object]) -> str:
    """What is likely between the leader and a model, in points, with its interval."""
    value, low, high = (row.get(name) for name in ("behind", "behind_low", "behind_high"))
    if not (isinstance(value, float) and isinstance(low, float) and isinstance(high, float)):
        return UNKNOWN
    if value == low == high == 0:
        return "0"
    exact = value == low == high
    value, low, high = (round(100 * each, 1) + 0.0 for each in (value, low, high))  # no -0.0
    return f"{value:.1f}" if exact else f"{value:.1f} ({low:.1f} to {high:.1f})"


def number(value: object, digits: int = 3) -> str:
    """Fixed decimals, so that columns line up; powers of ten where that would take too many places."""
    if not isinstance(value, float):
        return UNKNOWN
    return f"{value:.{digits}f}" if abs(value) < 10_000 else f"{value:.3g}"


def chance(value: object) -> str:
    """A chance as people read it; see `percent`."""
    return percent(value) if isinstance(value, float) and not isnan(value) else UNKNOWN


def percent(share: float) -> str:
    """A chance as people read it, never rounded to impossible or to certain.

    >>> percent(0.943), percent(0.9999), percent(0.001)
    ('94%', '> 99%', '< 1%')
    """
    if share < 1 - SURE:
        return "< 1%"
    return "> 99%" if share > SURE else f"{100 * share:.0f}%"
