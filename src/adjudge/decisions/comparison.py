"""Comparison: what labels say about two models, and whether a claim about them is shown."""

from dataclasses import dataclass
from math import inf, nan
from numbers import Real
from typing import Any

from adjudge.errors import InputError
from adjudge.inference.intervals import check_level
from adjudge.inference.paired_difference import PairedDifference
from adjudge.losses.loss import Loss, ZeroOne

TESTS = ("superior", "non-inferior", "equivalent")
POOL, FUTURE = "pool", "future"  # what a claim may be about
SHOWN, REFUTED, UNDECIDED = "shown", "refuted", "not enough labels"


@dataclass(frozen=True)
class Comparison:
    """What labels say about two models; the difference is a minus b, in the units of `quantity`.

    Attributes
    ----------
    low, high
        About the samples of the pool.
    holds
        Whether the tested claim is shown.
    p_value
        For no difference; nan where there is no exact test.
    labels
        How many are used.
    samples
        How many both models predicted, without those that were skipped.
    unpaired
        How many samples of the pool one of them lacks, or both do: nothing here is about these.
    differing, differing_skipped, differing_labeled
        How many of these samples, of the skipped and of the labeled ones have different predictions.
    a_better, b_better
        Labeled samples on which one did better.
    a_better_share, b_better_share
        The same as shares of all samples that both predicted, estimated.
    label_noise
        The share of wrong labels that the interval allows for.
    from_noise
        By how much that alone moves each end, however many labels there are.
    about
        What the claim and the p-value are about: the samples of the pool, or future data of the same kind.
    future_low, future_high
        About such data; nan where that was not asked for.
    complete
        Whether no further label of the pool can change the difference.
    anytime
        Whether the interval about the pool holds at all numbers of labels at once, so that one may check as often as
        one likes.
    ties
        Whether open samples that nobody can label count as ties in the interval about the pool.
    more
        About how many more labels it takes where the two differ to show the claim, or to refute it, if the difference
        is what it looks like now; None: no number can be told.
    """

    a: str
    b: str
    quantity: str
    difference: float
    low: float
    high: float
    level: float
    test: str
    margin: float
    holds: bool
    p_value: float
    method: str
    labels: int
    skipped: int
    samples: int
    differing: int
    differing_skipped: int
    differing_labeled: int
    a_better: int
    b_better: int
    a_better_share: float
    b_better_share: float
    label_noise: float = 0.0
    from_noise: float = 0.0
    about: str = POOL
    future_low: float = nan
    future_high: float = nan
    complete: bool = False
    anytime: bool = False
    more: int | None = None
    unpaired: int = 0
    lower_is_better: bool = False
    ties: bool = False

    @property
    def verdict(self) -> str:
        """Whether the claim is "shown" or "refuted" by the interval, or there are "not enough labels" to tell."""
        low, high = self.decisive
        least = self.margin if self.test == "superior" else -self.margin
        if self.holds:
            return SHOWN
        if self.differing_skipped and not self.differing_labeled:
            return UNDECIDED  # nothing is known where they differ
        return REFUTED if high <= least or (self.test == "equivalent" and low >= self.margin) else UNDECIDED

    @property
    def decisive(self) -> tuple[float, float]:
        """The ends of the interval that decides the claim: how much better a is than b."""
        low, high = (self.future_low, self.future_high) if self.about == FUTURE else (self.low, self.high)
        return (-high, -low) if self.lower_is_better else (low, high)

    @property
    def gain(self) -> float:
        """How much better a is than b, as far as is known."""
        return -self.difference if self.lower_is_better else self.difference

    def __repr__(self) -> str:
        claim = f"{self.test} by {self.margin:g}" if self.margin else self.test
        low, high = (self.future_low, self.future_high) if self.about == FUTURE else (self.low, self.high)
        return (
            f"Comparison({self.a} - {self.b}: {self.quantity} {self.difference:+.3f}, {self.level:.0%} interval "
            f"{low:+.3f} to {high:+.3f}{' for future data' if self.about == FUTURE else ''}; {claim}: "
            f"{self.verdict})"
        )


def claim_holds(found: Comparison) -> bool:
    """Whether the interval satisfies the claim."""
    (low, high), margin = found.decisive, found.margin
    if found.test == "superior":
        return bool(low > margin)
    return bool(low > -margin and (found.test == "non-inferior" or high < margin))


def counts_of(pair: PairedDifference) -> dict[str, Any]:
    """The numbers of samples and labels in a comparison, by the names of its fields."""
    a_better_share, b_better_share = pair.flip_shares()
    grades = pair.predictions.grades
    same = pair.informative & (pair.gain == 0)
    # the answers behind scores are not known, so two of them count as different until both scores are known and equal
    equal = int(same.sum()) if grades is not None and grades.texts is None else 0
    return {
        "complete": pair.complete,
        "labels": int(pair.counted.sum()),
        "skipped": pair.labels.skipped,
        "samples": pair.samples,
        "unpaired": int((~pair.both).sum()),
        "differing": pair.differing - equal,
        "differing_skipped": pair.differing_skipped,
        "differing_labeled": int(pair.informative.sum()) - equal,
        "a_better": int((pair.gain > 0).sum()),
        "b_better": int((pair.gain < 0).sum()),
        "a_better_share": a_better_share,
        "b_better_share": b_better_share,
    }


def check_claim(a: str, b: str, test: str, margin: float, level: float, loss: Loss, about: str | None) -> None:
    """Refuse a claim that makes no sense."""
    if a == b:
        raise InputError(f"{a!r} is compared with itself; name two models")
    if test not in TESTS:
        raise InputError(f"there is no test {test!r}; use one of {', '.join(TESTS)}")
    if about not in (None, POOL, FUTURE):
        raise InputError(f"about={about!r} is not known; use {POOL!r} or {FUTURE!r}")
    if not isinstance(margin, Real):
        raise InputError(f"the margin {margin!r} is not a number; one point of accuracy is 0.01")
    if not 0 <= margin < inf:
        raise InputError(f"the margin {margin:g} is not a number from 0 up; give it in the units of the difference")
    if margin == 0 and test != "superior":
        raise InputError(f"{test!r} needs a margin above zero: the difference that would still be small enough")
    if loss.bounded and margin >= loss.max_loss:
        smaller = f"points are written as fractions, 5 as 0.05, so this may be {margin / 100:g}"
        raise InputError(
            f"a margin of {margin:g} {'can never be shown' if test == 'superior' else 'asks for nothing'}, since no "
            f"difference in {loss.quantity} is above {loss.max_loss:g}; "
            f"{smaller if isinstance(loss, ZeroOne) else 'give a smaller one'}"
        )
    check_level(level)
