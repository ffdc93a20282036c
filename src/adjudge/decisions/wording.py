"""The recommendation in words: the same for the terminal, the page, the report and a notebook."""

from collections.abc import Iterator
from math import isnan

import numpy as np

from adjudge.charts.cells import SURE, percent
from adjudge.core.index import all_left, counted, named
from adjudge.core.labels import Labels
from adjudge.core.ranking import Ranking
from adjudge.core.recommendation import FIRST_LABELS, NEXT, Recommendation
from adjudge.core.strata import only_pair
from adjudge.decisions.amounts import ON_LABELED, amount, points
from adjudge.decisions.gap_wording import gaps_in_words, is_alone, or_without, with_gaps
from adjudge.decisions.price_wording import HEADINGS, cheapest_in_words
from adjudge.inference.ranks import TINY

ANYTIME = "even if you check after every label"  # what anytime-valid means to a user
MANY = 0.25  # of the labels, which wait for one that is missing
FEW_TIES = 2  # other models that are named one by one
SMALL = 0.1  # of the margin: a loss that nobody asks about

Words = tuple[tuple[str, str], ...]  # heading and text of each line; the first has no heading


def in_words(advice: Recommendation, ranking: Ranking, log: Labels, drawn: int, *, blind: bool = False) -> Words:
    """What to deploy; what is likely and what is guaranteed about it; what to do next.

    `drawn` is how many labels were drawn at random. `blind` says that nothing but labels can tell two models apart:
    where they differ, each contradicts the other.
    """
    if len(ranking.models) == 1:
        return (("", f"{advice.model} is the only model: there is nothing to compare it with."),)
    if not ranking.labels and advice.best_is_proven:
        return _of_the_same(advice, ranking)
    if not ranking.labels:
        gaps, blind = gaps_in_words(advice), blind or (len(ranking.models) == 2 and bool(advice.ties))
        return _of_two_without_labels(advice, ranking, gaps) if blind else _without_labels(advice, ranking, gaps)
    lines = [
        ("", _lead(advice, ranking)),
        ("Likely", _likely(advice, ranking)),
        ("Guaranteed", _guaranteed(advice, ranking, drawn)),
    ]
    lines.append(("Future data", _future(advice, ranking)))
    lines += [(HEADINGS[each.by], cheapest_in_words(each, advice, ranking)) for each in advice.cheapest]
    lines.append((NEXT, " ".join(_next(advice, ranking, log))))
    # labels where two models differ judge them without telling an accuracy: they have a tier then
    tier = np.zeros(len(ranking.models)) if ranking.tier is None else ranking.tier
    unknown = [ranking.models[each] for each in ranking.order if isnan(ranking.estimate.value[each]) and not tier[each]]
    if unknown and only_pair(log) is None:
        sample = "randomly drawn sample" if 0 < drawn < ranking.labels else "labeled sample"
        lines.append(("Not judged", f"{named(unknown)}, without a prediction for a {sample}."))
    return tuple((heading, text) for heading, text in lines if text)


def _of_the_same(advice: Recommendation, ranking: Ranking) -> Words:
    lead = f"Deploy {advice.model}, or any other: all {len(ranking.models)} models say the same about every sample."
    then = "you may stop here: no label can tell them apart, but only samples on which they differ."
    return ("", lead), ("Guaranteed", "no other model is better on these samples."), (NEXT, then)


def _without_labels(advice: Recommendation, ranking: Ranking, gaps: str) -> Words:
    by = ranking.estimate.quantity
    if by == "agreement":
        by += " with the majority vote" + " on the samples that each predicts" * bool(advice.lacking)
    who = f"{named([advice.model, *advice.ties])} {'lead, tied,' if advice.ties else 'leads'}"
    others = "the other model" if len(ranking.models) == 2 else "the other models"
    lead = f"without labels, {who} only by agreement with {others}"
    if len(advice.ties) > FEW_TIES:
        lead = f"without labels, {_tied(advice)}"
    return (
        ("", f"Do not decide yet: {lead}."),
        ("Likely", f"models are ordered by {by}, which often, but not always, matches their accuracy.{gaps}"),
        ("Guaranteed", "nothing."),
        (
            NEXT,
            _get_predictions(advice, ranking)
            + (
                _fill_in(advice)
                or f"10 labels show whether the majority vote can be trusted; {FIRST_LABELS} are often enough to "
                "choose."
            ),
        ),
    )


def _of_two_without_labels(advice: Recommendation, ranking: Ranking, gaps: str) -> Words:
    one, other = (ranking.models[each] for each in ranking.order)
    ahead = ranking.estimate.quantity != "agreement" and not advice.ties and not advice.lacking
    first = min(FIRST_LABELS, advice.next.left)
    labels = f"{counted(first, 'label')}, most of them where the two differ, then `adjudge compare`."
    abstains = f" {one} comes first since {other} abstains more often." if ahead else ""
    return (
        ("", f"Do not decide yet: without labels, nothing says which of {one} and {other} is better."),
        ("Likely", f"nothing: where two models differ, each contradicts the other.{abstains}{gaps}"),
        ("Guaranteed", "nothing."),
        (
            NEXT,
            _get_predictions(advice, ranking)
            + (_fill_in(advice) or (labels if first else "no sample is left that can be labeled.")),
        ),
    )


