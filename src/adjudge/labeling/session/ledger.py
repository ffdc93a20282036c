"""The rows of a project, folded: who holds which sample, and what each sample's label is."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from math import nan

import numpy as np

from adjudge.core.labels import Labels, Pick, RunHeader
from adjudge.core.predictions import Predictions
from adjudge.labeling.session.rows import ADJUDICATOR, SKIPPED, UNDONE, AnswerRow, LeaseRow, News, PickRow


@dataclass
class Seat:
    """One of the people that a sample waits for: the last lease, and what came of it."""

    lease: LeaseRow
    revision: int = -1  # of the last row about this lease
    answer: AnswerRow | None = None  # None: not answered, or taken back


@dataclass
class Ledger:
    """What all rows so far come to; more rows only ever add to it."""

    picks: list[PickRow] = field(default_factory=list)
    seats: list[dict[int, Seat]] = field(default_factory=list)  # (places,)
    leases: dict[int, LeaseRow] = field(default_factory=dict)
    answers: list[AnswerRow] = field(default_factory=list)  # all of them, also those taken back
    history: dict[str, dict[int, None]] = field(default_factory=dict)  # the leases that a person answered, in order
    waiting: set[int] = field(default_factory=set)  # places with a seat that nobody has filled

    def apply(self, news: News) -> None:
        for pick in news.picks:
            self.picks.append(pick)
            self.seats.append({})
            self.waiting.add(pick.place)
        for lease in news.leases:
            self.leases[lease.id] = lease
            before = self.seats[lease.place].get(lease.seat)
            if before is not None:  # a new turn: what the last one said counts no more, so nobody can undo it
                self.history.get(before.lease.person, {}).pop(before.lease.id, None)
            self.seats[lease.place][lease.seat] = Seat(lease)
            self._look_again(lease.place)
        for answer in news.answers:
            self.answers.append(answer)
            lease = self.leases[answer.lease]
            seat = self.seats[lease.place][lease.seat]
            if seat.lease.id != lease.id:
                continue
            seat.revision = answer.revision
            seat.answer = None if answer.kind == UNDONE else answer
            self._remember(lease, answer)
            self._look_again(lease.place)

    def _remember(self, lease: LeaseRow, answer: AnswerRow) -> None:
        mine = self.history.setdefault(lease.person, {})
        mine.pop(lease.id, None)
        if answer.kind != UNDONE:
            mine[lease.id] = None

    def _look_again(self, place: int) -> None:
        if len(self.said(place)) >= self.wanted(place):
            self.waiting.discard(place)
        else:
            self.waiting.add(place)

    def wanted(self, place: int) -> int:
        """How many people shall label a sample: one more where they tie."""
        return max(self.picks[place].copies, len(self.said(place)) + 1 if self._undecided(place) else 1)

    def seat_of(self, lease: int) -> Seat | None:
        """The seat of a lease, if it is still that lease's."""
        row = self.leases.get(lease)
        seat = None if row is None else self.seats[row.place].get(row.seat)
        return seat if seat is not None and seat.lease.id == lease else None

    def held_by(self, person: str) -> list[LeaseRow]:
        """What a person has in hand, the earliest first; also beyond its time, as long as nobody else took it."""
        return [
            seat.lease
            for place in sorted(self.waiting)
            for number, seat in self.seats[place].items()
            if number != ADJUDICATOR and seat.answer is None and seat.lease.person == person
        ]

    def free_for(self, person: str, now: float) -> Iterator[tuple[int, int, int]]:
        """Seats that a person may take, as place, seat and turn; the earliest first, so that no row waits for long."""
        for place in sorted(self.waiting):
            seats = {number: seat for number, seat in self.seats[place].items() if number != ADJUDICATOR}
            if any(seat.lease.person == person for seat in seats.values()):
                continue
            for number in range(self.wanted(place)):
                seat = seats.get(number)
                if seat is None:
                    yield place, number, 0
                    break
                if seat.answer is None and seat.lease.until <= now:
                    yield place, number, seat.lease.turn + 1
                    break

    def untouched(self) -> int:
        """Places that nobody has in hand yet."""
        return sum(not self.seats[place] for place in self.waiting)

    def said(self, place: int) -> dict[str, AnswerRow]:
        """What each person said about a sample, in the order in which they did."""
        found = [
            (seat.answer, seat.lease.person)
            for number, seat in self.seats[place].items()
            if seat.answer is not None and number != ADJUDICATOR
        ]
        return {person: answer for answer, person in sorted(found, key=lambda each: each[0].id)}

    def verdict(self, place: int) -> AnswerRow | None:
        """The answer that counts: the adjudicator's, else that of most people, else the first of those who tie."""
        judge = self.seats[place].get(ADJUDICATOR)
        if judge is not None and judge.answer is not None:
            return judge.answer
        answers = list(self.said(place).values())
        if len(answers) < 2:
            return answers[0] if answers else None
        votes = Counter((answer.kind, answer.label) for answer in answers)
        return max(answers, key=lambda answer: votes[answer.kind, answer.label])

    def disputes(self) -> list[int]:
        """Places on which people disagree and no majority or adjudicator has decided."""
        return [place for place in range(len(self.picks)) if self._undecided(place)]

    def _undecided(self, place: int) -> bool:
        judge = self.seats[place].get(ADJUDICATOR)
        answers = self.said(place).values()
        if len(answers) < 2 or (judge is not None and judge.answer is not None):
            return False
        first = Counter((answer.kind, answer.label) for answer in answers).most_common(2)
        return len(first) > 1 and first[0][1] == first[1][1]

    def labels(self, predictions: Predictions, header: RunHeader) -> tuple[tuple[str, ...], Labels]:
        """The log of labels, and the classes that no model predicted, in the order of the log."""
        classes = predictions.classes
        code = {} if classes is None else {name: place for place, name in enumerate(classes)}
        new, number, values, answered = [], count(len(code)), [], []
        for place in range(len(self.picks)):
            answer = self.verdict(place)
            answered.append(answer is not None)
            if answer is None or answer.kind == SKIPPED or answer.label is None:
                values.append(nan)
                continue
            if classes is None:
                values.append(float(answer.label))
                continue
            if answer.label not in code:
                code[answer.label] = next(number)
                new.append(answer.label)
            values.append(float(code[answer.label]))
        return tuple(new), self._log(len(predictions.samples), values, answered, header)

    def _log(self, pool: int, values: list[float], answered: list[bool], header: RunHeader) -> Labels:
        columns = list(zip(*(row.pick for row in self.picks), strict=True)) or [()] * len(Pick._fields)
        sample, weight, seen, stratum, max_weight = map(np.array, columns)
        return Labels(
            pool,
            sample=sample.astype(np.int64),
            weight=weight.astype(np.float64),
            seen=seen.astype(np.int64),
            stratum=stratum.astype(np.int64),
            max_weight=max_weight.astype(np.float64),
            value=np.array(values, dtype=np.float64),
            answered=np.array(answered, dtype=bool),
            header=header,
        )

    def shared(self) -> list[dict[str, tuple[str, str | None]]]:
        """What people said about the samples that more than one of them labeled."""
        places = (place for place, pick in enumerate(self.picks) if len(self.seats[place]) > 1 or pick.copies > 1)
        return [
            {person: (answer.kind, answer.label) for person, answer in said.items()}
            for said in map(self.said, places)
            if len(said) > 1
        ]

    def by_person(self) -> dict[str, int]:
        """How many answers of each person count."""
        return {person: len(leases) for person, leases in sorted(self.history.items()) if leases}
