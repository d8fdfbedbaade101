"""Fans views out to every open page: rendered once a screen, encoded once, sent to all.

Owns what each screen shows at the moment and who listens. Refuses to know where views come from and what HTTP is: a
page reads `stream`. Updates that come faster than a screen can use are merged into one; a screen that nobody looks at
is not drawn; a page that does not read is let go and comes back for the whole picture.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Final

import msgspec
import structlog
from msgspec import Struct

from monitor.view import TableView
from monitor.wall_time import WallTime
from monitor.web.order import Places, by_name
from monitor.web.pages import Card, Change, Screen, render_card, render_notices, render_round
from monitor.web.round_face import RoundFace
from monitor.web.watching import CLOCK_S, MERGE_S, Watchers
from monitor.wording import time_of_day

PICTURES: Final = 4
"""Our choice: up to so many tables the floor's cards show them from above; with more there is no room to see them."""
QUEUE_FRAMES: Final = 256
MAX_LISTENERS: Final = 500

DIRECTORS: Final = frozenset({Screen.DIRECTOR, Screen.CONSOLE})
"""Screens that are told of the monitor's own troubles."""

First = Callable[[], Mapping[str, Struct]]

_log = structlog.get_logger("rackwatch.web")
_encode = msgspec.json.Encoder().encode


