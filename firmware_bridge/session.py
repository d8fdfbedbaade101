"""One node's conversation: boots, losses, repeats and disorder, in order of the node's own counting."""

from msgspec import Struct

from firmware_bridge.clock import TickMap
from firmware_bridge.messages import Place, Readings


class Delivery(Struct, frozen=True):
    """Readings of one node, in the node's own order, with the clock to date them.

    `rebooted`: first delivery since the node started anew. `lost`: messages known to be missing just before this one.
    """

    place: Place
    node: str
    arrived_s: float
    readings: Readings
    clock: TickMap
    rebooted: bool = False
    lost: int = 0
