"""What goes to the broker: durable records as each audience may see them, and the public state of each table.

Owns topics and which of them are kept. Refuses to know MQTT: it is given `send`, which keeps records until the broker
has them. A state is only worth sending while it is the present one, so states wait here until the broker is there, and
only the latest of each table is sent.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec

from firmware_bridge.transports.transport import Publication, SendOutcome
from monitor.alerts import Alert
from monitor.events import Event
from monitor.view import TableView

STATE_S: Final = 0.2
"""How often a table's state goes out at most; our choice."""

_encode = msgspec.json.Encoder().encode


class Publisher:
    """Publishes records at once, states as often as is of use."""

    def __init__(self, send: Callable[[Publication], SendOutcome], connected: Callable[[], bool]) -> None:
        """`send` never waits; `connected` tells whether the broker is there now."""
        self._send = send
        self._connected = connected
        self._states: dict[str, TableView] = {}

    def directors(self, table: str, record: Event | Alert) -> None:
        """A record as the director may see it."""
        self._send(Publication(_topic(table, "director", record), _encode(record)))

    def public(self, table: str, record: Event | Alert) -> None:
        """A record as the public may see it."""
        self._send(Publication(_topic(table, "public", record), _encode(record)))

    def state(self, view: TableView) -> None:
        """What a public screen shows now; the broker keeps it for whoever comes later."""
        self._states[view.table] = view

    async def run(self) -> None:
        """Send states; until cancelled."""
        while True:
            self.send_states()
            await asyncio.sleep(STATE_S)

    def send_states(self) -> None:
        """Send every state that has changed, if the broker is there."""
        if not self._connected():
            return
        for table, view in self._states.items():
            self._send(Publication(f"rackwatch/v1/{table}/public/state", _encode(view), retain=True))
        self._states.clear()


def _topic(table: str, audience: str, record: Event | Alert) -> str:
    return f"rackwatch/v1/{table}/{audience}/{'alerts' if isinstance(record, Alert) else 'events'}"
