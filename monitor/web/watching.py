"""Pages that show one thing each, a table or the clock: drawn when that thing changed, sent where it looks different.

Owns who waits for what, and the frames of such a page. Refuses to know what it shows. Beside the hub, whose screens
show all tables at once.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

MERGE_S: Final = 0.05
"""Our choice: 20 updates a second at most."""
CLOCK_S: Final = 1.0
"""How often such a page is told the host's time, and finds out that it is still connected."""

_encode = msgspec.json.Encoder().encode


class Watchers:
    """Who waits for what, by the name of the table; the round's clock has the empty name."""

    def __init__(self) -> None:
        """Nobody waits."""
        self.closed = False
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self._open = 0

    def __len__(self) -> int:
        return self._open

    def tell(self, name: str) -> None:
        """It has changed."""
        for event in self._waiting.get(name, ()):
            event.set()

    def close(self) -> None:
        """End all pages' streams."""
        self.closed = True
        for name in self._waiting:
            self.tell(name)

    @contextmanager
    def watch(self, *names: str) -> Iterator[asyncio.Event]:
        """An event that is set when one of these changes."""
        event = asyncio.Event()
        self._open += 1
        for name in names:
            self._waiting.setdefault(name, set()).add(event)
        try:
            yield event
        finally:
            self._open -= 1
            for name in names:
                self._waiting[name].discard(event)
                if not self._waiting[name]:
                    del self._waiting[name]


async def watched(
    watchers: Watchers, names: tuple[str, ...], draw: Callable[[], str], time_frame: Callable[[], bytes]
) -> AsyncGenerator[bytes, None]:
    """Server-sent events for one page: the time and what it shows, then both again as they change."""
    shown = ""
    with watchers.watch(*names) as changed:
        yield b"retry: 1000\n\n"
        while True:
            changed.clear()
            yield time_frame()
            drawn = draw()
            if drawn != shown:
                shown = drawn
                yield b"event: shown\ndata: %s\n\n" % _encode(drawn)
            if watchers.closed:
                return
            try:
                async with asyncio.timeout(CLOCK_S):
                    await changed.wait()
            except TimeoutError:
                continue
            await asyncio.sleep(MERGE_S)
