"""When a node's messages may be dated: at once, or not before it is seen that they come as fast as they are made.

Owns a node's clock since one boot, and the messages that wait for it. Refuses to know order, loss and boots, which are
`session`'s. Pure.

A conversation may begin with a backlog, which a broker or a driver kept for us and hands over faster than it was made.
Arrival then says nothing about when. So the clock is not read, and what is to be dated waits, until two messages have
come about as far apart as they were made, or nothing has come for a while.
"""

from collections import deque
from enum import Enum

from msgspec import Struct

from firmware_bridge.arrival import Arrival, Link
from firmware_bridge.clock import NodeClock
from firmware_bridge.messages import TICKS_MODULUS, Hello, NodeMessage, Pong, Readings

_LIVE_SHARE = 0.5
"""Kept messages come faster than they were made, live ones as fast; half of that tells them apart."""

_BACKLOG = 4096
"""Messages that wait for the clock; our choice: seven minutes of a node that speaks ten times a second."""

_TICK_S = 1e-6


class Flow(Enum):
    """Whether messages come as fast as they are made, so that arrivals date them."""

    CATCHING_UP = "catching up"
    LIVE = "live"


class InOrder(Struct, frozen=True, gc=False):
    """Readings in the node's own order. `lost`, `rebooted`: as in a delivery."""

    arrival: Arrival
    readings: Readings
    rebooted: bool
    lost: int


class Dater:
    """The clock of one node since one boot, and what waits for it."""

    def __init__(self, link: Link) -> None:
        self.clock = NodeClock(link)
        self._flow = Flow.CATCHING_UP
        self._latest: Arrival | None = None
        self._waiting: deque[InOrder] = deque()

    @property
    def flow(self) -> Flow:
        """Whether arrivals date messages by now."""
        return self._flow

    @property
    def waits(self) -> bool:
        """Whether anything waits for the clock."""
        return bool(self._waiting)

    def observe(self, arrival: Arrival) -> None:
        """Take note of a message, in order of arrival."""
        if self._flow is Flow.CATCHING_UP:
            before, self._latest = self._latest, arrival
            if before is None or not live([before, arrival]):
                return
            self._flow = Flow.LIVE
            self._read(before)
        self._read(arrival)

    def date(self, message: InOrder) -> list[InOrder]:
        """Take readings in order; return those that `clock.map` dates now."""
        if self._flow is Flow.LIVE and not self._waiting:
            return [message]
        self._waiting.append(message)
        if self._flow is Flow.LIVE or len(self._waiting) > _BACKLOG:
            return self.release()
        return []

    def release(self) -> list[InOrder]:
        """Waiting is over: return what has waited, to be dated by what is known now."""
        if self._flow is Flow.CATCHING_UP and self._latest is not None:
            self._flow = Flow.LIVE
            self._read(self._latest)
        released = list(self._waiting)
        self._waiting.clear()
        return released

    def _read(self, arrival: Arrival) -> None:
        message = node_message(arrival)
        if isinstance(message, Pong) and arrival.ping_sent_s is not None:
            self.clock.observe_two_way(arrival.ping_sent_s, message.received_ticks, message.ticks, arrival.at_s)
        else:
            self.clock.observe(message.ticks, arrival.at_s)


def node_message(arrival: Arrival) -> NodeMessage:
    """The message of a node; an input is a caller's mistake."""
    message = arrival.message
    assert isinstance(message, (Readings, Hello, Pong)), "a session takes what nodes say, not inputs"
    return message


def live(run: list[Arrival]) -> bool:
    """Whether messages came about as fast as they were made. Made in one moment, they tell nothing."""
    first, last = node_message(run[0]), node_message(run[-1])
    made_s = (last.ticks - first.ticks) % TICKS_MODULUS * _TICK_S
    return made_s > 0.0 and run[-1].at_s - run[0].at_s >= _LIVE_SHARE * made_s
