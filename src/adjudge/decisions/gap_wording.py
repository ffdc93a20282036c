"""What is said of missing predictions."""

from adjudge.core.index import counted
from adjudge.core.ranking import Ranking
from adjudge.core.recommendation import Recommendation

FEW_MODELS = 6  # that an option names


def is_alone(advice: Recommendation, ranking: Ranking) -> bool:
    """Whether no other model says anything, so that there is nothing to compare with."""
    return len(advice.silent) == len(ranking.models) - 1


def with_gaps(advice: Recommendation) -> tuple[str, ...]:
    """The models whose missing predictions may matter: the recommended one, and those that may be better."""
    matter = (advice.model, *advice.may_be_best)
    return tuple(name for name in advice.lacking if name in matter) or tuple(advice.lacking)


def gaps_in_words(advice: Recommendation) -> str:
    """That predictions are missing, which may be right or wrong; of models without any, that is told elsewhere."""
    lacking = [name for name in with_gaps(advice) if name not in advice.silent or advice.unpredicted]
    if not lacking:
        return ""
    name, *others = sorted(lacking, key=lambda name: -advice.lacking[name])
    more = "" if not others else f", and {counted(len(others), 'other model')} some"
    told = "it would be so whatever these are" if advice.exact else "these may be right or wrong"
    return f" {name} lacks {advice.lacking[name]:,} of {advice.samples:,} predictions{more}: {told}."


def or_without(models: tuple[str, ...], ranking: Ranking) -> str:
    """That the others may be ranked alone, with the option where it is short; nothing where fewer than two are left."""
    if len(ranking.models) - len(models) < 2:
        return ""
    short = len(models) <= FEW_MODELS and "," not in "".join(models)
    return ", or rank the others" + (f" (--without {','.join(models)})" if short else "")