class Hub:
    """What screens show, and the pages that are open."""

    def __init__(self, clock: Callable[[], float], wall: Callable[[], float] = time.time) -> None:
        """`clock` gives the host's monotonic seconds, on which events are dated; `wall` UTC seconds since 1970."""
        self._clock = clock
        self._wall_time = WallTime(clock, wall)
        self._views: dict[Screen, dict[str, TableView]] = {screen: {} for screen in Screen}
        self._cards: dict[Screen, dict[str, Card]] = {screen: {} for screen in Screen}
        self._places: dict[Screen, dict[str, str]] = {screen: {} for screen in Screen}
        self._changed: dict[Screen, set[str]] = {screen: set() for screen in Screen}
        self._floor = Places()
        self._notices: dict[str, str] = {}
        self._listeners: dict[Screen, set[asyncio.Queue[bytes | None]]] = {screen: set() for screen in Screen}
        self._wake = asyncio.Event()
        self._closed = False
        self.watchers = Watchers()
        """Pages that show one table, or the clock."""
        self.round = RoundFace()
        """The clock of the round; changed by `show_round` alone."""

    def show(self, screen: Screen, view: TableView) -> None:
        """A table looks like this now."""
        if screen is Screen.DIRECTOR:
            self.show(Screen.CONSOLE, view)
        views, known = self._views[screen], len(self._views[screen])
        if views.get(view.table) == view:
            return
        views[view.table] = view
        if known == PICTURES < len(views):
            self._changed[screen].update(views)
        self._changed[screen].add(view.table)
        self._wake.set()
        if screen is Screen.PUBLIC:
            self.watchers.tell(view.table)

    def show_round(self, face: RoundFace) -> None:
        """The clock of the round is like this now."""
        before, self.round = self.round, face
        self.watchers.tell("")
        for screen in Screen:
            self._changed[screen].update(one for one in self._views[screen] if face.own_s(one) != before.own_s(one))
            self._send(screen, _frame("round", render_round(face)))
        self._wake.set()

    def notice(self, about: str, text: str | None) -> None:
        """The monitor's own trouble with something, until it is over (`None`). Shown to the director."""
        if text is None:
            changed = self._notices.pop(about, None) is not None
        else:
            changed = self._notices.get(about) != text
            self._notices[about] = text
        if changed:
            for screen in DIRECTORS:
                self._send(screen, _frame("notices", render_notices(self.notices())))

    def notices(self) -> list[str]:
        """All of the monitor's present troubles."""
        return list(self._notices.values())

    def now(self) -> float:
        """The host's seconds, on which events are dated."""
        return self._clock()

    def time(self, at_s: float) -> str:
        """The time of day here at one of the host's seconds."""
        return time_of_day(self.wall_ahead_s())(at_s)

    @property
    def closed(self) -> bool:
        """Whether streams are to end."""
        return self._closed

    def view(self, screen: Screen, table: str) -> TableView | None:
        """One table as it is now; `None` where there is none of that name."""
        return self._views[screen].get(table)

    def wall_ahead_s(self) -> float:
        """UTC seconds since 1970 minus the host's."""
        return self._wall_time.ahead_s()

    def send(self, screen: Screen, event: str, what: Struct) -> None:
        """Tell every open page of a screen something that is not about a table."""
        self._send(screen, _frame(event, what))

    def is_open(self, screen: Screen) -> bool:
        """Whether anybody looks at it."""
        return bool(self._listeners[screen])

    def views(self, screen: Screen) -> list[TableView]:
        """Every table as it is now, in order of the tables' names."""
        return [view for _, view in sorted(self._views[screen].items(), key=lambda item: by_name(item[0]))]

    def cards(self, screen: Screen) -> list[str]:
        """Every card as it is now, in the screen's order."""
        self._render(screen)
        places = self._places[screen]
        return [card.html for table, card in sorted(self._cards[screen].items(), key=lambda item: places[item[0]])]

    async def run(self) -> None:
        """Render and send what has changed, and the time; until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._run_cards(), name="web cards")
            group.create_task(self._run_clock(), name="web clock")

    def full(self) -> bool:
        """Whether no further page can be taken."""
        return sum(map(len, self._listeners.values())) + len(self.watchers) >= MAX_LISTENERS

    async def stream(self, screen: Screen, first: First = dict) -> AsyncGenerator[bytes, None]:
        """Server-sent events for one page: everything once, then what changes. `first`: more to begin with."""
        everything = [b"retry: 1000\n\n" + self.time_frame(), _frame("round", render_round(self.round))]
        everything.append(_frame("all", self.cards(screen)))
        if screen in DIRECTORS:
            everything.append(_frame("notices", render_notices(self.notices())))
        everything += [_frame(event, what) for event, what in first().items()]
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
        self.watchers.close()
        for listeners in self._listeners.values():
            for queue in listeners:
                _let_go(queue)

    async def _run_cards(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            for screen in Screen:
                if self._listeners[screen]:
                    self._render(screen)
            await asyncio.sleep(MERGE_S)

    async def _run_clock(self) -> None:
        while True:
            back = self._floor.due(self._clock())
            if back:
                self._changed[Screen.PUBLIC].update(back)
                self._wake.set()
            for screen in Screen:
                self._send(screen, self.time_frame())
            await asyncio.sleep(CLOCK_S)

    def _render(self, screen: Screen) -> None:
        changes = [change for table in sorted(self._changed[screen]) if (change := self._card(screen, table))]
        self._changed[screen].clear()
        if changes:
            self._send(screen, _frame("cards", changes))

    def _card(self, screen: Screen, table: str) -> Change | None:
        """Draw one card anew; what a page has to change for it."""
        view, cards = self._views[screen][table], self._cards[screen]
        place = self._floor.place(view, self._clock()) if screen is Screen.PUBLIC else by_name(table)
        card = render_card(
            screen,
            view,
            time_of_day(self.wall_ahead_s()),
            place=place,
            picture=screen is Screen.DIRECTOR or (screen is Screen.PUBLIC and len(self._views[screen]) <= PICTURES),
            added_s=self.round.own_s(table),
        )
        change = card.change_from(cards.get(table))
        cards[table], self._places[screen][table] = card, place
        return change

    def _send(self, screen: Screen, frame: bytes) -> None:
        for queue in tuple(self._listeners[screen]):
            try:
                queue.put_nowait(frame)
            except asyncio.QueueFull:
                _log.warning("a page does not keep up and was let go", screen=screen)
                self._listeners[screen].discard(queue)
                _let_go(queue)

    def time_frame(self) -> bytes:
        """What tells a page the host's time."""
        return b"event: clock\ndata: %.3f\n\n" % self._clock()


def _frame(event: str, what: str | list[str] | list[Change] | Struct) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (event.encode(), _encode(what))


def _let_go(queue: asyncio.Queue[bytes | None]) -> None:
    """Make the stream that reads this queue end at once."""
    while not queue.empty():
        queue.get_nowait()
    queue.put_nowait(None)
