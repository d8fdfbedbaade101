"""What came in, decoded: one message with the host time of its arrival and the table and place it belongs to.

Everything above this point (table, replay, tests, benchmark) sees arrivals and nothing of transports.
"""

from enum import StrEnum

from msgspec import Struct

from firmware_bridge.messages import Input, NodeMessage, Place
from firmware_bridge.rejections import BadRow


class Link(StrEnum):
    """What kind of way a message took: decides how much delay its arrival time may hide."""

    NETWORK = "network"
    USB = "usb"


class Arrival(Struct, frozen=True, gc=False):
    """One decoded message. `place` is absent where an input concerns the whole table.

    `retained`: the broker kept it from before; it tells a state, never an event. `bad`: rows or fields of this
    very message that could not be read and are missing from it. `ping_sent_s`: for a Pong, when its ping left the host.
    """

    at_s: float
    table: str
    place: Place | None
    message: NodeMessage | Input
    link: Link = Link.NETWORK
    retained: bool = False
    bad: tuple[BadRow, ...] = ()
    ping_sent_s: float | None = None

    @property
    def bad_rows(self) -> int:
        """How many they are."""
        return len(self.bad)
