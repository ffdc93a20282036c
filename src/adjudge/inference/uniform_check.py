"""Uniform check: whether labels that are said to be a uniform draw look like one, by what the pool knows of them.

How the samples on which models differ are spread over the pool is known without labels. A log of complaints, or of the
samples that somebody found interesting, holds far more of them than a uniform draw would.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import MISSING, Predictions
from adjudge.core.strata import WHOLE_POOL, disputed
from adjudge.core.votes import votes
from adjudge.inference.draws import uniform_rows
from adjudge.inference.power import hypergeometric

LEVEL = 0.001  # how often a uniform draw is warned about, at most: logs are read often, and almost all are right


@dataclass(frozen=True)
class UnlikeUniform:
    """A kind of sample of which a draw has far more, or far fewer, than a uniform draw would."""

    kind: str  # "{share} of the labeled samples are disputed, {expected} of the pool"
    found: int
    drawn: int
    expected: float  # their share among the samples that the draw was made from
    p_value: float

    @property
    def sentence(self) -> str:
        """The numbers, and what they mean."""
        told = self.kind.format(share=f"{self.found / self.drawn:.0%}", expected=f"{self.expected:.0%}")
        rare = f"fewer than 1 in {1 / LEVEL:,.0f} uniform draws look like this"
        return f"{told}: this does not look like a uniform draw ({rare})"


def unlike_uniform(
    predictions: Predictions, labels: Labels, pair: tuple[int, int] | None = None
) -> UnlikeUniform | None:
    """How rows that claim to be uniform draws from the pool differ from such a draw; None: they do not clearly.

    Looks at disputed samples, at samples with more split votes than the median, and at those on which a pair of models
    differs. The number of them in a uniform draw is hypergeometric; both tails count, and the level is shared among the
    kinds that are looked at. Rows that were known before the first draw are not part of it.

    >>> values = np.array([[0] * 100, [1] * 20 + [0] * 80])
    >>> pool = Predictions(values, ("a", "b"), range(100), ("x", "y"))
    >>> from dataclasses import replace
    >>> log = replace(Labels.known(100, range(20), [0] * 20), weight=np.ones(20), seen=np.arange(20))
    >>> unlike_uniform(pool, log).sentence
    '100% of the labeled samples are disputed, 20% of the pool: this does not look like a uniform draw (fewer \
than 1 in 1,000 uniform draws look like this)'
    """
    claimed = uniform_rows(labels) & (labels.stratum == WHOLE_POOL)
    if not claimed.any():
        return None
    first = int(np.argmax(claimed))
    later = np.flatnonzero(~claimed[first:])  # what follows a row of another kind may depend on it
    rows = slice(first, first + int(later[0]) if later.size else None)
    drawn, open_then = labels.sample[rows], np.ones(labels.pool, dtype=bool)
    open_then[labels.sample[:first]] = False
    total, tested = int(open_then.sum()), list(_kinds(predictions, pair))
    for kind, members in tested:
        marked, found = int(np.count_nonzero(members & open_then)), int(np.count_nonzero(members[drawn]))
        p_value = _two_sided(marked, total - marked, len(drawn), found)
        if p_value * len(tested) < LEVEL:
            return UnlikeUniform(kind, found, len(drawn), marked / total, p_value)
    return None


def _kinds(predictions: Predictions, pair: tuple[int, int] | None) -> Iterator[tuple[str, BoolArray]]:
    """Kinds of samples that the pool knows, each as words and (samples,)."""
    if pair is not None:
        one, other = (predictions.values[place] for place in pair)
        missing = (
            np.isnan(one) | np.isnan(other) if predictions.classes is None else (one == MISSING) | (other == MISSING)
        )
        names = " and ".join(repr(predictions.models[place]) for place in pair)
        names = names.replace("{", "{{").replace("}", "}}")
        yield (
            f"on {{share}} of the labeled samples {names} differ, on {{expected}} of the pool",
            (one != other) & ~missing,
        )
    in_dispute = disputed(predictions)
    yield "{share} of the labeled samples are disputed, {expected} of the pool", in_dispute
    if predictions.classes is not None:
        counted = votes(predictions)
        agreement = counted.top / np.maximum(counted.present, 1)
        split = agreement < np.median(agreement)
        if not np.array_equal(split, in_dispute):
            yield (
                "on {share} of the labeled samples votes are more split than on the median sample, on {expected} of "
                "the pool",
                split,
            )


def _two_sided(marked: int, others: int, drawn: int, found: int) -> float:
    """Twice the smaller tail of the hypergeometric distribution."""
    counts = np.arange(max(0, drawn - others), min(drawn, marked) + 1)
    chances = hypergeometric(marked, others, np.array(drawn), counts)
    return min(1.0, 2 * float(min(chances[counts <= found].sum(), chances[counts >= found].sum())))
