"""Stop rules in words."""

from adjudge.reports.tables import number
from adjudge.simulation import spread
from adjudge.stopped import StoppedRuns
from adjudge.stopping import Rule, Standing

NO_RULE = "No stop rule can hold while nobody says what numbers there can be: adjudge label ... --range LOW HIGH."


def standing_sentence(found: Standing) -> str:
    """Whether one may stop, and if not, why and for how long."""
    with_labels = f"with {_count(found.labels, 'label')}"
    if found.answer is None:
        return (
            "Go on: no label so far was drawn at random, so nothing is sure yet. `adjudge select` and `adjudge label` "
            "draw more and more of them."
        )
    first = found.answer.models[found.answer.order[0]]
    if found.stopped:
        return f"You may stop: {first} {_shown(found.rule)}, {with_labels}. 95% sure, however often you looked."
    against = found.pending[0] + (f" and {len(found.pending) - 1} more" if len(found.pending) > 1 else "")
    why = "may still be the best" if found.rule.margin is None else f"may be more than {found.rule.margin:g} better"
    than = "" if found.rule.margin is None else f" than {first}"
    told = f"Go on: {with_labels}, {against} {why}{than}."
    if found.out_of_reach:
        return f"{told} As the gaps look now, no number of labels can show more: too many of them may be wrong."
    if found.more is None:
        return told
    return (
        f"{told} It may take about {_count(found.more, 'more label')} ({found.more_low:,} to {found.more_high:,}): an "
        "extrapolation from what the gaps look like now, not a promise."
    )


def standing_facts(found: Standing) -> dict[str, object]:
    """The same for machines."""
    return {
        "rule": str(found.rule),
        "may_stop": found.stopped,
        "sentence": standing_sentence(found),
        "pending": list(found.pending),
        "in_dispute": found.in_dispute,
        "more_labels": found.more,
        "more_labels_low": found.more_low,
        "more_labels_high": found.more_high,
        "out_of_reach": found.out_of_reach,
    }


def runs_sentences(runs: StoppedRuns) -> list[str]:
    """What a stop rule came to, as a few lines."""
    used, of = runs.labels, f"of {_count(len(runs.seeds), 'run')}"
    beyond = "not the best" if runs.rule.margin is None else f"more than {runs.rule.margin:g} worse than the best"
    return [
        f"{runs.method} until {runs.rule}, at most {_count(runs.budget, 'label')}",
        f"stopped by the rule: {int(runs.stopped.sum())} {of}; the others reached the budget",
        f"labels used: {number(spread(used)['mean'], 1)} on average, from {used.min():.0f} to {used.max():.0f}",
        f"stopped at a model that is {beyond}: {int(runs.broken.sum())} {of} (the rule promises at most 5 %)",
        f"first model {beyond}, stopped or not: {int(runs.missed.sum())} {of}; mean regret "
        f"{number(spread(runs.regret)['mean'])}",
    ]


def _shown(rule: Rule) -> str:
    if rule.margin is None:
        return "is the best model"
    return f"is at most {rule.margin:g} worse than any other model"


def _count(amount: int, what: str) -> str:
    return f"{amount:,} {what}{'s' * (amount != 1)}"
