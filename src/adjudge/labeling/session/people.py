"""Who labeled, and how far they agree, in words."""

from adjudge.core.index import counted
from adjudge.labeling.session.session import Session

FEW = 0.001  # a share of wrong labels that is not worth a sentence


def people_sentences(session: Session) -> tuple[str, ...]:
    """How many labels each person gave, and what those about the same samples say about their quality."""
    with session.lock:
        by_person, found = session.ledger.by_person(), session.agreement()
    if not by_person:
        return ()
    told = ", ".join(f"{person} ({count:,})" for person, count in by_person.items())
    sentences = [f"{told}."]
    if found.samples:
        kappa = "" if found.kappa is None else f" ({found.measure} {found.kappa:.2f})"
        sentences.append(
            f"{found.people} people labeled {counted(found.samples, 'sample')} twice or more and differ on "
            f"{found.disputed:,}{kappa}."
        )
    if found.noise is not None and found.noise >= FEW:
        sentences.append(
            f"So about {100 * found.noise:.2g}% of single labels may be wrong, which `--label-noise "
            f"{found.noise:.2g}` allows for."
        )
    return tuple(sentences)
