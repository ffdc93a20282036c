"""The recommendation in words: the same for the terminal, the page, the report and a notebook."""

from collections.abc import Iterator, Mapping
from math import ceil, floor, isnan, log10

import numpy as np

from adjudge.charts.cells import SURE, percent
from adjudge.core.index import counted, named
from adjudge.core.labels import Labels
from adjudge.core.ranking import Ranking
from adjudge.core.recommendation import FIRST_LABELS, NEXT, CheapestModel, Recommendation
from adjudge.core.strata import only_pair
from adjudge.inference.ranks import TINY

ANYTIME = "even if you check after every label"  # what anytime-valid means to a user
ON_LABELED = " on the labeled samples"  # how the name of a mean ends that is no estimate for the pool
MANY_DIGITS = 1e6  # a number from which on powers of ten are shown
FEW_TIES = 2  # other models that are named one by one
SMALL = 0.1  # of the margin: a loss that nobody asks about
HEADINGS, CHEAPER = {"cost": "Cheapest", "latency": "Fastest"}, {"cost": "costs less", "latency": "is faster"}

Words = tuple[tuple[str, str], ...]  # heading and text of each line; the first has no heading


def in_words(advice: Recommendation, ranking: Ranking, log: Labels, lacking: Mapping[str, int]) -> Words:
    """What to deploy; what is likely and what is guaranteed about it; what to do next.

    `lacking` has the numbers of missing predictions of models that lack some, best first.
    """
    if len(ranking.models) == 1:
        return (("", f"{advice.model} is the only model: there is nothing to compare it with."),)
    if not ranking.labels:
        return _without_labels(advice, ranking)
    lines = [
        ("", _lead(advice, ranking)),
        ("Likely", _likely(advice, ranking)),
        ("Guaranteed", _guaranteed(advice, ranking, log) + (_gaps(lacking, log) if advice.exact else "")),
    ]
    lines.append(("Future data", _future(advice, ranking)))
    lines += [(HEADINGS[each.by], _cheapest(each, advice, ranking)) for each in advice.cheapest]
    lines.append((NEXT, " ".join(_next(advice, ranking, log))))
    # labels where two models differ judge them without telling an accuracy: they have a tier then
    tier = np.zeros(len(ranking.models)) if ranking.tier is None else ranking.tier
    unknown = [ranking.models[each] for each in ranking.order if isnan(ranking.estimate.value[each]) and not tier[each]]
    if unknown and only_pair(log) is None:
        lines.append(("Not judged", f"{named(unknown)}, without a prediction for a labeled sample."))
    return tuple((heading, text) for heading, text in lines if text)


def points(loss: float, quantity: str) -> str:
    """A loss in points of accuracy, or a plain number for another quantity: rounded up, so never said to be smaller.

    >>> points(0.061, "accuracy"), points(0.00999, "accuracy"), points(0.00001, "accuracy"), points(0.511, "grade")
    ('6.1 points', '1 point', '0.01 points', '0.52')
    >>> points(1812.4, "MSE")
    '1900'
    """
    if "accuracy" not in quantity:  # balanced, expected, or on the labeled samples: all are shares
        rounded = _up(loss, 1 - floor(log10(loss))) if loss > 0 else loss
        return f"{rounded:.0f}" if 100 <= rounded < MANY_DIGITS else f"{rounded:.2g}"
    share = max(100 * loss, 0.01)
    digits = 2 if _up(share, 2) < 1 else 1 if _up(share, 1) < 10 else 0
    number = f"{_up(share, digits):.{digits}f}".removesuffix(".0")
    return f"{number} {'point' if number == '1' else 'points'}"


def _amount(loss: float, ranking: Ranking) -> str:
    """A loss with its unit: points, MSE, cost; a grade has none."""
    estimate = ranking.estimate
    unit = f" {estimate.quantity.removesuffix(ON_LABELED)}" if estimate.lower_is_better else ""
    return points(loss, estimate.quantity) + unit


