"""What to deploy where price matters, in words."""

from adjudge.charts.cells import percent
from adjudge.core.ranking import Ranking
from adjudge.core.recommendation import CheapestModel, Recommendation
from adjudge.decisions.amounts import amount

HEADINGS, CHEAPER = {"cost": "Cheapest", "latency": "Fastest"}, {"cost": "costs less", "latency": "is faster"}


def cheapest_in_words(found: CheapestModel, advice: Recommendation, ranking: Ranking) -> str:
    """The cheapest or fastest model that is good enough, what that saves, and how sure it is."""
    if found.model == advice.model and found.price <= min(advice.prices[found.by].values()):
        return f"{found.model} too: no model {CHEAPER[found.by]}."
    if found.model == advice.model:
        how = "is" if found.likely_loss is None else "is likely to be"
        within = amount(advice.margin, ranking)
        return f"{found.model} too: no model that {CHEAPER[found.by]} {how} within {within} of the best."
    said = f"{found.model}, {_price(found.by, found.price)} a sample"
    if found.leader_price is not None and found.price > 0:
        times = found.leader_price / found.price
        said += f" ({advice.model}: {_price(found.by, found.leader_price)}, {times:.2g} times as much)"
    if advice.exact and not advice.lacking:
        return f"{said}, is {_worse(found.guaranteed_loss, ranking, '')}, exactly."
    parts = [f"{said}."]
    if found.likely_loss is not None:
        parts.append(f"{percent(advice.level)} sure that it is {_worse(found.likely_loss, ranking)}.")
    if found.guaranteed_loss is not None:
        parts.append(f"Guaranteed: {_worse(found.guaranteed_loss, ranking)}.")
    return " ".join(parts)


def _worse(loss: float | None, ranking: Ranking, at_most: str = "at most ") -> str:
    return f"{at_most}{amount(loss, ranking)} worse than the best" if loss else "not worse than the best"


def _price(by: str, price: float) -> str:
    return f"{price:.2g} s" if by == "latency" else f"{price:.2g}"
