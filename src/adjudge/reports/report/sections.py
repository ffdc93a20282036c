"""A report as the sections of a page, which are also those of its Markdown."""

from collections.abc import Iterator

import numpy as np

from adjudge import registry
from adjudge.charts import chances_chart
from adjudge.core.index import counted, shortened
from adjudge.reports.page import Card, Section
from adjudge.reports.report.gather import MOST_MODELS, Report
from adjudge.reports.report.pairs import better_section, shared_section
from adjudge.reports.report.words import label_terms, method_terms, reading_terms, sample_lines
from adjudge.reports.tables import chance, number, order_sentence

Table = list[list[tuple[str, str]]]
LINES = 5  # models whose chance is drawn over time
RARE = 0.02  # a chance that is not worth a line, unless it is one of the first two
MOST_SLICES = 30


def sections(report: Report) -> list[Section]:
    """All that a report tells after its first sentence."""
    return [
        _ranking(report),
        *_history(report),
        *better_section(report),
        *shared_section(report),
        *_contested(report),
        *_slices(report),
        Section("How labels were drawn", "", terms=label_terms(report)),
        Section("Method", "", terms=method_terms(report, _method(report))),
        Section("How to read this", "", terms=reading_terms(report.ranking)),
    ]


def _method(report: Report) -> str:
    return registry.suited(report.labels)


def _ranking(report: Report) -> Section:
    ranking = report.ranking
    models = len(ranking.models)
    text = "Best first." if models <= MOST_MODELS else f"The first {MOST_MODELS} of {models:,} models, best first."
    if ranking.tier is not None and int(ranking.tier.max()) > 1:
        text += " Models below a tier (a change of shade) were shown to be worse than its first model."
    return Section(
        "The ranking",
        text,
        ranking.chart(MOST_MODELS, width="container"),
        caption=order_sentence(ranking) or "",
        narrow=ranking.chart(MOST_MODELS, narrow=True, width="container"),
        table=ranking_rows(report),
        folded="All numbers" if models > MOST_MODELS else "",
    )


def ranking_rows(report: Report) -> Table:
    """The ranking as a table: all models, best first."""
    ranking = report.ranking
    estimate, chances = ranking.estimate, ranking.best is not None
    head = [("rank", ""), ("model", "left")]
    head += [("chance of best", "")] * chances + [(estimate.quantity, "wide" if estimate.has_interval else "")]
    head += [(f"{estimate.level:.0%} interval", "once")] * estimate.has_interval
    head += [("tier", "wide")] * (ranking.tier is not None)
    table = [head]
    for row in ranking.rows():
        bold = "bold" if row["rank"] == 1 else ""
        cells = [(str(row["rank"]), bold), (str(row["name"]), f"left {bold}".strip())]
        cells += [(chance(row["best"]), "")] if chances else []
        cells += [(number(row["value"]), head[2 + chances][1])]
        cells += [(f"{number(row['low'])} - {number(row['high'])}", "once")] if estimate.has_interval else []
        cells += [(str(row["tier"] or "-"), "wide")] if ranking.tier is not None else []
        table.append(cells)
    return table


def _history(report: Report) -> Iterator[Section]:
    history, ranking = report.history, report.ranking
    if history is None:
        return
    last = np.nan_to_num(history.chance[-1], nan=-1.0)
    leading = [model for place, model in enumerate(ranking.order) if place < 2 or last[model] > RARE][:LINES]
    lines = {ranking.models[model]: history.chance[:, model].tolist() for model in leading}
    counts = history.labels.tolist()
    charts = [chances_chart(counts, lines, narrow=narrow, width="container") for narrow in (False, True)]
    table = [[("labels", ""), *((name, "") for name in lines)]]
    table += [
        [(str(count), ""), *((chance(line[place]), "") for line in lines.values())]
        for place, count in enumerate(counts)
    ]
    yield Section(
        "Chance of being best as labels came in",
        f"What was said after so many labels, about the {counted(len(lines), 'model')} that may well be best now.",
        charts[0],
        narrow=charts[1],
        table=table,
        folded="Numbers",
    )


def _contested(report: Report) -> Iterator[Section]:
    if not report.contested:
        return
    cards = [
        Card(f"Sample {each.name}", sample_lines(each, _leader(report)), each.image, each.text)
        for each in report.contested
    ]
    yield Section(
        "Most contested samples",
        "The samples on which the models differ most, with the number of models that give each answer.",
        cards=cards,
    )


def _slices(report: Report) -> Iterator[Section]:
    if report.column is None:
        return
    head = [("slice", "left"), ("samples", ""), ("labels", ""), ("first", "left"), (f"rank of {_leader(report)}", "")]
    table = [[*head, ("it is", "left")]]
    changes = {each.name: each for each in report.changes}
    for each in report.slices[:MOST_SLICES]:
        change = changes.get(each.name)
        found = ["too few labels to rank", "", ""]
        if change is not None:
            found = [shortened(change.best, 3), str(change.rank), change.verdict]
        cells = [each.name, f"{each.samples:,}", f"{each.labels:,}", *found]
        table.append([(cell, style) for cell, (_, style) in zip(cells, table[0], strict=True)])
    more = len(report.slices) - MOST_SLICES
    yield Section(
        f"Slices by {report.column}",
        "The ranking on each part of the pool by itself, largest first.",
        table=table,
        caption=f"... and {more:,} smaller slices." if more > 0 else "",
    )


def _leader(report: Report) -> str:
    return report.ranking.models[int(report.ranking.order[0])]
