"""Tables for the terminal, and the sentence that says what they mean."""

from collections.abc import Callable
from math import isnan
from typing import Any

import numpy as np
from rich.markup import escape
from rich.table import Table

from adjudge.core.index import counted, named
from adjudge.core.labels import Labels
from adjudge.core.ranking import Ranking

STRIP = 30  # characters of the picture of an interval
UNKNOWN = "-"


def ranking_table(ranking: Ranking, width: int, most: int | None = None, holds: str = "interval") -> Table:
    """One row a model, best first, with a picture of each interval where there is room; a line between tiers.

    `holds` heads the intervals, together with their level.
    """
    intervals, tiers = ranking.estimate.has_interval, ranking.tier is not None
    rows = ranking.rows()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("rank", justify="right", no_wrap=True)
    if tiers:
        table.add_column("tier", justify="right", no_wrap=True)
    table.add_column("model", overflow="fold", min_width=8)
    table.add_column(
        escape(ranking.estimate.quantity), justify="right", min_width=max(len(number(row["value"])) for row in rows)
    )
    if intervals:
        table.add_column(f"{ranking.estimate.level:.0%} {holds}", justify="center", no_wrap=True)
    draw = _strip_painter(ranking)
    ranks, chances = ranking.rank_low is not None, ranking.best is not None
    if ranks:
        table.add_column("ranks", justify="right", no_wrap=True)
    if chances:
        table.add_column("best", justify="right", no_wrap=True)
    room = width - 45 - 10 * ranks - 6 * chances - max(len(str(row["name"])) for row in rows)
    pictures = intervals and room >= STRIP // 2
    if pictures:
        table.add_column("", no_wrap=True)
    for place, row in enumerate(rows[:most]):
        cells = [
            str(row["rank"]),
            *[str(row["tier"] or UNKNOWN)] * tiers,
            escape(str(row["name"])),
            number(row["value"]),
        ]
        if intervals:
            cells.append(f"{number(row['low'])} - {number(row['high'])}")
        if ranks:
            cells.append(f"{row['rank_low']}-{row['rank_high']}")
        if chances:
            cells.append(chance(row["best"]))
        if pictures:
            cells.append(draw(row, min(STRIP, room)))
        last_of_tier = tiers and place + 1 < len(rows) and rows[place + 1]["tier"] != row["tier"]
        table.add_row(*cells, end_section=bool(last_of_tier), style="bold" if row["rank"] == 1 else "")
    if most is not None and len(rows) > most:
        table.caption, table.caption_justify = f"... and {len(rows) - most} more", "left"
    return table


def ranking_facts(ranking: Ranking) -> dict[str, Any]:
    """The ranking for machines."""
    return {
        "quantity": ranking.estimate.quantity,
        "level": ranking.estimate.level if ranking.estimate.has_interval else None,
        "labels": ranking.labels,
        "skipped": ranking.skipped,
        "verdict": verdict(ranking),
        "models": ranking.rows(),
    }


def order_sentence(ranking: Ranking) -> str | None:
    """Why models do not stand in the order of their accuracies, where that is so."""
    rows = ranking.rows()
    known = [(row["tier"] or len(rows), -value) for row in rows if isinstance(value := row["value"], float)]
    if ranking.best is None or ranking.tier is None or known == sorted(known):
        return None
    return (
        "Within a tier, the order and the chance of being best are what pool and labels together suggest. The "
        f"{ranking.estimate.quantity} rests on drawn labels alone, which may order models differently."
    )


def chosen_sentence(labels: Labels) -> str | None:
    """Why intervals are wide, where labels were chosen to find the best model."""
    weight = labels.weight[labels.usable]
    chosen = int(np.count_nonzero(np.isnan(weight)))
    if not chosen or labels.header.method != "pooled":
        return None
    return (
        f"{chosen} of {len(weight)} labels were chosen, not drawn: they help to find the best model, and do little "
        "for intervals. For accuracies and comparisons: adjudge select --goal estimate."
    )


