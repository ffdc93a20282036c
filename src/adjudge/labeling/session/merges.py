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

    count: int = 0  # of all rows, also those taken back

    def apply(self, rows: Iterable[MergeRow]) -> None:
        for row in rows:
            self.count += 1
            self.rows.pop((row.answer, row.meant), None)
            if row.kind == MERGED:
                self.rows[row.answer, row.meant] = row
        self.meant = {}
        for answer, meant in self.rows:
            self._join(answer, meant)

    def _join(self, answer: str, meant: str) -> None:
        """Take an answer, and all that were taken for it, for another one."""
        old, new = self.meant.get(answer, answer), self.meant.get(meant, meant)
        if old == new:
            return
        for each, now in self.meant.items():
            if now == old:
                self.meant[each] = new
        self.meant[old] = new

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        return tuple(self.meant.items())
