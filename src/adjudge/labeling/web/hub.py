"""News for the pages that are open: the last one said, to all of them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

KEEP_ALIVE = 15.0  # seconds after which a silent line is kept open with a comment


@dataclass
class Hub:
    """Takes news from any thread, and gives each listener the newest."""

    loop: asyncio.AbstractEventLoop | None = None
    listeners: set[asyncio.Queue[str]] = field(default_factory=set)

    def publish(self, news: str) -> None:
        """Say something from whatever thread."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._spread, news)

    def _spread(self, news: str) -> None:
        for queue in self.listeners:
            if queue.full():  # a slow reader gets the newest only
                queue.get_nowait()
            queue.put_nowait(news)

    async def listen(self, first: str, shown: Callable[[str], str] = str) -> AsyncIterator[str]:
        """Server-sent events, beginning with what is known now; `shown` makes of news what this listener may see."""
        queue: asyncio.Queue[str] = asyncio.Queue(1)
        self.listeners.add(queue)
        try:
            yield f"data: {shown(first)}\n\n"
            while True:
                try:
                    yield f"data: {shown(await asyncio.wait_for(queue.get(), KEEP_ALIVE))}\n\n"
                except TimeoutError:
                    yield ": still here\n\n"
        finally:
            self.listeners.discard(queue)