def verdict(ranking: Ranking) -> str:
    """What the ranking means, in a sentence or two."""
    rows = ranking.rows()
    first = [str(row["name"]) for row in rows if row["rank"] == 1]
    labels = counted(ranking.labels, "label")
    if len(rows) == 1:
        return f"{first[0]} is the only model: there is nothing to compare it with."
    if all(row["value"] is None for row in rows):
        return f"Nothing is known about any of the {len(rows)} models yet, with {labels}."
    if not ranking.estimate.has_interval:
        return _order_only(ranking, first, labels)
    if all(row["low"] == row["high"] for row in rows if row["value"] is not None):
        return f"{_all_labeled(ranking.skipped)} exact: {named(first)} {verb(first, 'is', 'are')} best."
    top = [str(row["name"]) for row in rows if row.get("may_be_best", row["tier"] == 1)]
    unknown = [str(row["name"]) for row in rows if row["tier"] is None]
    judged = [name for name in top if name not in unknown]
    besides = f" Nothing is known about {named(unknown)}." if unknown else ""
    if len(judged) == 1:
        others = "every other model" if not unknown else "every model that can be judged"
        return f"{judged[0]} is better than {others}, with {labels}.{besides}"
    return (
        f"{len(top)} of {len(rows)} models may still be the best with {labels}: {named(top, most=5)}. "
        f"More labels may tell them apart (adjudge select).{besides}"
    )


def _all_labeled(skipped: int) -> str:
    if not skipped:
        return "Every sample is labeled, so these values are"
    skips = f"{counted(skipped, 'sample')} {'was' if skipped == 1 else 'were'} skipped"
    return f"Every sample that could be labeled is ({skips}), so among these the values are"


def noise_sentence(label_noise: float) -> str | None:
    """That wrong labels were allowed for."""
    return f"Intervals allow for {100 * label_noise:g}% of labels being wrong." if label_noise else None


def _order_only(ranking: Ranking, first: list[str], labels: str) -> str:
    quantity = ranking.estimate.quantity
    if quantity == "agreement":
        known = f" (where there is one of {labels}, it stands for the vote)" if ranking.labels else ""
        return (
            f"{named(first)} {verb(first, 'agrees', 'agree')} most with the majority vote{known}. That is the "
            "crowd's opinion, not accuracy: buy labels to know more (adjudge select)."
        )
    if ranking.labels == 0 or not quantity.endswith("on the labeled samples"):
        known = f"with {labels} but" if ranking.labels else "without labels and"
        return f"{named(first)} {verb(first, 'comes', 'come')} first by {quantity}, {known} without interval."
    tied = len(first) == len(ranking.models)
    told = f"All {len(first)} models are tied" if tied else f"{named(first)} {verb(first, 'does', 'do')} best"
    return (
        f"{told} on {labels}. That is not an estimate for the whole pool, which needs labels drawn at random, with "
        "weights in their file, or --drawn uniform if they are a simple random sample."
    )


def bullets(sentences: list[str]) -> Table:
    """A list whose lines stay indented when they wrap."""
    table = Table(box=None, show_header=False, pad_edge=False)
    for sentence in sentences:
        table.add_row("-", escape(sentence))
    return table


def number(value: object, digits: int = 3) -> str:
    """Fixed decimals, so that columns line up; powers of ten where that would take too many places."""
    if not isinstance(value, float):
        return UNKNOWN
    return f"{value:.{digits}f}" if abs(value) < 10_000 else f"{value:.3g}"


def verb(names: list[str], one: str, many: str) -> str:
    """The verb that goes with so many names."""
    return one if len(names) == 1 else many


def chance(value: object) -> str:
    """A chance as people read it, never rounded to impossible or to certain."""
    if not isinstance(value, float) or isnan(value):
        return UNKNOWN
    if value < 0.01:
        return "<1%"
    return ">99%" if value > 0.99 else f"{value:.0%}"


def _strip_painter(ranking: Ranking) -> Callable[[dict[str, object], int], str]:
    """A function that draws a row's interval between the lowest low and the highest high."""
    if not ranking.estimate.has_interval:
        return lambda row, width: ""
    lowest, highest = float(np.nanmin(ranking.estimate.low)), float(np.nanmax(ranking.estimate.high))

    def draw(row: dict[str, object], width: int) -> str:
        scale = (width - 1) / ((highest - lowest) or 1.0)
        low, value, high = (row[name] for name in ("low", "value", "high"))
        if not (isinstance(low, float) and isinstance(high, float)):
            return ""
        start, stop = round((low - lowest) * scale), round((high - lowest) * scale)
        strip = [" "] * width
        strip[start : stop + 1] = "─" * (stop + 1 - start)
        if isinstance(value, float):
            strip[round((value - lowest) * scale)] = "●"
        return "".join(strip)

    return draw
