"""A plan of labels, as a table and in words."""

import shlex
from math import isnan

from rich.markup import escape
from rich.table import Table

from adjudge.core.index import counted
from adjudge.decisions.needed import Needed, PairPlan, Plan
from adjudge.reports.pairs import draw_command

FIXED = "holds if the number of labels is fixed in advance; checking after every label, as in pytest, takes more."


def plan_table(plan: Plan) -> Table:
    """One row per pair of models, with the range from the best to the worst case."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("models", overflow="fold", min_width=12)
    if not isnan(plan.typical.deviation):
        for name in ("sd of difference", "samples"):
            table.add_column(name, justify="right")
        for pair in plan.pairs:
            table.add_row(escape(f"{pair.a}, {pair.b}"), f"{pair.deviation:.3g}", _needed(pair.everywhere))
        return table
    for name in ("differ on", "labels there", "or of all"):
        table.add_column(name, justify="right")
    for pair in plan.pairs:
        table.add_row(escape(f"{pair.a}, {pair.b}"), *_cells(pair))
    if len(plan.pairs) > 1 and not all(pair.known for pair in plan.pairs):
        table.add_row("a typical pair", *_cells(plan.typical), style="bold")
    return table


def plan_lead(plan: Plan) -> str:
    """The number that matters: labels among the samples on which the two differ, in all."""
    if all(each.known for each in plan.pairs):
        return "Every sample on which these models differ is labeled, so the difference is known: adjudge compare."
    one = len(plan.pairs) == 1
    pair = plan.pairs[0] if one else plan.typical
    if (there := pair.where_they_differ) is None:
        do, done = ("Grade", "graded") if plan.metric is None else ("Label", "labeled")
        return (
            f"{do} {plan.typical.everywhere.likely:,} samples to detect a difference of {plan.difference:g} in "
            f"{plan.quantity} between two good models (power {plan.power:.0%}, level {plan.level:g}); "
            f"{counted(plan.labels, 'sample')} of {plan.samples:,} {'is' if plan.labels == 1 else 'are'} {done}."
        )
    needed, differing = there.likely, round(pair.differing * plan.samples)
    who = f"{pair.a} and {pair.b} differ" if one else "a typical pair differs"
    if not there.worst:
        return (
            f"{who[0].upper() + who[1:] if not one else who} on {differing:,} of {plan.samples:,} samples, so their "
            f"accuracies cannot be {plan.difference:g} apart: that needs no label."
        )
    at_once = "" if plan.comparisons == 1 else f", all {plan.comparisons:,} pairs at once"
    return (
        f"Label {needed:,} of the {differing:,} samples on which {who} to detect a difference of {plan.difference:g} "
        f"in accuracy (power {plan.power:.0%}, level {plan.level:g}{at_once}). "
        f"{_so_far(pair, needed)}; drawn from all {plan.samples:,} samples it would take {pair.everywhere.likely:,}."
    )


def _so_far(pair: PairPlan, needed: int) -> str:
    """What the labels so far leave to do."""
    apart = pair.uncounted
    if not pair.labeled and apart:
        verb, were = ("is", "was") if apart == 1 else ("are", "were")
        return f"{apart:,} of them {verb} labeled, but {were} not drawn with equal chances there, so these come on top"
    total = "That is the total"
    if not pair.labeled:
        return total
    if pair.labeled >= needed:
        return f"{total}, and {pair.labeled:,} are labeled: that is enough"
    verb = "is" if pair.labeled == 1 else "are"
    return f"{total}: {pair.labeled:,} of them {verb} labeled, which leaves {needed - pair.labeled:,}"


def plan_sentences(plan: Plan) -> list[str]:
    """What the numbers assume."""
    if all(each.known for each in plan.pairs):
        return []
    if not isnan(plan.typical.deviation):
        if plan.metric is not None:
            return [
                f"This rests on how much the difference in {plan.quantity} varies among the labeled samples. It is for "
                f"draws with equal chances from all samples, and {FIXED}"
            ]
        return [
            f"This rests on how much the difference between two grades varies among the graded samples, and {FIXED}"
        ]
    sentences = []
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
            "every flip goes the same way. With --labels, the share that they show is taken instead."
        )
    if any(each.everywhere.worst == 0 and not each.known for each in plan.pairs):
        sentences.append(
            "Two models that differ on fewer samples than that cannot be so far apart: that needs no label."
        )
    if any(each.known for each in plan.pairs):
        sentences.append("A difference is known once every sample on which the two differ is labeled.")
    sentences.append(f"This {FIXED}")
    return sentences


def plan_command(plan: Plan, source: str, file: str | None = None) -> str | None:
    """The command that draws such labels from this source, behind those of the file; None where none are needed.

    Of several pairs it is for the first one that is still open, which is that of the models that agree most.
    """
    if plan.metric is not None and file is not None:
        left, about = plan.typical.everywhere.likely - plan.labels, ["--metric", plan.metric]
        about += [] if plan.positive is None else ["--class", plan.positive]
        told = f"{shlex.join(about)} --labels {file} --budget {left} --out {file}"
        return f"adjudge select {source} {told}" if left > 0 else None
    for pair in plan.pairs:
        if not pair.known and pair.where_they_differ is not None:
            left = pair.where_they_differ.likely - pair.labeled
            if left > 0:
                return draw_command(source, (pair.a, pair.b), left, file)
    return None


def _cells(pair: PairPlan) -> tuple[str, ...]:
    assert pair.where_they_differ is not None  # as for every plan by accuracy
    labels = ("known", "known") if pair.known else tuple(map(_needed, (pair.where_they_differ, pair.everywhere)))
    return f"{pair.differing:.1%}", *labels


def _needed(labels: Needed) -> str:
    if labels.worst == 0:
        return "0: too alike"
    return f"{labels.likely:,} ({labels.best:,}-{labels.worst:,})"
