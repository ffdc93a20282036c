"""How far people agree about the same samples, and how many labels may be wrong if they do not."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

LARGEST_NOISE = 0.49  # beyond half of the labels nothing could be said at all


@dataclass(frozen=True)
class AnnotatorAgreement:
    """What people who labeled the same samples say about the labels."""

    samples: int  # that more than one person labeled
    disputed: int  # of these, that they do not agree on
    people: int
    kappa: float | None  # 1: all agree, 0: no more than by chance; None: not known
    measure: str  # whose kappa it is
    noise: float | None  # the share of single labels that may be wrong; None: not known


def agreement(said: Sequence[Mapping[str, Hashable]]) -> AnnotatorAgreement:
    """Cohen's kappa for two people, Fleiss' for more, over the samples that more than one of them labeled.

    Two people who are each wrong on a share e of samples, independently and hardly ever in the same way, disagree on
    2 e (1 - e) of them; the noise is the e at which they disagree as often as they do.

    >>> agreement([{"ada": "cat", "bob": "cat"}, {"ada": "dog", "bob": "cat"}, {"ada": "dog"}])
    AnnotatorAgreement(samples=2, disputed=1, people=2, kappa=0.0, measure="Cohen's kappa", noise=0.49)
    """
    shared = [each for each in said if len(each) > 1]
    people = sorted({person for each in shared for person in each})
    if not shared:
        return AnnotatorAgreement(0, 0, 0, None, "", None)
    agreeing = [_agreeing_pairs(each) for each in shared]
    observed = sum(agreeing) / len(agreeing)
    two = len(people) == 2
    by_chance = _chance_of_two(shared, people) if two else _chance_of_many(shared)
    kappa = None if by_chance > 1 - 1e-12 else (observed - by_chance) / (1 - by_chance)
    noise = (1 - sqrt(max(0.0, 1 - 2 * (1 - observed)))) / 2
    disputed = sum(len(set(each.values())) > 1 for each in shared)
    measure = "Cohen's kappa" if two else "Fleiss' kappa"
    return AnnotatorAgreement(len(shared), disputed, len(people), kappa, measure, min(noise, LARGEST_NOISE))


def _agreeing_pairs(said: Mapping[str, Hashable]) -> float:
    """The share of pairs of people who say the same about a sample."""
    people = len(said)
    same = sum(count * (count - 1) for count in Counter(said.values()).values())
    return same / (people * (people - 1))


def _chance_of_two(shared: Sequence[Mapping[str, Hashable]], people: list[str]) -> float:
    """How often the two would agree if each kept to their own shares of classes."""
    one, other = (Counter(each[person] for each in shared) for person in people)
    return sum(one[name] * other[name] for name in one) / len(shared) ** 2


def _chance_of_many(shared: Sequence[Mapping[str, Hashable]]) -> float:
    """How often two labels would agree if all were drawn from the shares of classes of everyone."""
    counts = Counter(label for each in shared for label in each.values())
    return sum((count / counts.total()) ** 2 for count in counts.values())
