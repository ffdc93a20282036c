"""Tables for the terminal, and the sentence that says what they mean."""

from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from adjudge.charts.cells import Column
from adjudge.core.arrays import TIE_DIGITS
from adjudge.core.labels import Labels
from adjudge.core.ranking import Ranking
from adjudge.core.recommendation import Recommendation

STRIP = 30  # characters of the picture of an interval
FOR_NAMES = 4  # a name is broken if it takes more than this part of the width
IMPORTANT = (  # what a narrow terminal shows first
    *("name", "rank_text", "chance_text", "behind_text", "value_text"),
    *("interval_text", "ruled_out_text", "ranks_text", "tier_text"),
)

LOOKS = "tier: if the number of labels was fixed in advance; what may be the best: even if you check after every label."


def ranking_table(ranking: Ranking, width: int, most: int | None = None, holds: str = "interval") -> Table:
    """One row per model, best first, with a picture of each interval where there is room.

    With a posterior, the chance to be best and what is likely behind the leader come first, then which models the draws
    rule out; without it, tiers with a line between them, and rank intervals. `holds` heads the intervals.
    """
    rows, texts = ranking.rows(), ranking.texts()
    columns, used = _fitting(ranking.columns(holds), texts, width)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, name, justify in columns:
        free = {"overflow": "fold", "min_width": _shortest(texts, width)} if name == "name" else {"no_wrap": True}
        table.add_column(escape(heading), justify=justify, **free)  # type: ignore[arg-type]
    pictures = ranking.estimate.has_interval and width - used >= STRIP // 2
    if pictures:
        table.add_column("", no_wrap=True)
    draw, tiers = _strip_painter(ranking), any(name == "tier_text" for _, name, _ in columns)
    for place, (row, text) in enumerate(zip(rows[:most], texts, strict=False)):
        cells = [escape(text[name]) for _, name, _ in columns]
        cells += [draw(row, min(STRIP, width - used))] if pictures else []
        line = tiers and place + 1 < len(rows) and rows[place + 1]["tier"] != row["tier"]
        table.add_row(*cells, end_section=line, style="bold" if row["rank"] == 1 else "")
    if most is not None and len(rows) > most:
        table.caption, table.caption_justify = f"... and {len(rows) - most} more", "left"
    return table


def _fitting(columns: list[Column], texts: list[dict[str, str]], width: int) -> tuple[list[Column], int]:
    """The most important columns, as many as fit beside each other, and how wide they are with names unbroken."""
    wide = {name: max(len(heading), *(len(text[name]) for text in texts)) + 2 for heading, name, _ in columns}
    left, kept = width + 2, frozenset[str]()
    shortest = _shortest(texts, width)
    for name in sorted(wide, key=IMPORTANT.index):
        needed = shortest + 2 if name == "name" else wide[name]
        if needed <= left:
            left, kept = left - needed, kept | {name}
    return [each for each in columns if each[1] in kept], sum(wide[name] for name in kept)


def _shortest(texts: list[dict[str, str]], width: int) -> int:
    """How wide the column of names is at least."""
    return min(width // FOR_NAMES, max(len(text["name"]) for text in texts))


def advice_table(advice: Recommendation) -> Table:
    """The recommendation, with its lines under each other and indented when they wrap."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")  # nothing is cut off a long name or option
    for heading, text in advice.words[1:]:
        table.add_row(f"  {heading}:", escape(text))
    return table


def print_advice(advice: Recommendation, console: Console) -> None:
    """The sentence that says what to do, and what it rests on."""
    console.print(advice.words[0][1], markup=False, style="bold")
    console.print(advice_table(advice))
    if advice.next.command:  # on a line of its own, however long, so that it can be copied
        console.print(f"  {advice.next.command}", markup=False, soft_wrap=True)


def ranking_facts(ranking: Ranking) -> dict[str, Any]:
    """The ranking for machines."""
    return {
        "quantity": ranking.estimate.quantity,
        "lower_is_better": ranking.estimate.lower_is_better,
        "level": ranking.estimate.level if ranking.estimate.has_interval else None,
        "labels": ranking.labels,
        "skipped": ranking.skipped,
        "recommendation": None if ranking.recommendation is None else ranking.recommendation.to_dict(),
        "models": ranking.rows(),
    }


def chosen_sentence(labels: Labels) -> str | None:
    """Why intervals are wide, where labels were chosen to find the best model."""
    labels = labels.settled()  # as in the other sentences about drawn labels: those that are used
    weight = labels.weight[labels.usable]
    chosen = int(np.count_nonzero(np.isnan(weight)))
    if not chosen or labels.header.method != "pooled":
        return None
    return (
        f"{chosen} of {len(weight)} labels were chosen, not drawn: they help to find the best model, and do little "
        "for intervals. For accuracies and comparisons: adjudge select --goal estimate."
    )


def legend(ranking: Ranking, width: int, holds: str = "interval") -> str | None:
    """Which columns of a table of this width are likely, and which are guaranteed."""
    advice = ranking.recommendation
    exact = advice is not None and advice.exact
    if advice is not None and (exact or advice.unpredicted) and advice.lacking:
        order = (
            "" if ranking.difference_to_leader is None else "; the order allows for how hard these are for the others"
        )
        return f"{ranking.estimate.quantity}: of the samples that a model predicts{order}."
    if ranking.likely is None and ranking.estimate.has_interval and not exact:
        value = ranking.estimate.value[ranking.order]
        value = (-value if ranking.estimate.lower_is_better else value).round(TIE_DIGITS)
        if (np.diff(value[~np.isnan(value)]) > 0).any():  # a model stands before one with a better value
            what = ranking.estimate.quantity
            return f"The order is by the labels and what the models say together; {what}: from the drawn labels alone."
    if ranking.guaranteed is None or not ranking.labels or exact:
        return None
    if ranking.likely is None:
        return None if ranking.tier is None or ranking.estimate.anytime else LOOKS
    columns, _ = _fitting(ranking.columns(holds), ranking.texts(), width)
    shown = {name for _, name, _ in columns}
    likely = ["best"] * ("chance_text" in shown) + ["points behind"] * ("behind_text" in shown)
    drawn = ["ruled out"] * ("ruled_out_text" in shown)
    drawn += [ranking.estimate.quantity] * bool(shown & {"value_text", "interval_text"})
    told = ((likely, "likely"), (drawn, "from the drawn labels"))
    return " ".join(f"{', '.join(names)}: {what}." for names, what in told if names) or None


def noise_sentence(label_noise: float) -> str | None:
    """That wrong labels were allowed for."""
    if not label_noise:
        return None
    return (
        f"What is guaranteed, and intervals, allow for {100 * label_noise:g}% of labels being wrong; what is likely "
        "takes the labels as right."
    )


def bullets(sentences: list[str]) -> Table:
    """A list whose lines stay indented when they wrap."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(overflow="fold")  # a path is a long word
    for sentence in sentences:
        table.add_row("-", escape(sentence))
    return table


def verb(names: list[str], one: str, many: str) -> str:
    """The verb that goes with so many names."""
    return one if len(names) == 1 else many


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
        if isinstance(value, float) and row["supported"]:
            strip[round((value - lowest) * scale)] = "●"
        return "".join(strip)

    return draw