def _up(number: float, digits: int) -> float:
    """Rounded up to `digits` decimals, except for rounding errors."""
    scale: float = 10.0**digits
    return ceil(number * scale - 1e-6) / scale


def _without_labels(advice: Recommendation, ranking: Ranking) -> Words:
    by = "agreement with the majority vote" if ranking.estimate.quantity == "agreement" else ranking.estimate.quantity
    who = f"{named([advice.model, *advice.ties])} {'lead, tied,' if advice.ties else 'leads'}"
    lead = f"without labels, {who} only by agreement with the other models"
    if len(advice.ties) > FEW_TIES:
        lead = f"without labels, {_tied(advice)}"
    return (
        ("", f"Do not decide yet: {lead}."),
        ("Likely", f"models are ordered by {by}, which often, but not always, matches their accuracy."),
        ("Guaranteed", "nothing."),
        (
            NEXT,
            _fill_in(advice)
            or f"10 labels show whether the majority vote can be trusted; {FIRST_LABELS} are often enough to choose.",
        ),
    )


def _tied(advice: Recommendation) -> str:
    return f"{len(advice.ties) + 1} models tie for first, and {advice.model} is as good a choice as any of them"


def _lead(advice: Recommendation, ranking: Ranking) -> str:
    if len(advice.ties) > FEW_TIES and not advice.stop:
        return f"Keep labeling: so far {_tied(advice)}."
    how = "as good so far" if ranking.difference_to_leader is None else "exactly as good"
    same = f" {named(advice.ties)} {'is' if len(advice.ties) == 1 else 'are'} {how}." if advice.ties else ""
    return f"Deploy {advice.model}.{same}" if advice.stop else f"Keep labeling; so far {advice.model} leads.{same}"


def _likely(advice: Recommendation, ranking: Ranking) -> str:
    if advice.refuted:
        return "nothing: the labels contradict the consensus of the models, so only what is guaranteed counts."
    if advice.exact or (advice.best_is_proven and advice.stop):  # what is guaranteed says more
        return ""
    if advice.chance_of_best is None or advice.expected_loss is None or advice.likely_loss is None:
        return ""
    chance, quantity = advice.chance_of_best, "accuracy"  # the posterior is about accuracies
    lines = [f"{percent(chance)} chance that it is the best of {len(ranking.models)}."]
    if round(chance, 2) < advice.level:  # otherwise the bound is nearly zero, and says the same again
        most = points(advice.likely_loss, quantity)
        lines.append(f"{percent(advice.level)} sure that it is at most {most} worse than the best.")
    if chance <= SURE:
        otherwise = advice.expected_loss / (1 - chance)
        average = points(otherwise, quantity) if otherwise >= 5e-5 else "less than 0.01 points"
        lines.append(f"If it is not the best, it is {average} worse on average.")
    return " ".join(lines)


def _guaranteed(advice: Recommendation, ranking: Ranking, log: Labels) -> str:
    many = len(ranking.models)
    if advice.exact:
        labeled = "every sample that can be labeled has been" if ranking.skipped else "all are labeled"
        return f"{_first_of(advice, many)} on these {counted(ranking.labels, 'sample')}, exactly: {labeled}."
    if advice.guaranteed_loss is None:
        return _why_nothing(advice, ranking)
    drawn = counted(int(np.count_nonzero(~np.isnan(log.weight[log.usable]))), "randomly drawn label")
    sure = f"{percent(advice.level)} confidence, {ANYTIME}"
    if advice.best_is_proven and advice.stop:
        return f"{_first_of(advice, many)} ({sure})."
    if advice.guaranteed_loss <= TINY:
        return f"no other model is better ({sure})."
    able = len(advice.may_be_best)
    rivals = (
        f"none of the {many} models can be ruled out yet" if able == many else f"{able} of {many} may still be best"
    )
    most = _amount(advice.guaranteed_loss, ranking)
    return f"by the {drawn} alone, at most {most} worse than the best ({sure}); {rivals}."


