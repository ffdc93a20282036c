"""News for the pages that are open: the last one said, to all of them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from threading import Lock

KEEP_ALIVE = 15.0  # seconds after which a silent line is kept open with a comment


@dataclass
class Hub:
    """Takes news from any thread, and gives each listener the newest."""

    loop: asyncio.AbstractEventLoop | None = None
    listeners: set[asyncio.Queue[str | None]] = field(default_factory=set)
    closed: bool = False
    last: str | None = None  # what was said last
    _publishing: Lock = field(default_factory=Lock)

    def publish(self, news: Callable[[], str]) -> None:
        """Say something from whatever thread; one after the other, or older news could be said after newer ones."""
        with self._publishing:
            self.last = news()
            if self.loop is not None and not self.loop.is_closed():
                self.loop.call_soon_threadsafe(self._spread, self.last)

    def close(self) -> None:
        """End every line of news: a page that listens would keep the server from ending."""
        self.closed = True
        self._spread(None)

    def _spread(self, news: str | None) -> None:
        for queue in self.listeners:
            if queue.full():  # a slow reader gets the newest only
                queue.get_nowait()
            queue.put_nowait(news)

    async def listen(self, first: str, shown: Callable[[str], str] = str) -> AsyncIterator[str]:
        """Server-sent events, beginning with what was said last, or with `first` if nothing was.

        `shown` makes of news what this listener may see.
        """
        queue: asyncio.Queue[str | None] = asyncio.Queue(1)
        self.listeners.add(queue)
        try:
            yield f"data: {shown(self.last or first)}\n\n"  # by now: news may have come since the listener asked
            while not self.closed:
                try:
                    news = await asyncio.wait_for(queue.get(), KEEP_ALIVE)
                except TimeoutError:
                    yield ": still here\n\n"
                else:
                    if news is not None:
                        yield f"data: {shown(news)}\n\n"
        finally:
            self.listeners.discard(queue)
