"""Samples that people put off: they come again after some others."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from adjudge.labeling.session.ledger import Ledger

BACK_AFTER = 10  # answers of a person after which a sample that was put off comes again


@dataclass
class Later:
    """Who put off which sample, and until how many answers; a restart forgets it, and the samples come at once."""

    due: dict[str, dict[int, int]] = field(default_factory=dict)  # by person and place

    def put_off(self, person: str, place: int, ledger: Ledger) -> None:
        self.due.setdefault(person, {})[place] = _answers(person, ledger) + BACK_AFTER

    def last(self, person: str, free: Iterable[tuple[int, int, int]], ledger: Ledger) -> Iterator[tuple[int, int, int]]:
        """The seats that a person may take, with those that were put off behind all others."""
        answers, due = _answers(person, ledger), self.due.get(person, {})
        waiting = []
        for seat in free:
            if due.get(seat[0], 0) > answers:
                waiting.append(seat)
            else:
                yield seat
        yield from waiting


def _answers(person: str, ledger: Ledger) -> int:
    return len(ledger.history.get(person, {}))