def _get_predictions(advice: Recommendation, ranking: Ranking) -> str:
    """What comes before labels, if the first model lacks too many predictions, or all others do."""
    which = advice.silent if is_alone(advice, ranking) else (advice.model,)
    return f"get the missing predictions of {named(which)} first. " if advice.incomplete else ""


def _tied(advice: Recommendation) -> str:
    return f"{len(advice.ties) + 1} models tie for first, and {advice.model} is as good a choice as any of them"


def _lead(advice: Recommendation, ranking: Ranking) -> str:
    if advice.needs_predictions:
        if is_alone(advice, ranking):
            return f"Not decided: {advice.model} is the only model with predictions here."
        gap = f"lacks {advice.lacking.get(advice.model, 0):,} of {advice.samples:,} predictions"
        gap = "predictions are missing, and all samples are labeled" if advice.unpredicted else gap
        return f"Not decided: {advice.model} leads, but {gap}."
    unused, keep = advice.next.unused, "Keep labeling; so far"
    every = unused + ranking.labels
    waits = f" ({unused} of {every} labels do not count yet: a sample before them has none)" * (
        unused >= MANY * every > 0
    )
    if len(advice.ties) > FEW_TIES and not advice.stop:
        return f"Keep labeling: so far {_tied(advice)}{waits}."
    level = [ranking.models[each] for each in ranking.order if ranking.rank[each] == 1]
    if not advice.stop and not {*level} <= {advice.model, *advice.ties}:
        return f"Keep labeling: so far {named(level)} tie for first{waits}."
    how = "as good so far" if ranking.difference_to_leader is None else "exactly as good"
    same = f" {named(advice.ties)} {'is' if len(advice.ties) == 1 else 'are'} {how}." if advice.ties else ""
    return f"Deploy {advice.model}{waits}.{same}" if advice.stop else f"{keep} {advice.model} leads{waits}.{same}"


def _likely(advice: Recommendation, ranking: Ranking) -> str:
    if advice.refuted:
        return "nothing: the labels contradict the consensus of the models, so only what is guaranteed counts."
    if advice.exact or (advice.best_is_proven and advice.stop):  # what is guaranteed says more
        return ""
    if advice.chance_of_best is None or advice.expected_loss is None or advice.likely_loss is None:
        return ""
    chance, quantity = advice.chance_of_best, "accuracy"  # the posterior is about accuracies
    lines = [f"{percent(chance)} chance that it is the best of {len(ranking.models)}."]
    most = None
    if round(chance, 2) < advice.level or _loss_matters(advice):  # otherwise the bound is nearly zero
        most = points(advice.likely_loss, quantity)
        lines.append(f"{percent(advice.level)} sure that it is at most {most} worse than the best.")
    if chance <= SURE:
        otherwise = advice.expected_loss / (1 - chance)
        average = points(otherwise, quantity) if otherwise >= 5e-5 else "less than 0.01 points"
        if most is None or (otherwise < advice.likely_loss and average != most):  # a mean above a bound looks wrong
            lines.append(f"If it is not the best, it is {average} worse on average.")
    if advice.lacking.get(advice.model):
        lines.append("Where it lacks predictions, this assumes that it compares with the others as elsewhere.")
    return " ".join(lines)


def _guaranteed(advice: Recommendation, ranking: Ranking, drawn: int) -> str:
    many, able = len(ranking.models) - len(advice.silent), len(advice.may_be_best)
    if advice.exact or (advice.unpredicted and ranking.estimate.has_interval):
        return _all_labeled(advice, ranking, many) + gaps_in_words(advice)
    if advice.guaranteed_loss is None:
        return _why_nothing(advice, ranking)
    sure = f"{percent(advice.level)} confidence, {ANYTIME}"
    if advice.best_is_proven and advice.stop:
        return f"{_first_of(advice, many)} ({sure})."
    if advice.guaranteed_loss <= TINY:
        return f"no other model is better ({sure})."
    rivals = "none of the {0} models can be ruled out yet" if able == many else "{1} of {0} may still be best"
    most = amount(advice.guaranteed_loss, ranking)
    by = counted(drawn, "randomly drawn label")
    told = f"by the {by}, at most {most} worse than the best ({sure}); {rivals.format(many, able)}."
    tied = ranking.guaranteed is not None and ranking.guaranteed.ties
    ties = " Samples that nobody can label count as ties here." if tied else ""
    return told + ties + gaps_in_words(advice)


