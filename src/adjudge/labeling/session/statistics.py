"""What each person did, and which labels there are so far."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from adjudge.labeling.session.rows import SKIPPED, UNDONE
from adjudge.labeling.session.session import Session

PAUSE = 300.0  # seconds between two answers that are a break, not work


@dataclass(frozen=True)
class PersonStatistics:
    """The work of one person."""

    person: str
    answers: int  # that count now
    skipped: int  # of these
    seconds: float | None  # from one answer to the next, in the median and without breaks; None: not known
    shared: int  # answers of other people about the same samples
    agreement: float | None  # the share of these that are the same; None: there are none
    last: float | None  # when the last answer came, in seconds since 1970


def person_statistics(session: Session) -> list[PersonStatistics]:
    """Of everybody who ever answered, by name."""
    with session.lock:
        rows, ledger = session.answers(), session.ledger
        counts, shared = ledger.by_person(), ledger.shared()
        counting = {lease for leases in ledger.history.values() for lease in leases}
    times: dict[str, list[float]] = defaultdict(list)
    for lease, _, answer in rows:
        if answer.kind != UNDONE:
            times[lease.person].append(answer.at)
    latest = {lease.id: (lease.person, answer.kind) for lease, _, answer in rows if lease.id in counting}
    skipped = Counter(person for person, kind in latest.values() if kind == SKIPPED)
    same, all_pairs = _agreement(shared)
    return [
        PersonStatistics(
            person,
            counts.get(person, 0),
            skipped[person],
            _pace(times[person]),
            all_pairs[person],
            same[person] / all_pairs[person] if all_pairs[person] else None,
            max(times[person], default=None),
        )
        for person in sorted(times)
    ]


def _pace(times: list[float]) -> float | None:
    gaps = [later - earlier for earlier, later in pairwise(sorted(times)) if later - earlier <= PAUSE]
    return median(gaps) if gaps else None


def _agreement(shared: list[dict[str, tuple[str, str | None]]]) -> tuple[Counter[str], Counter[str]]:
    """For each person, how many answers of others about the same samples are the same, and how many there are."""
    same, pairs = Counter[str](), Counter[str]()
    for said in shared:
        for person, own in said.items():
            pairs[person] += len(said) - 1
            same[person] += sum(other == own for name, other in said.items() if name != person)
    return same, pairs


def label_counts(session: Session) -> list[tuple[str, int]]:
    """How often each class is the label of a sample, the most frequent first; () for numbers."""
    if session.project.predictions.classes is None:
        return []
    with session.lock:
        verdicts = [session.ledger.verdict(place) for place in range(len(session.ledger.picks))]
        labels = [session.ledger.meaning(each)[1] for each in verdicts if each is not None]
    return Counter(label for label in labels if label is not None).most_common()
