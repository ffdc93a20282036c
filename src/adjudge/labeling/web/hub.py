"""News for the pages that are open: the last one said, to all of them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

KEEP_ALIVE = 15.0  # seconds after which a silent line is kept open with a comment


@dataclass
class Hub:
    """Takes news from any thread, and gives each listener the newest."""

    loop: asyncio.AbstractEventLoop | None = None
    listeners: set[asyncio.Queue[str | None]] = field(default_factory=set)
    closed: bool = False
    last: str | None = None  # what was said last

    def publish(self, news: str) -> None:
        """Say something from whatever thread."""
        self.last = news
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._spread, news)

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
        """Server-sent events, beginning with what is known now; `shown` makes of news what this listener may see."""
        queue: asyncio.Queue[str | None] = asyncio.Queue(1)
        self.listeners.add(queue)
        try:
            yield f"data: {shown(first)}\n\n"
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
