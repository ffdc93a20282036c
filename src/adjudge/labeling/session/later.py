"""Samples that people put off: they come again after some others."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

BACK_AFTER = 10  # answers of a person after which a sample that was put off comes again


@dataclass
class Later:
    """Who put off which sample, and until how many answers."""

    due: dict[str, dict[int, int]] = field(default_factory=dict)  # by person and place

    def put_off(self, person: str, place: int, due: int) -> None:
        self.due.setdefault(person, {})[place] = due

    def last(self, person: str, answers: int, free: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
        """The seats that a person with so many answers may take, with those that were put off behind all others."""
        due, waiting = self.due.get(person, {}), []
        for seat in free:
            if due.get(seat[0], 0) > answers:
                waiting.append(seat)
            else:
                yield seat
        yield from waiting
