"""Maps of pairs of models: who was shown to be better, and which fail together."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from adjudge.charts import pairs_chart, shares_chart
from adjudge.charts.pairs import BETTER, OPEN, SAME, WORSE
from adjudge.core.index import counted
from adjudge.decisions.shared_errors import CORRELATION, OVERLAP
from adjudge.reports.page import Section
from adjudge.reports.report.gather import MOST_MODELS, Report
from adjudge.reports.report.words import percent, shared_sentence

CLOSEST = 10  # pairs in a table


def pair_states(report: Report) -> dict[tuple[int, int], str]:
    """What was shown about each pair of the models in charts, by their places; about the first of the two."""
    worse, values = report.ranking.worse, report.predictions.values
    if worse is None:
        return {}
    groups = [values[model].tobytes() for model in report.shown]
    states = {}
    for (one, left), (other, right) in combinations(enumerate(report.shown.tolist()), 2):
        if groups[one] == groups[other]:
            found = SAME, SAME
        elif worse[right, left]:
            found = BETTER, WORSE
        elif worse[left, right]:
            found = WORSE, BETTER
        else:
            found = OPEN, OPEN
        states[one, other], states[other, one] = found
    return states


def better_section(report: Report) -> Iterator[Section]:
    """Who beats whom; without a map where nothing is shown about any pair."""
    names, ranks, states = _names(report), _ranks(report), pair_states(report)
    if not states:
        return
    heading, text = "Who beats whom", _beaten(report, states)
    if BETTER not in states.values():
        yield Section(heading, text)
        return
    table = [[("model", "left"), ("shown better than", ""), ("shown worse than", ""), ("not shown", "")]]
    for one, name in enumerate(names):
        mine = [state for (row, _), state in states.items() if row == one]
        better, worse = mine.count(BETTER), mine.count(WORSE)
        table.append([(name, "left"), *((str(count), "") for count in (better, worse, len(mine) - better - worse))])
    yield Section(
        heading,
        f"{text} Each cell is about the model of its row, compared with the one of its column.",
        pairs_chart(names, ranks, states, width="container"),
        narrow=pairs_chart(names, ranks, states, narrow=True, width="container"),
        table=table,
        folded="Numbers",
    )


def _beaten(report: Report, states: dict[tuple[int, int], str]) -> str:
    """How many pairs are decided, and how many models the first one beats."""
    ranking = report.ranking
    assert ranking.worse is not None
    models, leader = len(ranking.models), int(ranking.order[0])
    among = f"the first {MOST_MODELS} models" if models > MOST_MODELS else f"the {models} models"
    shown = sum(state == BETTER for state in states.values())
    sure = f"{ranking.estimate.level:.0%} sure of all pairs at once"
    if not shown:
        return f"Drawn labels alone do not show yet for any two of {among} which of them is better ({sure})."
    return (
        f"Drawn labels alone show which of two is better for {shown:,} of the {counted(len(states) // 2, 'pair')} "
        f"among {among} ({sure}). {ranking.models[leader]} was shown to be better than "
        f"{int(ranking.worse[:, leader].sum()):,} of the {counted(models - 1, 'other model')}."
    )


def shared_section(report: Report) -> Iterator[Section]:
    """Which models fail together."""
    found = report.shared
    if found is None:
        return
    names, ranks = _names(report), _ranks(report)
    every = np.argwhere(~np.isnan(found.share) & ~np.eye(len(names), dtype=bool))
    shares = {(int(one), int(other)): float(found.share[one, other]) for one, other in every}
    title = {OVERLAP: "wrong together", CORRELATION: "correlation of errors"}.get(found.measure, "same answer")
    charts = [shares_chart(names, ranks, shares, title, narrow=narrow, width="container") for narrow in (False, True)]
    closest = sorted((pair for pair in shares if pair[0] < pair[1]), key=lambda pair: -shares[pair])[:CLOSEST]
    table = [[("model", "left"), ("and", "left"), (title, "")]]
    table += [[(names[a], "left"), (names[b], "left"), (percent(shares[a, b]), "")] for a, b in closest]
    yield Section(
        "Which models fail together",
        shared_sentence(found),
        charts[0],
        narrow=charts[1],
        table=table,
        folded=f"The {counted(len(closest), 'closest pair')}" if len(closest) > 1 else "The pair",
    )


def _names(report: Report) -> list[str]:
    return [report.ranking.models[model] for model in report.shown]


def _ranks(report: Report) -> list[int]:
    return [int(report.ranking.rank[model]) for model in report.shown]
