"""The cells of a ranking as people read them: terminal, page, report and notebook show the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

UNKNOWN = "-"
SURE = 0.995  # a chance that would be rounded to certainty
ROUNDING = 1e-9  # what two ways to compute the same share may differ by
Column = tuple[str, str, str]  # heading, name of the text and justification


@dataclass(frozen=True)
class Shown:
    """What a table of a ranking has columns for."""

    quantity: str
    level: float
    likely: bool  # chances and points behind
    proven: bool  # models that are ruled out
    tiers: bool
    ranks: bool  # intervals of ranks
    intervals: bool
    values: bool  # whether any value is fit to be shown


def ranking_texts(rows: list[dict[str, object]], digits: int) -> list[dict[str, str]]:
    """The cells of all rows, best first, by the names of `ranking_columns`; tied ranks have a sign."""
    ranks = [row["rank"] for row in rows]
    texts = [{"name": str(row["name"])} | row_texts(row, digits) for row in rows]
    return [
        text | {"rank_text": f"{rank}{'=' * (ranks.count(rank) > 1)}"} for text, rank in zip(texts, ranks, strict=True)
    ]


def ranking_columns(shown: Shown, holds: str = "interval") -> list[Column]:
    """Heading, name of the text and justification of each column."""
    columns = [("rank", "rank_text", "right")]
    columns += [("tier", "tier_text", "right")] * (shown.tiers and not shown.likely)
    columns.append(("model", "name", "left"))
    if shown.likely:
        columns += [("best", "chance_text", "right"), ("points behind", "behind_text", "left")]
        columns += [("ruled out", "ruled_out_text", "left")] * shown.proven
    interval = f"{shown.level:.0%} {holds}"
    columns += [(shown.quantity, "value_text", "right")] * (shown.values or not shown.intervals)
    if shown.intervals:
        columns.append((interval if shown.values else f"{shown.quantity}, {interval}", "interval_text", "center"))
    columns += [("ranks", "ranks_text", "right")] * (shown.ranks and not shown.likely)
    return columns


def row_texts(row: dict[str, object], digits: int) -> dict[str, str]:
    """The cells of a row as people read them: the terminal, the page and the report show the same."""
    low, high = row["low"], row["high"]
    known = isinstance(low, float)
    interval = f"{number(low, digits)} - {number(high, digits)}" if known and low != high else "exact"
    predicts = row.get("chance_of_best") is not None  # there is no chance of a model without predictions
    return {
        "rank_text": str(row["rank"]),
        "tier_text": str(row["tier"] or UNKNOWN),
        "chance_text": chance(row.get("chance_of_best")),
        "behind_text": _behind(row),
        "ruled_out_text": "yes" if predicts and not row.get("may_be_best", True) else "",
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
    exact = high - low < ROUNDING
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


def plain_table(header: Sequence[str], rows: Sequence[Sequence[object]], digits: int) -> list[str]:
    """Lines of text, names to the left and numbers to the right."""
    texts = [[_plain(cell, digits) for cell in row] for row in rows]
    padded = [
        [cell.ljust(width) if column[0] == "model" else cell.rjust(width) for cell in column]
        for column in zip(header, *texts, strict=True)
        for width in [max(map(len, column))]
    ]
    return ["  " + "  ".join(cells).rstrip() for cells in zip(*padded, strict=True)]


def _plain(cell: object, digits: int) -> str:
    if cell is None:
        return UNKNOWN
    return f"{cell:.{digits}f}" if isinstance(cell, float) else str(cell)
