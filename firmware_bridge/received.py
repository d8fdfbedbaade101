"""What a transport hands over: bytes as they came, with the host time they came at, before any decoding.

Owns the shape of a raw reception and nothing else. Refuses to know what is inside. Start of the flow:
transports and recordings -> **received** -> routing -> session. A recording keeps exactly this.
"""

from msgspec import Struct


class Published(Struct, frozen=True, gc=False):
    """One message of the broker. `retain`: the broker had kept it from before this subscription."""

    at_s: float
    topic: str
    payload: bytes
    qos: int = 0
    retain: bool = False


class LineBytes(Struct, frozen=True, gc=False):
    """Some bytes on a serial line: any cut of the stream. `sent`: they went from the host to the node."""

    at_s: float
    port: str
    data: bytes
    sent: bool = False


Received = Published | LineBytes
