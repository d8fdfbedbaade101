"""A transport in memory: what is put in comes out. For tests, and for feeding a daemon from inside the same process.

Owns nothing but two queues. Refuses to know what passes through.
"""

from firmware_bridge.received import Received
from firmware_bridge.transports.transport import (
    INBOX_LIMIT,
    LinkHealth,
    LinkState,
    Outgoing,
    SendOutcome,
    Transport,
)


class MemoryTransport(Transport):
    """Yields what `put` was given; `sent` collects what was sent."""

    def __init__(self, inbox_limit: int = INBOX_LIMIT) -> None:
        super().__init__(inbox_limit)
        self._state = LinkState.STARTING
        self.sent: list[Outgoing] = []

    @property
    def health(self) -> tuple[LinkHealth, ...]:
        """Its one link, which is never missing."""
        return (LinkHealth("memory", self._state, 0.0, openings=int(self._state is not LinkState.STARTING)),)

    def put(self, received: Received) -> None:
        """Something arrives. `at_s` must not go back."""
        self._inbox.put(received)

    def end(self) -> None:
        """Nothing more will arrive."""
        self._inbox.close()

    def send(self, outgoing: Outgoing) -> SendOutcome:
        """Collect what is sent."""
        if self._state is not LinkState.OPEN:
            return SendOutcome.NOT_CONNECTED
        self.sent.append(outgoing)
        return SendOutcome.ACCEPTED

    async def _start(self) -> None:
        self._state = LinkState.OPEN

    async def _stop(self) -> None:
        self._state = LinkState.CLOSED
