"""A node's ticks in host time, with a stated bound."""

from msgspec import Struct

from firmware_bridge.messages import TICKS_MODULUS

_HALF = TICKS_MODULUS // 2


class TickMap(Struct, frozen=True):
    """A line from one node's ticks to host seconds, valid near the message it came with.

    The truth lies in `[at(ticks) - early_s, at(ticks) + late_s]` with 99 % confidence. `rate_s` is host seconds a tick.
    """

    ticks: int
    host_s: float
    rate_s: float
    early_s: float
    late_s: float

    def at(self, ticks: int) -> float:
        """Host seconds of a sample, up to half a wrap (35 min) away from the reference, either way."""
        return self.host_s + ((ticks - self.ticks + _HALF) % TICKS_MODULUS - _HALF) * self.rate_s
