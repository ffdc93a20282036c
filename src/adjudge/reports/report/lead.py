"""What stands first: the model to deploy, in a sentence, and how sure that is."""

from adjudge.core.ranking import Ranking
from adjudge.reports.page import Term
from adjudge.reports.tables import chance, verdict


def recommended(ranking: Ranking) -> tuple[str, list[Term]]:
    """The sentence, and its terms."""
    first = ranking.models[ranking.order[0]]
    terms = [("Shown", verdict(ranking))]
    if ranking.best is not None:
        terms.insert(
            0, ("Likely", f"the best of {len(ranking.models)} ({chance(float(ranking.best[ranking.order[0]]))})")
        )
    return f"Deploy {first}.", terms
