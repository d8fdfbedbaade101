"""What goes to the broker: durable records as each audience may see them, and the public state of each table.

Owns topics, order and a bounded store for the time in which the broker is away: nothing is lost until it is full, then
the oldest records go first and are counted; the event log has them all. Refuses to know MQTT: it is given `publish`.
Of the state only the latest is kept.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
import structlog
from msgspec import Struct

from monitor.alerts import Alert
from monitor.events import Event
from monitor.view import TableView

KEPT: Final = 20_000
"""Our choice: an evening of a few tables, or some minutes of a hundred, at 1 kB each."""

_log = structlog.get_logger("rackwatch.outbox")
_encode = msgspec.json.Encoder().encode


class Letter(Struct, frozen=True):
    """One message for the broker."""

    topic: str
    payload: bytes
    retain: bool = False


Publish = Callable[[Letter], Awaitable[None]]
"""Returns once the broker has the message; raises where it is away."""


class Outbox:
    """Letters in order; `dropped` counts those that found no room."""

    def __init__(self) -> None:
        """Empty."""
        self.dropped = 0
        self._letters: deque[Letter] = deque()
        self._states: dict[str, Letter] = {}
        self._filled = asyncio.Event()
        self._emptied = asyncio.Event()
        self._emptied.set()

    def directors(self, table: str, record: Event | Alert) -> None:
        """A record as the director may see it."""
        self._put(Letter(_topic(table, "director", record), _encode(record)))

    def public(self, table: str, record: Event | Alert) -> None:
        """A record as the public may see it."""
        self._put(Letter(_topic(table, "public", record), _encode(record)))

    def state(self, view: TableView) -> None:
        """What a public screen shows now; the broker keeps it for whoever comes later."""
        self._states[view.table] = Letter(f"rackwatch/v1/{view.table}/public/state", _encode(view), retain=True)
        self._fill()

    async def deliver(self, publish: Publish) -> None:
        """Give letters to `publish`, in order, until it raises or this is cancelled; a letter not taken stays first."""
        while True:
            await self._filled.wait()
            while self._letters:
                letter = self._letters[0]
                await publish(letter)
                if self._letters and self._letters[0] is letter:
                    self._letters.popleft()
            for table in tuple(self._states):
                letter = self._states[table]
                await publish(letter)
                if self._states.get(table) is letter:
                    del self._states[table]
            if not self._letters and not self._states:
                self._filled.clear()
                self._emptied.set()

    async def drained(self) -> None:
        """Wait until everything is delivered."""
        await self._emptied.wait()

    def _put(self, letter: Letter) -> None:
        if len(self._letters) >= KEPT:
            self._letters.popleft()
            if self.dropped == 0:
                _log.warning("the broker has been away too long: the oldest messages are dropped", kept=KEPT)
            self.dropped += 1
        self._letters.append(letter)
        self._fill()

    def _fill(self) -> None:
        self._filled.set()
        self._emptied.clear()


def _topic(table: str, audience: str, record: Event | Alert) -> str:
    return f"rackwatch/v1/{table}/{audience}/{'alerts' if isinstance(record, Alert) else 'events'}"
