"""How often a log-in may fail, without anybody being able to lock out others."""

import time
from collections import deque
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address, ip_network

TRIES, WINDOW = 5, 60.0  # failed log-ins for one name from one place, in so many seconds
TRIES_OF_PLACE = 20  # from one place for whatever names
MOST = 10_000  # places and names that are remembered


@dataclass
class Attempts:
    """Log-ins that failed lately.

    They count for the name and the place that they came from, so whoever guesses elsewhere locks nobody out. A browser
    that has logged in as this person before is counted by itself: it gets in even where its neighbors guess.
    """

    failures: dict[tuple[str, ...], deque[float]] = field(default_factory=dict)

    def begin(self, address: str, name: str, device: str | None = None) -> bool:
        """Count an attempt before it is known how it ends; False: too many failed, so it is not made."""
        keys = self._keys(address, name, device)
        now = time.monotonic()
        for key in keys:
            times = self.failures.get(key, deque())
            while times and times[0] <= now - WINDOW:
                times.popleft()
            if len(times) >= (TRIES_OF_PLACE if len(key) == 1 else TRIES):
                return False
        for key in keys:
            self.failures.setdefault(key, deque()).append(now)
        while len(self.failures) > MOST:
            del self.failures[next(iter(self.failures))]
        return True

    def succeeded(self, address: str, name: str, device: str | None = None) -> None:
        """Take the last attempt off the count."""
        for key in self._keys(address, name, device):
            if times := self.failures.get(key):
                times.pop()

    @staticmethod
    def _keys(address: str, name: str, device: str | None) -> list[tuple[str, ...]]:
        if device is not None:
            return [("known", device)]
        place = _place(address)
        return [(place,), (place, name)]


def _place(address: str) -> str:
    """An address, or the network of an IPv6 address, of which anybody has billions.

    >>> _place("2001:db8::1:2:3"), _place("192.0.2.7"), _place("testclient")
    ('2001:db8::/64', '192.0.2.7', 'testclient')
    """
    try:
        found = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((found, 64), strict=False)) if isinstance(found, IPv6Address) else str(found)
