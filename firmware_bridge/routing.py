"""From raw receptions to arrivals: the one door that every transport and every recording goes through.

Owns which decoder a reception goes to and the count of everything that came to nothing. Refuses to know transports,
sessions and tables' insides. Flow: transports, recordings -> received -> **routing** -> session.
"""

from collections import deque
from collections.abc import Mapping
from typing import assert_never

from firmware_bridge.arrival import Arrival
from firmware_bridge.json_messages import JsonMessages
from firmware_bridge.received import LineBytes, Published, Received
from firmware_bridge.rejections import Rejected, Rejection

_REMEMBERED = 32
"""Latest rejections kept for a person to look at; our choice."""


class Router:
    """Decodes whatever is received, for any number of tables. Never raises on what was received."""

    def __init__(self, tables: frozenset[str] | None = None) -> None:
        """`tables`: those that exist; `None` takes any."""
        self._json = JsonMessages(tables)
        self._rejected: dict[Rejection, int] = {}
        self._latest: deque[Rejected] = deque(maxlen=_REMEMBERED)
        self._bad_rows = 0

    @property
    def rejected(self) -> Mapping[Rejection, int]:
        """How many receptions or frames came to nothing, by reason."""
        return self._rejected

    @property
    def latest_rejections(self) -> tuple[Rejected, ...]:
        """The last few of them, oldest first."""
        return tuple(self._latest)

    @property
    def bad_rows(self) -> int:
        """Rows and fields left out of messages that were otherwise taken."""
        return self._bad_rows

    def route(self, received: Received) -> list[Arrival]:
        """The arrivals that one reception brings, in order; none where it was rejected or is not whole yet."""
        match received:
            case Published():
                arrival = self._json.decode(received)
            case LineBytes():
                return []
            case _:
                assert_never(received)
        if isinstance(arrival, Rejected):
            self._reject(arrival)
            return []
        self._bad_rows += arrival.bad_rows
        return [arrival]

    def _reject(self, rejected: Rejected) -> None:
        self._rejected[rejected.reason] = self._rejected.get(rejected.reason, 0) + 1
        self._latest.append(rejected)
