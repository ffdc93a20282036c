"""A report as the sections of a page, which are also those of its Markdown."""

from collections.abc import Iterator

from adjudge.charts import chances_chart, leading_models, prices_chart
from adjudge.charts.cells import chance
from adjudge.core.index import shortened
from adjudge.reports.page import Card, Section
from adjudge.reports.report.gather import MOST_MODELS, Report
from adjudge.reports.report.pairs import better_section, shared_section
from adjudge.reports.report.words import chart_sentence, label_terms, method_terms, reading_terms, sample_lines

Table = list[list[tuple[str, str]]]
MOST_SLICES = 30
PRICES = {"cost": "cost of a sample", "latency": "seconds for a sample"}
STYLES = {
    "name": "left",
    "chance_text": "once",
    "behind_text": "once",
    "interval_text": "once",
}


def sections(report: Report) -> list[Section]:
    """All that a report tells after its first sentence."""
    return [
        _ranking(report),
        *_prices(report),
        *_history(report),
        *better_section(report),
        *shared_section(report),
        *_contested(report),
        *_slices(report),
        Section("How labels were drawn", "", terms=label_terms(report)),
        Section("Method", "", terms=method_terms(report)),
        Section("How to read this", "", terms=reading_terms(report.ranking)),
    ]


def _ranking(report: Report) -> Section:
    ranking = report.ranking
    models = len(ranking.models)
    text = "Best first." if models <= MOST_MODELS else f"The first {MOST_MODELS} of {models:,} models, best first."
    return Section(
        "The ranking",
        text,
        ranking.chart(MOST_MODELS, width="container"),
        caption=chart_sentence(ranking),
        narrow=ranking.chart(MOST_MODELS, narrow=True, width="container"),
        table=ranking_rows(report),
        collapsed="All numbers" if models > MOST_MODELS else "",
    )


def ranking_rows(report: Report) -> Table:
    """The ranking as the table that the terminal shows: all models, best first."""
    columns = report.ranking.columns()
    table = [[(heading, _style(name)) for heading, name, _ in columns]]
    for text, row in zip(report.ranking.texts(), report.ranking.rows(), strict=True):
        bold = " bold" if row["rank"] == 1 else ""
        table.append([(text[name], f"{_style(name)}{bold}".strip()) for _, name, _ in columns])
    return table


def _style(column: str) -> str:
    """Names may break, intervals may not: a table that is too wide for a phone scrolls in its box."""
    return STYLES.get(column, "")


def _prices(report: Report) -> Iterator[Section]:
    """Price and quality: what is likely behind the leader, or the value that models are ranked by."""
    ranking = report.ranking
    likely = ranking.likely is not None and ranking.labels > 0
    fields = ("behind", "behind_low", "behind_high") if likely else ("value", "low", "high")
    lower = likely or ranking.estimate.lower_is_better
    quality = "points behind the leader (likely)" if likely else ranking.estimate.quantity
    for by, price in report.advice.prices.items():
        numbers = [
            {"name": row["name"], "price": price[str(row["name"])]}
            | {to: _scaled(row[of], likely) for to, of in zip(("value", "low", "high"), fields, strict=True)}
            for row in ranking.rows()
            if row["name"] in price and row[fields[0]] is not None
        ]
        if len(numbers) < 2:
            continue
        title = PRICES[by]
        charts = [
            prices_chart(numbers, title, quality, lower=lower, narrow=narrow, width="container")
            for narrow in (False, True)
        ]
        table = [[("model", "left"), (title, ""), (quality, "")]]
        table += [
            [(str(row["name"]), "left"), (f"{row['price']:.3g}", ""), (f"{row['value']:.3g}", "")] for row in numbers
        ]
        text = (
            "One point for each model, with its name where there is room; for each of the others there is a model that "
            f"is at least as good at no higher {by}."
        )
        yield Section(f"Quality and {by}", text, charts[0], narrow=charts[1], table=table, collapsed="Numbers")


def _scaled(number: object, points: bool) -> float | None:
    return None if not isinstance(number, float) else 100 * number if points else number


def _history(report: Report) -> Iterator[Section]:
    history, ranking = report.history, report.ranking
    if history is None:
        return
    leading = leading_models(ranking.order.tolist(), history.chance[-1].tolist())
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
        "What was said after so many labels, about the models that lead now.",
        charts[0],
        narrow=charts[1],
        table=table,
        collapsed="Numbers",
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
    if report.options.column is None:
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
        f"Slices by {report.options.column}",
        "The ranking on each part of the pool by itself, largest first.",
        table=table,
        caption=f"... and {more:,} smaller slices." if more > 0 else "",
    )


def _leader(report: Report) -> str:
    return report.ranking.best
