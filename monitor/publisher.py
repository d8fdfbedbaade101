"""What goes to the broker: durable records as each audience may see them, and the public state of each table.

Owns which topics are kept, and when a state is sent. Refuses to know MQTT: it is given `send`, which keeps records
until the broker has them. A state is only worth sending while it is the present one, so states wait here until the
broker is there, and only the latest of each table is sent; what the public does not see sends none.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Final

import msgspec

from firmware_bridge.transports.transport import Publication, SendOutcome
from monitor.alerts import Alert
from monitor.events import Event
from monitor.topics import records_topic, state_topic
from monitor.view import TableView

STATE_S: Final = 0.2
"""How often a table's state goes out at most; our choice."""

_encode = msgspec.json.Encoder().encode


class PublicState(TableView, frozen=True):
    """A public view for programs elsewhere, which do not know the host's clock."""

    last_discard_utc: datetime | None = None
    """`last_discard` as UTC."""


class Publisher:
    """Publishes records at once, states as often as is of use."""

    def __init__(
        self,
        send: Callable[[Publication], SendOutcome],
        open_since: Callable[[], float | None],
        utc: Callable[[float], datetime],
    ) -> None:
        """`send` never waits; `open_since` tells since when (host seconds) the broker is there; `utc` turns a moment in
        host seconds into the time of day."""
        self._send = send
        self._open_since = open_since
        self._utc = utc
        self._views: dict[str, TableView] = {}
        self._changed: set[str] = set()
        self._since_s: float | None = None

    def directors(self, table: str, record: Event | Alert) -> None:
        """A record as the director may see it."""
        self._send(Publication(_topic(table, "director", record), _encode(record)))

    def public(self, table: str, record: Event | Alert) -> None:
        """A record as the public may see it."""
        self._send(Publication(_topic(table, "public", record), _encode(record)))

    def state(self, view: TableView) -> None:
        """What a public screen shows now; the broker keeps it for whoever comes later."""
        if self._views.get(view.table) != view:
            self._views[view.table] = view
            self._changed.add(view.table)

    async def run(self) -> None:
        """Send states; until cancelled."""
        while True:
            self.send_states()
            await asyncio.sleep(STATE_S)

    def send_states(self) -> None:
        """Send every state that has changed, if the broker is there; all of them to one that may have lost them."""
        since_s = self._open_since()
        if since_s is None:
            return
        if since_s != self._since_s:
            self._since_s = since_s
            self._changed.update(self._views)
        for table in sorted(self._changed):
            self._send(Publication(state_topic(table), _encode(self._public_state(self._views[table])), retain=True))
        self._changed.clear()

    def _public_state(self, view: TableView) -> PublicState:
        at = view.last_discard
        return PublicState(**msgspec.structs.asdict(view), last_discard_utc=None if at is None else self._utc(at))


def _topic(table: str, audience: str, record: Event | Alert) -> str:
    return records_topic(table, audience, "alerts" if isinstance(record, Alert) else "events")