def _all_labeled(advice: Recommendation, ranking: Ranking, many: int) -> str:
    """What is known once no label is left to get; `many` models say something."""
    samples = f"on these {counted(ranking.labels, 'sample')}"
    if advice.exact:
        labeled = "every sample that can be labeled has been" if ranking.skipped else "all are labeled"
        return f"{_first_of(advice, many)} {samples}, exactly: {labeled}."
    if advice.guaranteed_loss is None:
        return f"nothing about the best; each {ranking.estimate.quantity} is known exactly."
    most = amount(advice.guaranteed_loss, ranking)
    return f"at most {most} worse than the best {samples}; {len(advice.may_be_best)} of {many} may be best."


def _future(advice: Recommendation, ranking: Ranking) -> str:
    if advice.future is None:
        return ""
    quantity = ranking.estimate.quantity
    off = f"from the same distribution, {advice.model}'s {quantity} may differ by +-{points(advice.future, quantity)}"
    if not advice.future_rivals:
        return f"{off}, and no other model is as good."
    others = (
        f"{named(advice.future_rivals)} may be as good"
        if len(advice.future_rivals) < 3
        else (f"{len(advice.future_rivals)} other models may be as good")
    )
    return f"{off}, and {others}."


def _why_nothing(advice: Recommendation, ranking: Ranking) -> str:
    if ranking.estimate.quantity.endswith(ON_LABELED):
        return (
            "nothing: how the labels were chosen is not known, so they say nothing about the whole pool; if they are a "
            "simple random sample, say so (--drawn uniform)."
        )
    if ranking.estimate.has_interval:
        return "only the intervals below, valid if the number of labels was fixed in advance."
    if advice.next.waiting:
        return "nothing yet: a randomly drawn label counts once the samples before it in the log have theirs."
    return "nothing: no label so far was drawn at random with a known chance."


def _first_of(advice: Recommendation, many: int) -> str:
    of = f"{many} that predict here" if advice.silent else f"{many}"
    return f"the best of {of}" if not advice.ties else f"one of the {len(advice.ties) + 1} best of {of}"


def _next(advice: Recommendation, ranking: Ranking, log: Labels) -> Iterator[str]:
    margin, left = amount(advice.margin, ranking), log.pool - len(log)
    written = points(advice.margin, ranking.estimate.quantity)  # as in a rule
    if advice.needs_predictions:
        which = with_gaps(advice) if advice.unpredicted else (advice.model,)
        which = advice.silent if is_alone(advice, ranking) else which
        yield f"get the missing predictions of {named(which)}{or_without(which, ranking)}."
    if advice.exact or advice.unpredicted:
        return
    if advice.next.waiting and not advice.stop:
        yield _fill_in(advice)
        return
    if advice.stop:
        cost = (advice.guaranteed_loss if advice.likely_loss is None else advice.likely_loss) or 0.0
        most = amount(cost, ranking)
        do = "does" if most.startswith("1 ") else "do"
        yield f"you may stop here{f' if {most} {do} not matter' if _loss_matters(advice) else ''}."
    elif advice.next.labels_likely is not None:
        rule = f'rule "likely within {written}"'
        yield f"{_more(advice.next.labels_likely, left)} until a loss of more than {margin} is unlikely ({rule})."
    if advice.next.labels_guaranteed is not None:
        # gaps between close models seem larger than they are, so the number mostly grows as labels come
        more = _more(advice.next.labels_guaranteed, left).replace("about", "at least")
        yield f'To guarantee {margin} (rule "within {written}"): {more}.'
    elif not advice.stop and not advice.incomplete and advice.next.labels_likely is None:
        yield "get randomly drawn samples with `adjudge select`."
    said = advice.next.labels_guaranteed if advice.stop or advice.incomplete else advice.next.labels_likely
    if said is not None and (budget := advice.next.budget(stop=advice.stop, first=False)) not in (None, said):
        yield f"Get {budget} of them first."
    if (which := advice.incomplete_rivals) and not advice.incomplete:
        better = "is" if len(which) == 1 else "are"
        how = f"get the missing predictions{or_without(which, ranking)}"
        yield f"As it looks now, labels alone will not tell whether {named(which)} {better} better: {how}."


def _loss_matters(advice: Recommendation) -> bool:
    """Whether somebody who stops now should know how large the loss may be."""
    cost = (advice.guaranteed_loss if advice.likely_loss is None else advice.likely_loss) or 0.0
    return advice.stop and not advice.best_is_proven and cost >= SMALL * advice.margin


def _fill_in(advice: Recommendation) -> str:
    """What to do about samples that wait for their labels; nothing where there are none."""
    waiting = advice.next.waiting
    return (
        f"fill in the {counted(waiting, 'label')} that {'is' if waiting == 1 else 'are'} still blank."
        if waiting
        else ""
    )


def _more(labels: int, left: int) -> str:
    return f"perhaps {all_left(left)}" if labels >= left else f"about {counted(labels, 'more label')}"
