"""A node whose every round is said by the test, for the RFID model."""

from firmware_bridge.clock import TickMap
from firmware_bridge.messages import Antenna, InventoryRound, Place, Readings, TagRead
from firmware_bridge.session import Delivery
from hw.observations import SensorHealth, TileMoved, Zone
from hw.rfid import Rfid

A, B, C = "E004010000000001", "E004010000000002", "E004010000000003"
"""Three tiles on nobody's rack."""
RACK = tuple(f"E0040100000001{k:02X}" for k in range(13))
"""The tiles of one."""


class Node:
    """A node whose every round is said by the test. Ticks are the host's microseconds."""

    def __init__(self, rfid: Rfid, place: Place = Place.EAST) -> None:
        self.rfid = rfid
        self.place = place
        self.told: list[TileMoved | SensorHealth] = []
        self.seq = 0

    def say(self, at_s: float, **rows: tuple[InventoryRound, ...] | tuple[TagRead, ...]) -> None:
        self.seq += 1
        ticks = round(at_s * 1e6)
        readings = Readings("n", 1, self.seq, ticks, **rows)  # type: ignore[arg-type]
        clock = TickMap(ticks, at_s, 1e-6, 0.004, 0.001)
        self.told += self.rfid.feed(Delivery(self.place, "n", at_s + 0.01, readings, clock))

    def hear(self, at_s: float, uids: tuple[str, ...], antenna: Antenna = Antenna.SLOPE, complete: bool = True) -> None:
        self.say(at_s, inventory=(InventoryRound(round(at_s * 1e6), antenna, uids, complete),))

    def rest(self, from_s: float, to_s: float, uids: tuple[str, ...], antenna: Antenna = Antenna.SLOPE) -> None:
        """All of `uids` are heard ten times a second."""
        for k in range(round(from_s * 10), round(to_s * 10)):
            self.hear(k / 10, uids, antenna)

    def moves(self, uid: str | None = None) -> list[TileMoved]:
        return [e for e in self.told if isinstance(e, TileMoved) and uid in (None, e.uid)]

    def count(self, zone: Zone = Zone.SLOPE) -> int:
        return self.rfid.count(self.place, zone).tiles


def node(*uids: str) -> Node:
    return Node(Rfid(dict.fromkeys(uids, "1-bam")))


def settled(*uids: str) -> Node:
    """A node at whose slope these tiles have lain for five seconds."""
    one = node(*uids, A, B, C)
    one.rest(0.0, 5.0, uids)
    assert one.count() == len(set(uids))
    one.told.clear()
    return one
