"""Fans views out to every open page: rendered once a screen, encoded once, sent to all.

Owns what each screen shows at the moment and who listens. Refuses to know where views come from and what HTTP is: a
page reads `stream`. Updates of one table that come faster than a screen can use are merged; a page that does not read
is let go and comes back for the whole picture.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from typing import Final

import msgspec
import structlog

from monitor.view import TableView
from monitor.web.pages import Screen, render_card, render_notices
from monitor.wording import time_of_day

MERGE_S: Final = 0.05
"""Our choice: 20 updates a second at most."""
CLOCK_S: Final = 1.0
"""How often a page is told the host's time, and finds out that it is still connected."""
WALL_STEP_S: Final = 0.5
"""Our choice: a wall clock that was set by more is followed; by less, what a page says of the past does not flicker."""
QUEUE_FRAMES: Final = 256
MAX_LISTENERS: Final = 500

_log = structlog.get_logger("rackwatch.web")
_encode = msgspec.json.Encoder().encode


class Hub:
    """What screens show, and the pages that are open."""

    def __init__(self, clock: Callable[[], float], wall: Callable[[], float] = time.time) -> None:
        """`clock` gives the host's monotonic seconds, on which events are dated; `wall` UTC seconds since 1970."""
        self._clock = clock
        self._wall = wall
        self._wall_ahead_s = wall() - clock()
        self._views: dict[tuple[Screen, str], TableView] = {}
        self._cards: dict[Screen, dict[str, str]] = {screen: {} for screen in Screen}
        self._changed: set[tuple[Screen, str]] = set()
        self._notices: dict[str, str] = {}
        self._listeners: dict[Screen, set[asyncio.Queue[bytes | None]]] = {screen: set() for screen in Screen}
        self._wake = asyncio.Event()
        self._closed = False

    def show(self, screen: Screen, view: TableView) -> None:
        """A table looks like this now."""
        key = (screen, view.table)
        if self._views.get(key) != view:
            self._views[key] = view
            self._changed.add(key)
            self._wake.set()

    def notice(self, about: str, text: str | None) -> None:
        """The monitor's own trouble with something, until it is over (`None`). Shown to the director."""
        if text is None:
            changed = self._notices.pop(about, None) is not None
        else:
            changed = self._notices.get(about) != text
            self._notices[about] = text
        if changed:
            self._send(Screen.DIRECTOR, _frame("notices", render_notices(self.notices())))

    def notices(self) -> list[str]:
        """All of the monitor's present troubles."""
        return list(self._notices.values())

    def now(self) -> float:
        """The host's seconds, on which events are dated."""
        return self._clock()

    def views(self, screen: Screen) -> list[TableView]:
        """Every table as it is now, in order of the tables' names."""
        return [view for (on, _), view in sorted(self._views.items(), key=lambda item: item[0]) if on is screen]

    def cards(self, screen: Screen) -> list[str]:
        """Every card as it is now, in order of the tables' names."""
        self._render()
        return [card for _, card in sorted(self._cards[screen].items())]

    async def run(self) -> None:
        """Render and send what has changed, and the time; until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._run_cards(), name="web cards")
            group.create_task(self._run_clock(), name="web clock")

    def full(self) -> bool:
        """Whether no further page can be taken."""
        return sum(map(len, self._listeners.values())) >= MAX_LISTENERS

    async def stream(self, screen: Screen) -> AsyncGenerator[bytes, None]:
        """Server-sent events for one page: everything once, then what changes."""
        everything = [b"retry: 1000\n\n" + self._clock_frame()]
        everything += [_frame("card", card) for card in self.cards(screen)]
        if screen is Screen.DIRECTOR:
            everything.append(_frame("notices", render_notices(self.notices())))
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(QUEUE_FRAMES)
        self._listeners[screen].add(queue)
        try:
            for frame in everything:
                yield frame
            while not self._closed and (change := await queue.get()) is not None:
                yield change
        finally:
            self._listeners[screen].discard(queue)

    def close(self) -> None:
        """End every stream."""
        self._closed = True
        for listeners in self._listeners.values():
            for queue in listeners:
                _let_go(queue)

    async def _run_cards(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            self._render()
            await asyncio.sleep(MERGE_S)

    async def _run_clock(self) -> None:
        while True:
            ahead_s = self._wall() - self._clock()
            if abs(ahead_s - self._wall_ahead_s) > WALL_STEP_S:
                self._wall_ahead_s = ahead_s
            for screen in Screen:
                self._send(screen, self._clock_frame())
            await asyncio.sleep(CLOCK_S)

    def _render(self) -> None:
        for screen, table in sorted(self._changed):
            card = render_card(screen, self._views[screen, table], time_of_day(self._wall_ahead_s))
            if self._cards[screen].get(table) != card:
                self._cards[screen][table] = card
                self._send(screen, _frame("card", card))
        self._changed.clear()

    def _send(self, screen: Screen, frame: bytes) -> None:
        for queue in tuple(self._listeners[screen]):
            try:
                queue.put_nowait(frame)
            except asyncio.QueueFull:
                _log.warning("a page does not keep up and was let go", screen=screen)
                self._listeners[screen].discard(queue)
                _let_go(queue)

    def _clock_frame(self) -> bytes:
        return b"event: clock\ndata: %.3f\n\n" % self._clock()


def _frame(event: str, html: str) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (event.encode(), _encode(html))


def _let_go(queue: asyncio.Queue[bytes | None]) -> None:
    """Make the stream that reads this queue end at once."""
    while not queue.empty():
        queue.get_nowait()
    queue.put_nowait(None)
