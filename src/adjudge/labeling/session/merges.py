"""Answers that people took for the same: each pair once, until it is taken back."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from adjudge.labeling.session.rows import MERGED, MergeRow


@dataclass
class Merges:
    """What the rows about pairs of answers come to.

    >>> merges = Merges()
    >>> merges.apply([MergeRow(1, "1/2", "0.5", MERGED, "ada", 0.0), MergeRow(2, "0.5", ".5", MERGED, "ada", 0.0)])
    >>> merges.meant
    {'1/2': '.5', '0.5': '.5'}
    """

    rows: dict[tuple[str, str], MergeRow] = field(default_factory=dict)  # those that count, in order
    meant: dict[str, str] = field(default_factory=dict)  # an answer, and the one that it is taken for in the end
    pairs: tuple[tuple[str, str], ...] = ()  # the same; never changed, so that it can be read without a lock
    count: int = 0  # of all rows, also those taken back

    def apply(self, rows: Iterable[MergeRow]) -> None:
        for row in rows:
            self.count += 1
            self.rows.pop((row.answer, row.meant), None)
            if row.kind == MERGED:
                self.rows[row.answer, row.meant] = row
        meant: dict[str, str] = {}
        for answer, other in self.rows:
            _join(meant, answer, other)
        self.meant, self.pairs = meant, tuple(meant.items())


def _join(meant: dict[str, str], answer: str, other: str) -> None:
    """Take an answer, and all that were taken for it, for another one."""
    old, new = meant.get(answer, answer), meant.get(other, other)
    if old == new:
        return
    for each, now in meant.items():
        if now == old:
            meant[each] = new
    meant[old] = new
