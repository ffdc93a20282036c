"""The rows of a project, folded: who holds which sample, and what each sample's label is."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import merge
from itertools import count
from math import inf, nan

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.labels import Labels, RunHeader
from adjudge.core.predictions import Predictions
from adjudge.labeling.session.later import Later
from adjudge.labeling.session.merges import Merges
from adjudge.labeling.session.rows import ADJUDICATOR, SKIPPED, UNDONE, AnswerRow, LeaseRow, News, PickRow


@dataclass
class Seat:
    """One of the people that a sample waits for: the last lease, and what came of it."""

    lease: LeaseRow
    revision: int = -1  # of the last row about this lease
    answer: AnswerRow | None = None  # None: not answered, or taken back


@dataclass
class Ledger:
    """What all rows so far come to; more rows only ever add to it.

    What is asked for at every answer is kept up to date place by place, so that an answer costs as much after ten
    thousand others as after ten.
    """

    picks: list[PickRow] = field(default_factory=list)
    seats: list[dict[int, Seat]] = field(default_factory=list)  # (places,)
    leases: dict[int, LeaseRow] = field(default_factory=dict)
    answers: list[AnswerRow] = field(default_factory=list)  # all of them, also those taken back
    history: dict[str, dict[int, None]] = field(default_factory=dict)  # the leases that a person answered, in order
    later: Later = field(default_factory=Later)
    merges: Merges = field(default_factory=Merges)
    waiting: set[int] = field(default_factory=set)  # places with a seat that nobody has filled
    untouched: set[int] = field(default_factory=set)  # places that nobody has in hand yet
    _vacant: list[int] = field(default_factory=list)  # places with a seat that nobody has taken, in order
    _hands: dict[str, dict[int, LeaseRow]] = field(default_factory=dict)  # what each person has not answered
    _verdicts: list[AnswerRow | None] = field(default_factory=list)  # (places,)
    _undecided: set[int] = field(default_factory=set)
    _several: set[int] = field(default_factory=set)  # places for more than one person
    _quiet: tuple[float, float] = (inf, -inf)  # the times between which no lease ends
    _columns: list[Array] = field(default_factory=lambda: [np.empty(0, kind) for kind in "qdqqd"])  # of the picks

    def apply(self, news: News) -> None:
        for pick in news.picks:
            self.picks.append(pick)
            self.seats.append({})
            self._verdicts.append(None)
            self.waiting.add(pick.place)
            self.untouched.add(pick.place)
            self._vacant.append(pick.place)
            if pick.copies > 1:
                self._several.add(pick.place)
        for lease in news.leases:
            self._take_seat(lease)
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
        if news.merges:  # people who seemed to disagree may now agree
            self.merges.apply(news.merges)
            for place in range(len(self.picks)):
                self._look_again(place)

    def meaning(self, answer: AnswerRow) -> tuple[str, str | None]:
        """What an answer says, with the answers that are the same taken for one."""
        return answer.kind, self.merges.meant.get(answer.label or "", answer.label)

    def _take_seat(self, lease: LeaseRow) -> None:
        self.leases[lease.id] = lease
        seats = self.seats[lease.place]
        before = seats.get(lease.seat)
        if before is not None:  # a new turn: what the last one said counts no more, so nobody can undo it
            self.history.get(before.lease.person, {}).pop(before.lease.id, None)
            self._hands[before.lease.person].pop(before.lease.id, None)
            if lease.due is not None:
                self.later.put_off(before.lease.person, lease.place, lease.due)
        seats[lease.seat] = Seat(lease)
        self._hands.setdefault(lease.person, {})[lease.id] = lease
        self._quiet = (self._quiet[0], min(self._quiet[1], lease.until))
        self.untouched.discard(lease.place)
        if len(seats) > 1:
            self._several.add(lease.place)
        self._look_again(lease.place)

    def _remember(self, lease: LeaseRow, answer: AnswerRow) -> None:
        mine, hand = self.history.setdefault(lease.person, {}), self._hands[lease.person]
        mine.pop(lease.id, None)
        if answer.kind == UNDONE:
            hand[lease.id] = lease
            self._quiet = (inf, -inf)  # it may be over by now
        else:
            mine[lease.id] = None
            hand.pop(lease.id, None)

    def _look_again(self, place: int) -> None:
        """Keep what follows from the rows about a place."""
        said = self.said(place)
        self._verdicts[place] = self._verdict(place, said)
        _mark(self._undecided, place, self._ties(place, said))
        wanted = self.wanted(place)
        _mark(self.waiting, place, len(said) < wanted)
        free = place in self.waiting and any(number not in self.seats[place] for number in range(wanted))
        at = bisect_left(self._vacant, place)
        listed = at < len(self._vacant) and self._vacant[at] == place
        if free and not listed:
            self._vacant.insert(at, place)
        elif listed and not free:
            del self._vacant[at]

    def wanted(self, place: int) -> int:
        """How many people shall label a sample: one more where they tie."""
        return max(self.picks[place].copies, len(self.said(place)) + 1 if place in self._undecided else 1)

    def seat_of(self, lease: int) -> Seat | None:
        """The seat of a lease, if it is still that lease's person's."""
        row = self.leases.get(lease)
        seat = None if row is None else self.seats[row.place].get(row.seat)
        return seat if seat is not None and row is not None and seat.lease.person == row.person else None

    def held_by(self, person: str) -> list[LeaseRow]:
        """What a person has in hand, the earliest first; also beyond its time, as long as nobody else took it."""
        held = (lease for lease in self._hands.get(person, {}).values() if lease.seat != ADJUDICATOR)
        return sorted((lease for lease in held if lease.place in self.waiting), key=lambda lease: lease.place)

    def offered(self, person: str, now: float) -> Iterator[tuple[int, int, int]]:
        """Seats that a person may take, with those that were put off behind all others."""
        return self.later.last(person, len(self.history.get(person, {})), self.free_for(person, now))

    def free_for(self, person: str, now: float) -> Iterator[tuple[int, int, int]]:
        """Seats that a person may take, as place, seat and turn; the earliest first, so that no row waits for long."""
        for place in merge(self._vacant, self._expired(now)):
            seats = {number: seat for number, seat in self.seats[place].items() if number != ADJUDICATOR}
            if any(seat.lease.person == person for seat in seats.values()):
                continue
            for number in range(self.wanted(place)):
                seat = seats.get(number)
                if seat is None:
                    yield place, number, 0
                    break
                if seat.answer is None and seat.lease.over(now):
                    yield place, number, seat.lease.turn + 1
                    break

    def _expired(self, now: float) -> list[int]:
        """Places with a lease whose time is over, and no other free seat, in order."""
        since, until = self._quiet
        if since <= now < until:
            return []
        held = [lease for hand in self._hands.values() for lease in hand.values() if lease.seat != ADJUDICATOR]
        held = [lease for lease in held if lease.place in self.waiting]
        over = {lease.place for lease in held if lease.over(now)}
        if not over:
            self._quiet = (now, min((lease.until for lease in held), default=inf))
        return sorted(over.difference(self._vacant))

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
        return self._verdicts[place]

    def _verdict(self, place: int, said: dict[str, AnswerRow]) -> AnswerRow | None:
        judge = self.seats[place].get(ADJUDICATOR)
        if judge is not None and judge.answer is not None:
            return judge.answer
        answers = list(said.values())
        if len(answers) < 2:
            return answers[0] if answers else None
        votes = Counter(map(self.meaning, answers))
        return max(answers, key=lambda answer: votes[self.meaning(answer)])

    def _ties(self, place: int, said: dict[str, AnswerRow]) -> bool:
        judge = self.seats[place].get(ADJUDICATOR)
        if len(said) < 2 or (judge is not None and judge.answer is not None):
            return False
        first = Counter(map(self.meaning, said.values())).most_common(2)
        return len(first) > 1 and first[0][1] == first[1][1]

    def disputes(self) -> list[int]:
        """Places on which people disagree and no majority or adjudicator has decided."""
        return sorted(self._undecided)

    def labels(self, predictions: Predictions, header: RunHeader) -> tuple[tuple[str, ...], Labels]:
        """The log of labels, and the classes that no model predicted, in the order of the log."""
        classes = predictions.classes
        code = {} if classes is None else {name: place for place, name in enumerate(classes)}
        new, number, values, answered = [], count(len(code)), [], []
        for answer in self._verdicts:
            answered.append(answer is not None)
            if answer is None or answer.kind == SKIPPED or answer.label is None:
                values.append(nan)
                continue
            if classes is None:
                values.append(float(answer.label) if predictions.grades is None else 0.0)
                continue
            label = self.merges.meant.get(answer.label, answer.label)
            if label not in code:
                code[label] = next(number)
                new.append(label)
            values.append(float(code[label]))
        return tuple(new), self._log(len(predictions.samples), values, answered, header)

    def _log(self, pool: int, values: list[float], answered: list[bool], header: RunHeader) -> Labels:
        known = len(self._columns[0])
        if known < len(self.picks):
            fresh = zip(*(row.pick for row in self.picks[known:]), strict=True)
            self._columns = [np.concatenate([kept, more]) for kept, more in zip(self._columns, fresh, strict=True)]
        sample, weight, seen, stratum, max_weight = self._columns
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
        return [
            {person: self.meaning(answer) for person, answer in said.items()}
            for said in map(self.said, sorted(self._several))
            if len(said) > 1
        ]

    def by_person(self) -> dict[str, int]:
        """How many answers of each person count."""
        return {person: len(leases) for person, leases in sorted(self.history.items()) if leases}


def _mark(places: set[int], place: int, belongs: bool) -> None:
    if belongs:
        places.add(place)
    else:
        places.discard(place)
