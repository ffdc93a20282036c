"""Who is at work: people who asked for something lately."""

import time
from dataclasses import dataclass, field

AT_WORK = 120.0  # seconds after which a person who asked for nothing is gone, and others may have their samples


@dataclass
class Presence:
    """When each person last asked; an open page asks every half minute while somebody uses it."""

    seen: dict[str, float] = field(default_factory=dict)

    def here(self, person: str) -> None:
        self.seen[person] = time.monotonic()

    def leave(self) -> list[str]:
        """Those who have gone since the last call."""
        recent = time.monotonic() - AT_WORK
        gone = [person for person, asked in list(self.seen.items()) if asked <= recent]
        for person in gone:
            del self.seen[person]
        return gone
