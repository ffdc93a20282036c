"""Maps of pairs of models: who is better, and which fail together."""

from collections import Counter
from collections.abc import Iterator
from itertools import permutations

import numpy as np

from adjudge.charts import pairs_chart, shares_chart
from adjudge.charts.pairs import BETTER, OPEN, PERHAPS_BETTER, PERHAPS_WORSE, SAME, WORSE
from adjudge.core.index import counted
from adjudge.decisions.pairs import PairwiseComparison
from adjudge.reports.page import Section
from adjudge.reports.report.gather import MOST_MODELS, Report
from adjudge.reports.report.words import share_text, shared_sentence

CLOSEST = 10  # pairs in a table
HEADING = "Who beats whom"


def pair_states(found: PairwiseComparison) -> dict[tuple[int, int], str]:
    """What is known about each pair of the models in charts, by their places; about the first of the two."""

    def state(one: int, other: int) -> str:
        if found.same[one, other]:
            return SAME
        for better, said, contrary in (
            (found.guaranteed, BETTER, WORSE),
            (found.likely, PERHAPS_BETTER, PERHAPS_WORSE),
        ):
            if better[one, other] != better[other, one]:
                return said if better[one, other] else contrary
        return OPEN

    return {pair: state(*pair) for pair in permutations(range(len(found.models)), 2)}


def better_section(report: Report) -> Iterator[Section]:
    """Who beats whom; without a map where nothing is known about any pair."""
    if report.pairs is None:
        return
    names, ranks, states = _names(report), _ranks(report), pair_states(report.pairs)
    count = Counter(states.values())
    many = len(report.ranking.models)
    among = f"the first {MOST_MODELS} models" if many > MOST_MODELS else counted(many, "model")
    level = f"{100 * report.pairs.level:g}%"
    text = (
        f"Pairs decided with a guarantee: {count[BETTER]:,} of {len(states) // 2:,} among {among}, by the drawn labels "
        f"alone ({level} for all pairs at once, no matter how often you check). Likely decided: "
        f"{count[PERHAPS_BETTER]:,} more ({level} for each)."
    )
    if not count[BETTER] + count[PERHAPS_BETTER]:
        yield Section(HEADING, text)
        return
    table = [[("model", "left"), (BETTER, ""), (PERHAPS_BETTER, ""), (PERHAPS_WORSE, ""), (WORSE, "")]]
    for one, name in enumerate(names):
        mine = Counter(state for (row, _), state in states.items() if row == one)
        table.append([(name, "left"), *((str(mine[state]), "") for state, _ in table[0][1:])])
    yield Section(
        HEADING,
        f"{text} Each cell is about the model of its row, compared with the one of its column.",
        pairs_chart(names, ranks, states, width="container"),
        narrow=pairs_chart(names, ranks, states, narrow=True, width="container"),
        table=table,
        collapsed="Numbers",
    )


def shared_section(report: Report) -> Iterator[Section]:
    """Which models fail together."""
    found = report.shared
    if found is None:
        return
    names, ranks = _names(report), _ranks(report)
    every = np.argwhere(~np.isnan(found.share) & ~np.eye(len(names), dtype=bool))
    shares = {(int(one), int(other)): float(found.share[one, other]) for one, other in every}
    charts = [
        shares_chart(names, ranks, shares, found.measure, narrow=narrow, width="container") for narrow in (False, True)
    ]
    closest = sorted((pair for pair in shares if pair[0] < pair[1]), key=lambda pair: -shares[pair])[:CLOSEST]
    table = [[("model", "left"), ("and", "left"), (found.measure, "")]]
    table += [[(names[a], "left"), (names[b], "left"), (share_text(shares[a, b]), "")] for a, b in closest]
    yield Section(
        "Which models fail together",
        shared_sentence(found),
        charts[0],
        narrow=charts[1],
        table=table,
        collapsed=f"The {counted(len(closest), 'closest pair')}" if len(closest) > 1 else "The pair",
    )


def _names(report: Report) -> list[str]:
    return [report.ranking.models[model] for model in report.shown]


def _ranks(report: Report) -> list[int]:
    return [int(report.ranking.rank[model]) for model in report.shown]
