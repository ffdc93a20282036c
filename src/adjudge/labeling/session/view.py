"""What a method sees of the log while many samples are in people's hands."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.labels import SKIP, Labels, Pick
from adjudge.core.sampling import Picker

IN_VIEW = 64  # rows in people's hands that a method looks at closely
REST = 4  # times as long as a method takes to learn from the log, until it sees more of it


@dataclass
class View:
    """The log as a method sees it.

    Some methods work out for each row in hand what its answer may be, and learn anew from all answers when one more has
    come. With hundreds of people that takes longer than their answers. So where many rows are in hand, those beyond the
    first look like skips, and what has changed since the method last learned is shown after a rest.

    That may cost how well samples are chosen, and biases nothing. The random number of a draw depends on the seed and
    on its row alone, so it is independent of all that came before: answers, who was slow, what the method saw. Given
    all of that, each sample that is not in the log has the probability by which its weight is reckoned, so the weighted
    loss of each draw has the right mean, and bets on it are fair. This needs three things. The samples of the log are
    in view, all of them and in their order, since weights count the samples that are left. A skip does not change from
    which samples a method draws. And rankings use the true log, up to its first row in hand.

    The cost is small: with 150 samples in hand, on parts of four tasks (30 runs each), 4, 64 or all of them in view
    gave the same regret within chance.
    """

    clock: Callable[[], float] = time.monotonic
    _seen: Labels | None = None
    _rests_until: float = 0.0

    def picks(self, picker: Picker, labels: Labels, count: int) -> list[Pick]:
        """So many picks behind the log; fewer where the pool ends."""
        began, seen = self.clock(), self._still_good(labels)
        learns = seen is None
        seen = _shown(labels) if seen is None else seen
        waiting = np.count_nonzero(~seen.answered)
        while len(seen) < len(labels) + count and (pick := picker(seen)) is not None:
            seen = seen.hand_out(pick) if waiting < IN_VIEW else seen.add(pick, SKIP)
            waiting += 1
            if learns:
                self._rests_until, learns = began + (1 + REST) * (self.clock() - began), False
        self._seen = seen
        return seen.picks(len(labels))

    def _still_good(self, labels: Labels) -> Labels | None:
        """What was seen last, with the rows that others have added; None: it is time to see more."""
        seen = self._seen
        few = np.count_nonzero(~labels.answered) <= IN_VIEW
        if seen is None or few or self.clock() >= self._rests_until or len(seen) > len(labels):
            return None
        if not np.array_equal(labels.sample[: len(seen)], seen.sample):
            return None
        for pick in labels.picks(len(seen)):
            seen = seen.add(pick, SKIP)
        return seen


def _shown(labels: Labels) -> Labels:
    """The log with the first rows in hand, where the others look like skips."""
    answered = labels.answered.copy()
    answered[np.flatnonzero(~answered)[IN_VIEW:]] = True
    return replace(labels, answered=answered)
