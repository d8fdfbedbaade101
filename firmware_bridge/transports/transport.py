"""What every transport is to the rest: an async context that yields receptions and takes what is to be sent.

Owns the contract, and the bounded inbox that all transports share. Refuses to know any wire. Start of the flow:
**transports** -> received -> routing. The contract is tested on every transport by one suite
(`tests/contracts/test_transports.py`):

- Entering starts it; nothing need be there yet. What is missing (a port, a broker) is waited for with back-off.
- Iterating yields receptions in order, `at_s` never going back, by one consumer at a time. It ends when the transport
  has been left, or (a recording) has come to its end; what had come in before is yielded first.
- No trouble of the outside world is raised: it shows in `health` and in one line of log a change.
- Queues are bounded. A full inbox loses its oldest receptions, a full outbox its oldest publications; both are counted.
- `send` never waits; its outcome says whether the thing is on its way.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Callable
from enum import Enum, StrEnum
from types import TracebackType
from typing import Self

from msgspec import Struct

from firmware_bridge.commands import Command
from firmware_bridge.errors import TransportMisuseError
from firmware_bridge.received import Received

Clock = Callable[[], float]
"""Host seconds, monotonic: never a wall clock, which may step."""

INBOX_LIMIT = 8192
"""Receptions waiting to be consumed; our choice: some seconds of a hundred tables."""

TURN = 32
"""Receptions yielded before others get their turn: a busy consumer must not delay the stamping of arrivals."""


class Publication(Struct, frozen=True):
    """Something for the broker. With `qos` 1 it is kept until the broker has acknowledged it."""

    topic: str
    payload: bytes
    qos: int = 1
    retain: bool = False


class LineCommand(Struct, frozen=True):
    """A command for the node on a port."""

    port: str
    command: Command


Outgoing = Publication | LineCommand


class SendOutcome(Enum):
    """What became of something that was to be sent."""

    ACCEPTED = "accepted"
    """On its way, or kept until it can be."""
    NOT_CONNECTED = "not connected"
    """The line is not open, or does not take it now: a command is not kept for later."""
    WRONG_KIND = "wrong kind"
    """Not for this transport, or no such port."""


class LinkState(StrEnum):
    """How one link of a transport is doing."""

    STARTING = "starting"
    OPEN = "open"
    MISSING = "missing"
    """The port is not there, the broker does not answer: tried again with back-off."""
    REFUSED = "refused"
    """It is there and refuses us: busy, no permission, wrong password. Tried again with back-off."""
    CLOSED = "closed"


class LinkHealth(Struct, frozen=True):
    """One link: a port, or the broker. `openings` counts how often it was opened."""

    name: str
    state: LinkState
    since_s: float
    detail: str = ""
    openings: int = 0


class BackOff(Struct, frozen=True):
    """How long to wait before trying again: doubling from `first_s` up to `longest_s`. Our choice."""

    first_s: float = 0.2
    longest_s: float = 5.0

    def after(self, failures: int) -> float:
        """Seconds to wait after so many failures in a row (from 1)."""
        return min(self.first_s * 2.0 ** min(failures - 1, 32), self.longest_s)


class Inbox:
    """A bounded queue from callbacks to one consumer. Full, it loses the oldest."""

    def __init__(self, limit: int = INBOX_LIMIT) -> None:
        self._items: deque[Received] = deque(maxlen=limit)
        self._waiter: asyncio.Future[None] | None = None
        self._closed = False
        self._in_turn = 0
        self.dropped = 0
        """Receptions lost because nobody took them in time."""

    def put(self, received: Received) -> None:
        """Add a reception."""
        if len(self._items) == self._items.maxlen:
            self.dropped += 1
        self._items.append(received)
        self._wake()

    def close(self) -> None:
        """Nothing more comes: the consumer ends when it has taken what is here."""
        self._closed = True
        self._wake()

    async def get(self) -> Received | None:
        """The next reception; `None` when there will be none any more."""
        while not self._items:
            if self._closed:
                return None
            if self._waiter is not None:
                raise TransportMisuseError("a transport has one consumer at a time")
            self._waiter = asyncio.get_running_loop().create_future()
            self._in_turn = 0
            try:
                await self._waiter
            finally:
                self._waiter = None
        self._in_turn += 1
        if self._in_turn >= TURN:
            self._in_turn = 0
            await asyncio.sleep(0)
        return self._items.popleft()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class Transport(ABC):
    """One way by which bytes come in. See the contract above."""

    def __init__(self, inbox_limit: int = INBOX_LIMIT) -> None:
        self._inbox = Inbox(inbox_limit)
        self._entered = False

    @property
    @abstractmethod
    def health(self) -> tuple[LinkHealth, ...]:
        """Each of its links."""

    @property
    def dropped(self) -> int:
        """Receptions lost because nobody took them in time."""
        return self._inbox.dropped

    @property
    def dropped_outgoing(self) -> int:
        """Publications and commands that were accepted and then lost."""
        return 0

    @abstractmethod
    def send(self, outgoing: Outgoing) -> SendOutcome:
        """Send something, as soon as may be. Never waits."""

    async def flush(self, timeout_s: float) -> bool:
        """Wait until everything accepted has gone out (and, with QoS 1, was acknowledged); say whether it has."""
        del timeout_s
        return True

    async def _next(self) -> Received | None:
        """The next reception; `None` when there will be none any more."""
        return await self._inbox.get()

    @abstractmethod
    async def _start(self) -> None:
        """Begin to receive into the inbox."""

    @abstractmethod
    async def _stop(self) -> None:
        """Cease, and let go of everything."""

    async def __aenter__(self) -> Self:
        if self._entered:
            raise TransportMisuseError("a transport is entered once")
        self._entered = True
        await self._start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._stop()
        finally:
            self._inbox.close()

    def __aiter__(self) -> AsyncIterator[Received]:
        return self

    async def __anext__(self) -> Received:
        if not self._entered:
            raise TransportMisuseError("a transport is entered before it is iterated")
        received = await self._next()
        if received is None:
            raise StopAsyncIteration
        return received