def _gaps(lacking: Mapping[str, int], log: Labels) -> str:
    """That models were judged on different samples, which may decide between near equals."""
    if not lacking:
        return ""
    name, missing = next(iter(lacking.items()))
    more = "" if len(lacking) == 1 else f", and {counted(len(lacking) - 1, 'other model')} some"
    return f" {name} lacks {missing:,} of {log.pool:,} predictions{more}: these count neither as right nor as wrong."


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


def _cheapest(found: CheapestModel, advice: Recommendation, ranking: Ranking) -> str:
    """The cheapest or fastest model that is good enough, what that saves, and how sure it is."""
    if found.model == advice.model and found.price <= min(advice.prices[found.by].values()):
        return f"{found.model} too: no model {CHEAPER[found.by]}."
    if found.model == advice.model:
        how = "is" if found.likely_loss is None else "is likely to be"
        within = _amount(advice.margin, ranking)
        return f"{found.model} too: no model that {CHEAPER[found.by]} {how} within {within} of the best."
    said = f"{found.model}, {_price(found.by, found.price)} a sample"
    if found.leader_price is not None and found.price > 0:
        times = found.leader_price / found.price
        said += f" ({advice.model}: {_price(found.by, found.leader_price)}, {times:.2g} times as much)"
    if advice.exact:
        return f"{said}, is {_worse(found.guaranteed_loss, ranking, '')}, exactly."
    parts = [f"{said}."]
    if found.likely_loss is not None:
        parts.append(f"{percent(advice.level)} sure that it is {_worse(found.likely_loss, ranking)}.")
    if found.guaranteed_loss is not None:
        parts.append(f"Guaranteed: {_worse(found.guaranteed_loss, ranking)}.")
    return " ".join(parts)


def _worse(loss: float | None, ranking: Ranking, at_most: str = "at most ") -> str:
    return f"{at_most}{_amount(loss, ranking)} worse than the best" if loss else "not worse than the best"


def _price(by: str, price: float) -> str:
    return f"{price:.2g} s" if by == "latency" else f"{price:.2g}"


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
    return f"the best of {many}" if not advice.ties else f"one of the {len(advice.ties) + 1} best of {many}"


def _next(advice: Recommendation, ranking: Ranking, log: Labels) -> Iterator[str]:
    margin, left = _amount(advice.margin, ranking), log.pool - len(log)
    named = points(advice.margin, ranking.estimate.quantity)  # as a rule is written
    if advice.exact:
        return
    if advice.next.waiting and not advice.stop:
        yield _fill_in(advice)
        return
    if advice.stop:
        cost = (advice.guaranteed_loss if advice.likely_loss is None else advice.likely_loss) or 0.0
        most = _amount(cost, ranking)
        matters = not advice.best_is_proven and cost >= SMALL * advice.margin
        yield f"you may stop here{f' if {most} do not matter' if matters else ''}."
    elif advice.next.labels_likely is not None:
        rule = f'rule "likely within {named}"'
        yield f"{_more(advice.next.labels_likely, left)} until a loss of more than {margin} is unlikely ({rule})."
    if advice.next.labels_guaranteed is not None:
        # gaps between close models seem larger than they are, so the number mostly grows as labels come
        more = _more(advice.next.labels_guaranteed, left).replace("about", "at least")
        yield f'To guarantee {margin} (rule "within {named}"): {more}.'
    elif not advice.stop and advice.next.labels_likely is None:
        yield "get randomly drawn samples with `adjudge select`."


def _fill_in(advice: Recommendation) -> str:
    """What to do about samples that wait for their labels; nothing where there are none."""
    waiting = advice.next.waiting
    return f"fill in the {counted(waiting, 'label')} that the log still waits for." if waiting else ""


def _more(labels: int, left: int) -> str:
    return f"perhaps all {left:,} samples that are left" if labels >= left else f"about {counted(labels, 'more label')}"
