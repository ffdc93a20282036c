"""Stopping rules in words."""

import numpy as np

from adjudge.charts.cells import percent
from adjudge.core.index import all_left, counted, named, shortened
from adjudge.core.ranking import Ranking
from adjudge.decisions.amounts import points
from adjudge.decisions.extrapolation import MoreLabels
from adjudge.decisions.stopping import StoppingRule, StoppingStatus
from adjudge.inference.metrics.registry import named_metric
from adjudge.inference.ranks import TINY
from adjudge.reports.tables import verb

WIDE = 10  # times from one end of a range to the other, above which a middle says nothing
NO_RULE = "A stopping rule needs the lowest and highest possible value: adjudge label ... --range LOW HIGH."
NO_RULE_FOR_METRIC = "No stopping rule holds for {}: label a number of samples that is fixed in advance."


def no_rule(metric: str | None) -> str:
    """Why no stopping rule can be applied to the labels of a project."""
    if metric is None or named_metric(metric).metric.mean is not None:
        return NO_RULE
    return NO_RULE_FOR_METRIC.format(metric)


def standing_sentence(found: StoppingStatus) -> str:
    """Whether one may stop, and if not, why and for how long."""
    with_labels = f"with {counted(found.labels, 'label')}"
    if found.ranking is None:
        if not found.left:
            return "Not shown: no sample is left that can be labeled."
        return (
            "Go on: no label so far was drawn at random, so nothing is sure yet. `adjudge select` and `adjudge label` "
            "draw some of the next samples."
        )
    first = found.ranking.models[found.ranking.order[0]]
    if len(found.ranking.models) == 1:
        return f"You may stop: {first} is the only model, so there is nothing to compare it with."
    if found.stopped:
        return f"You may stop: {_shown(found.rule, found.ranking)}, {with_labels}. {_sure(found)}"
    against = shortened(found.blocking, 1)
    may = "may well" if found.rule.likely else "may"
    why = (
        f"{may} still be the best"
        if found.rule.margin is None
        else f"{may} be more than {points(found.rule.margin, found.ranking.estimate.quantity)} better"
    )
    than = "" if found.rule.margin is None else f" than {first}"
    advice = found.ranking.recommendation
    go_on = "Go on" if found.left else "Not shown"
    if found.left and advice is not None and advice.incomplete:
        go_on = f"Get the missing predictions of {first} first"
    return f"{go_on}: {with_labels}, {against} {why}{than}.{_how_long(found)}"


def _how_long(found: StoppingStatus) -> str:
    if found.out_of_reach:
        if not found.left and not found.by_noise:
            return " No label is left that could tell: predictions are missing."
        why = "too many of them may be wrong" if found.by_noise else "too many predictions are missing"
        return f" As the gaps look now, no number of labels can show more: {why}."
    if found.more is None:
        return ""
    guess = "an extrapolation from what the gaps look like now, not a promise."
    return f" It may take {how_many(found.more, found.left)}: {guess}"


def how_many(more: MoreLabels, left: int) -> str:
    """A number of labels with its range, or only one end of it where the other says nothing.

    >>> how_many(MoreLabels(180, 90, 400), 5000), how_many(MoreLabels(50, 1, 400), 400)
    ('about 180 more labels (90 to 400)', 'up to 400 more labels')
    """
    if more.low >= left:
        return f"perhaps {all_left(left)}"
    if more.high >= left or more.high > WIDE * more.low:
        return (
            f"up to {counted(more.high, 'more label')}"
            if more.low * WIDE < more.high
            else (f"{more.low:,} or more labels, perhaps {all_left(left)}")
        )
    between = "" if more.low == more.high else f" ({more.low:,} to {more.high:,})"
    return f"about {counted(more.about, 'more label')}{between}"


def standing_facts(found: StoppingStatus) -> dict[str, object]:
    """The same for machines."""
    return {
        "rule": str(found.rule),
        "may_stop": found.stopped,
        "sentence": standing_sentence(found),
        "pending": list(found.blocking),
        "in_dispute": found.in_dispute,
        "more_labels": found.more and found.more.about,
        "more_labels_low": found.more and found.more.low,
        "more_labels_high": found.more and found.more.high,
        "how_many": found.more and how_many(found.more, found.left),
        "out_of_reach": found.out_of_reach,
    }


def _shown(rule: StoppingRule, ranking: Ranking) -> str:
    """What was shown, about the first model and those that are known to be exactly as good."""
    first = [ranking.models[ranking.order[0]]]
    if ranking.difference_to_leader is not None:
        same = (ranking.difference_to_leader.low >= -TINY) & (ranking.difference_to_leader.high <= TINY)
        first += [ranking.models[model] for model in ranking.order[1:] if same[model]]
    if rule.margin is not None:
        most = points(rule.margin, ranking.estimate.quantity)
        sure = "likely " if _by_consensus(rule, ranking) and not _certain(ranking) else ""
        return f"{named(first)} {verb(first, 'is', 'are')} {sure}at most {most} worse than any other model"
    return f"{named(first)} {verb(first, 'is the best model', 'are best, exactly as good as each other')}"


def _by_consensus(rule: StoppingRule, ranking: Ranking) -> bool:
    """Whether the rule stopped by what is likely, and no more than that is known."""
    proven = ranking.guaranteed is not None and ranking.guaranteed.loss <= rule.allowed + TINY
    return rule.likely and ranking.likely is not None and not proven


def _certain(ranking: Ranking) -> bool:
    """Whether every difference is known."""
    gap = ranking.difference_to_leader
    return gap is not None and bool((gap.high - gap.low)[~np.isnan(gap.value)].max(initial=0.0) <= TINY)


def _sure(found: StoppingStatus) -> str:
    assert found.ranking is not None
    if _certain(found.ranking):
        return "All labels that could tell models apart are there, so that is certain."
    level = percent(found.ranking.estimate.level)
    if _by_consensus(found.rule, found.ranking):
        return f"The consensus of the models and the labels says so ({level} sure); it is not guaranteed."
    return f"That is guaranteed with {level} confidence, no matter how often you checked."
