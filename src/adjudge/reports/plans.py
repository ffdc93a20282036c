"""A plan of labels, as a table and in words."""

from math import isnan

from rich.markup import escape
from rich.table import Table

from adjudge.core.index import counted
from adjudge.decisions.plan import Needed, PairPlan, Plan


def plan_table(plan: Plan) -> Table:
    """One row a pair of models, with the range from the best to the worst case."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("models", overflow="fold", min_width=12)
    for name in ("differ on", "labels"):
        table.add_column(name, justify="right")
    for pair in plan.pairs:
        table.add_row(escape(f"{pair.a}, {pair.b}"), *_cells(pair))
    if len(plan.pairs) > 1 and not all(pair.known for pair in plan.pairs):
        table.add_row("a typical pair", *_cells(plan.typical), style="bold")
    return table


def plan_sentences(plan: Plan) -> list[str]:
    """What the numbers say, and what they assume."""
    if all(each.known for each in plan.pairs):
        return ["Every sample on which these models differ is labeled, so the difference is known: adjudge compare."]
    once = "one pair" if plan.comparisons == 1 else f"all {plan.comparisons:,} pairs at once"
    pair = plan.typical if len(plan.pairs) > 1 else plan.pairs[0]
    sentences = [
        f"To detect a difference of {plan.difference:g} with a power of {plan.power:.0%} at the level {plan.level:g}, "
        f"for {once}: about {counted(pair.everywhere.likely, 'label')} drawn from all {plan.samples:,} samples.",
    ]
    if plan.usable < plan.labels:
        sentences.append(
            f"It is not known how the {counted(plan.labels, 'label')} were chosen, so they are used only where they "
            "settle a pair; add --drawn uniform if they are a simple random sample."
        )
    if any(not isnan(each.flips) and not each.known for each in plan.pairs):
        sentences.append(
            f"The share of flips is taken from {counted(plan.labels, 'label')}, its range from the interval of that "
            "share if they were drawn with equal chances, otherwise from the best and the worst case."
        )
        if len(plan.pairs) > 1:
            sentences.append(
                "For a typical pair no label is used: it is assumed that one of the two is right wherever they differ."
            )
    else:
        sentences.append(
            "This assumes that one of the two is right wherever they differ, which is conservative; in the best case "
            "every flip goes the same way. Labels tell more (--labels)."
        )
    if any(each.everywhere.worst == 0 and not each.known for each in plan.pairs):
        sentences.append(
            "Two models that differ on fewer samples than that cannot be so far apart: that needs no label."
        )
    if any(each.known for each in plan.pairs):
        sentences.append("A difference is known once every sample on which the two differ is labeled.")
    sentences.append(
        "This holds for a number of labels that is fixed beforehand; looking after every label takes more. Draw them "
        "with: adjudge select --method random."
    )
    return sentences


def _cells(pair: PairPlan) -> tuple[str, str]:
    return f"{pair.differing:.1%}", "known" if pair.known else _needed(pair.everywhere)


def _needed(labels: Needed) -> str:
    if labels.worst == 0:
        return "0: too alike"
    return f"{labels.likely:,} ({labels.best:,}-{labels.worst:,})"
